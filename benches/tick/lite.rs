//! behavior-tree-lite.

use behavior_tree_lite::{
    BehaviorCallback, BehaviorNode, BehaviorNodeContainer, BehaviorResult, BlackboardValue, Context, Lazy,
    PortSpec, PortType, Registry, Symbol,
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

/// The root in its container, which can be ticked again as it is.
pub fn build(shape: &Shape) -> Tick {
    let mut root = node(shape);
    let mut context = Context::default();
    context.set("k0", 0_i64);
    Box::new(move || {
        let result = root.tick(&mut |_| None, &mut context);
        assert_ne!(result, BehaviorResult::Fail);
    })
}

fn node(shape: &Shape) -> BehaviorNodeContainer {
    let (name, children) = match shape {
        Shape::Sequence(children) => ("Sequence", children),
        Shape::Fallback(children) => ("Fallback", children),
        Shape::ReactiveSequence(children) => ("ReactiveSequence", children),
        Shape::Succ | Shape::Cond => return BehaviorNodeContainer::new_node(Answer(BehaviorResult::Success)),
        Shape::Fail => return BehaviorNodeContainer::new_node(Answer(BehaviorResult::Fail)),
        Shape::Run => return BehaviorNodeContainer::new_node(Answer(BehaviorResult::Running)),
        Shape::Inc(n) => return inc(*n),
    };
    // Its types for these are private; its registry makes them.
    let node = Registry::default().build(name).expect("a node of its own");
    let mut node = BehaviorNodeContainer::new_raw(node);
    for child in children {
        node.add_child(self::node(child)).expect("any number of children");
    }
    node
}

fn inc(n: usize) -> BehaviorNodeContainer {
    let key = |n: usize| Symbol::from(format!("k{n}").as_str());
    let input = BlackboardValue::Ref(key(n), PortType::Input);
    let output = BlackboardValue::Ref(key(n + 1), PortType::Output);
    BehaviorNodeContainer::new(Box::new(Inc), [(*IN, input), (*OUT, output)].into())
}
