//! Visits the child whose case is the value of a variable, else the last one.

use std::sync::Arc;

use crate::catalog::{Children, Class, Kind, NodeManifest, PortManifest};
use crate::id::NodeId;
use crate::node::{Behavior, Child, Halt, NodeContext, PortFault, Step, Then};
use crate::status::Status;
use crate::tree::Tree;
use crate::value::Type;

/// `Switch2` to `Switch6`: that many cases, and a child more for everything else. The variable is
/// compared on every tick; a running child that is no longer meant is halted.
pub(crate) struct Switch;

/// The names of the dialect's five forms.
const NAMES: [&str; 5] = ["Switch2", "Switch3", "Switch4", "Switch5", "Switch6"];
/// The names of the cases' ports.
const CASES: [&str; 6] = ["case_1", "case_2", "case_3", "case_4", "case_5", "case_6"];
const VARIABLE: usize = 0;
/// Two numbers that are nearer than this are one, as the reference has it.
const TOLERANCE: f64 = f32::EPSILON as f64;

impl Switch {
    /// What each form says of itself.
    pub fn manifests() -> impl Iterator<Item = NodeManifest> {
        NAMES.iter().zip(2..).map(|(&name, cases)| {
            let doc = "Visits the child whose case is the value of a variable, else its last child.";
            let variable = PortManifest::input("variable", Type::Text, "what the cases are compared with");
            let case = |&name| PortManifest::input(name, Type::Text, "a value of the variable");
            let ports: Vec<_> = std::iter::once(variable)
                .chain(CASES[..cases].iter().map(case))
                .map(PortManifest::optional)
                .collect();
            let manifest = NodeManifest::builtin(name, Kind::Switch, Class::Control, doc).with_ports(ports);
            NodeManifest { children: Children::Exactly(cases + 1), ..manifest }
        })
    }
}

impl Behavior for Switch {
    fn manifest() -> NodeManifest {
        Self::manifests().next().expect("there are five forms")
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        let chosen = choose(cx);
        let running = std::mem::take(&mut cx.state().child);
        let halt = match running {
            0 => Halt::Nothing,
            running if NodeId::new(running) == chosen => Halt::Nothing,
            running => Halt::One(NodeId::new(running)),
        };
        Ok(Step::new(halt, Then::visit(chosen)))
    }

    fn child_done(cx: &mut NodeContext<'_>, child: Child, status: Status) -> Result<Step, PortFault> {
        Ok(match status {
            Status::Running => {
                cx.state().child = child.id.get();
                Step::RUNNING
            }
            Status::Skipped => Step::answer(Status::Skipped),
            ended => Step::reset_and_answer(ended),
        })
    }
}

/// The child of the first case that the variable equals, else the last child.
fn choose(cx: &NodeContext<'_>) -> NodeId {
    let cases = cx.child_count() as usize - 1;
    let variable = cx.text(VARIABLE);
    let is_case = |case: usize| {
        let case = cx.text(VARIABLE + 1 + case);
        matches!((&variable, &case), (Some(variable), Some(case)) if are_equal(cx.tree, variable, case))
    };
    let place = (0..cases).find(|&case| is_case(case)).unwrap_or(cases);
    cx.tree.children(cx.id).nth(place).expect("a switch has a child for every case and one more")
}

/// Equal as text, else as integers, else as numbers; an enum name is its integer.
fn are_equal(tree: &Tree, one: &Arc<str>, other: &Arc<str>) -> bool {
    if one == other {
        return true;
    }
    let int = |text: &str| tree.enum_value(text).or_else(|| text.parse().ok());
    if let (Some(one), Some(other)) = (int(one), int(other)) {
        return one == other;
    }
    matches!((one.parse::<f64>(), other.parse::<f64>()), (Ok(one), Ok(other)) if (one - other).abs() < TOLERANCE)
}
