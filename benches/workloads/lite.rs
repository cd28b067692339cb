//! behavior-tree-lite.

use behavior_tree_lite::{
    BehaviorCallback, BehaviorNode, BehaviorNodeContainer, BehaviorResult, BlackboardValue, Context, Lazy,
    PortSpec, PortType, Registry, Symbol, boxify, load as instantiate, parse_file,
};

use crate::Tick;
use crate::shape::Shape;

/// Always the same answer.
struct Answer(BehaviorResult);

impl BehaviorNode for Answer {
    fn tick(&mut self, _: BehaviorCallback, _: &mut Context) -> BehaviorResult {
        self.0
    }
}

static IN: Lazy<Symbol> = Lazy::new(|| "in".into());
static OUT: Lazy<Symbol> = Lazy::new(|| "out".into());

struct Inc;

impl BehaviorNode for Inc {
    fn provided_ports(&self) -> Vec<PortSpec> {
        vec![PortSpec::new_in(*IN), PortSpec::new_out(*OUT)]
    }

    fn tick(&mut self, _: BehaviorCallback, cx: &mut Context) -> BehaviorResult {
        let Some(&int) = cx.get::<i64>(*IN) else { return BehaviorResult::Fail };
        cx.set(*OUT, int + 1);
        BehaviorResult::Success
    }
}

/// Passes a text on.
struct CopyText;

impl BehaviorNode for CopyText {
    fn provided_ports(&self) -> Vec<PortSpec> {
        vec![PortSpec::new_in(*IN), PortSpec::new_out(*OUT)]
    }

    fn tick(&mut self, _: BehaviorCallback, cx: &mut Context) -> BehaviorResult {
        let Some(text) = cx.get::<String>(*IN).cloned() else { return BehaviorResult::Fail };
        cx.set(*OUT, text);
        BehaviorResult::Success
    }
}

/// The root in its container, which can be ticked again as it is; `None` when the shape has a leaf
/// that this peer has no counterpart of.
pub fn tick(shape: &Shape) -> Option<Tick> {
    let mut root = node(shape)?;
    let mut context = Context::default();
    context.set("k0", 0_i64);
    context.set("s0", "x".repeat(10_000));
    Some(Box::new(move || {
        let result = root.tick(&mut |_| None, &mut context);
        assert_ne!(result, BehaviorResult::Fail);
    }))
}

fn node(shape: &Shape) -> Option<BehaviorNodeContainer> {
    let (name, children) = match shape {
        Shape::Sequence(children) => ("Sequence", children),
        Shape::Fallback(children) => ("Fallback", children),
        Shape::ReactiveSequence(children) => ("ReactiveSequence", children),
        leaf => return self::leaf(leaf),
    };
    // Its types for these are private; its registry makes them.
    let node = Registry::default().build(name).expect("a node of its own");
    let mut node = BehaviorNodeContainer::new_raw(node);
    for child in children {
        node.add_child(self::node(child)?).expect("any number of children");
    }
    Some(node)
}

fn leaf(shape: &Shape) -> Option<BehaviorNodeContainer> {
    Some(match shape {
        Shape::Succ | Shape::Cond => BehaviorNodeContainer::new_node(Answer(BehaviorResult::Success)),
        Shape::Fail => BehaviorNodeContainer::new_node(Answer(BehaviorResult::Fail)),
        Shape::Run => BehaviorNodeContainer::new_node(Answer(BehaviorResult::Running)),
        Shape::Inc(from, to) => between(Box::new(Inc), &format!("k{from}"), &format!("k{to}")),
        Shape::CopyText(n) => between(Box::new(CopyText), &format!("s{n}"), &format!("s{}", n + 1)),
        _ => return None,
    })
}

fn between(node: Box<dyn BehaviorNode>, from: &str, to: &str) -> BehaviorNodeContainer {
    let input = BlackboardValue::Ref(Symbol::from(from), PortType::Input);
    let output = BlackboardValue::Ref(Symbol::from(to), PortType::Output);
    BehaviorNodeContainer::new(node, [(*IN, input), (*OUT, output)].into())
}

/// The groups of [`xml::groups`](crate::xml::groups) in its own language, which has no names for nodes.
pub fn groups(nodes: usize) -> String {
    let mut text = String::from("tree main = Sequence {\n");
    let mut leaf = 0;
    for _ in 0..nodes / 10 {
        text.push_str("  Fallback {\n");
        for _ in 0..9 {
            text.push_str(&format!("    Inc (in <- k{}, out -> k{})\n", leaf % 100, (leaf + 1) % 100));
            leaf += 1;
        }
        text.push_str("  }\n");
    }
    text.push_str("}\n");
    text
}

/// Parses, checks and instantiates.
pub fn load(text: &str) -> BehaviorNodeContainer {
    let mut registry = Registry::default();
    registry.register("Inc", boxify(|| Inc));
    let (_, source) = parse_file(text).expect("its own language");
    instantiate(&source, &registry, true).expect("a tree")
}
