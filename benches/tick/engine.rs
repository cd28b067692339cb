//! This engine.

use helve::catalog::{Class, Leaf, LeafContext, LeafError, NodeManifest, PortManifest};
use helve::engine::Engine;
use helve::moment::Moment;
use helve::node;
use helve::status::Status;
use helve::text::Source;
use helve::tree::{self, CompileOptions};
use helve::value::{Type, Value};

use crate::Tick;
use crate::shape::Shape;

/// Always the same answer.
struct Answer(Status);

impl Leaf for Answer {
    fn start(&self, _: &mut dyn LeafContext) -> Result<Status, LeafError> {
        Ok(self.0)
    }
}

struct Inc;

impl Leaf for Inc {
    fn start(&self, cx: &mut dyn LeafContext) -> Result<Status, LeafError> {
        let Value::Int(int) = cx.required(0)? else { return Err(LeafError::new("no integer")) };
        cx.output(1, Value::Int(int + 1))?;
        Ok(Status::Success)
    }
}

/// A run of the tree, ticked from outside and watched by nobody.
pub fn build(shape: &Shape) -> Tick {
    let mut catalog = node::catalog();
    let answers = [
        ("Succ", Status::Success),
        ("Fail", Status::Failure),
        ("Cond", Status::Success),
        ("Run", Status::Running),
    ];
    for (name, status) in answers {
        catalog.add(NodeManifest::leaf(name, Class::Action, Vec::new(), Answer(status))).expect("a new name");
    }
    let ports =
        vec![PortManifest::input("in", Type::Int64, ""), PortManifest::output("out", Type::Int64, "")];
    catalog.add(NodeManifest::leaf("Inc", Class::Action, ports, Inc)).expect("a new name");
    let mut xml = String::from(r#"<root BTCPP_format="4"><BehaviorTree>"#);
    write(shape, &mut xml);
    xml.push_str("</BehaviorTree></root>");
    let tree =
        tree::load(&Source::new("bench", xml), &catalog, &CompileOptions::default()).expect("it loads");
    let mut engine = Engine::new(tree);
    engine.set("k0", Some(Value::Int(0))).expect("an integer key");
    Box::new(move || {
        engine.tick(Moment::ZERO).expect("no fault");
    })
}

fn write(shape: &Shape, xml: &mut String) {
    let (name, children) = match shape {
        Shape::Sequence(children) => ("Sequence", children),
        Shape::Fallback(children) => ("Fallback", children),
        Shape::ReactiveSequence(children) => ("ReactiveSequence", children),
        Shape::Succ => return xml.push_str("<Succ/>"),
        Shape::Fail => return xml.push_str("<Fail/>"),
        Shape::Cond => return xml.push_str("<Cond/>"),
        Shape::Run => return xml.push_str("<Run/>"),
        Shape::Inc(n) => return xml.push_str(&format!(r#"<Inc in="{{k{n}}}" out="{{k{}}}"/>"#, n + 1)),
    };
    xml.push_str(&format!("<{name}>"));
    children.iter().for_each(|child| write(child, xml));
    xml.push_str(&format!("</{name}>"));
}
