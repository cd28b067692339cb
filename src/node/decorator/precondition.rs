//! Visits its child when a script says so.

use crate::catalog::{Class, Kind, NodeManifest, PortManifest};
use crate::node::{Behavior, Child, Halt, NodeContext, PortFault, Step, Then};
use crate::status::Status;
use crate::value::Type;

/// The script is asked before the child begins and not while it runs. The engine asks it: the
/// answer stands in the state's `count`, 1 for true and 2 for false.
pub(crate) struct Precondition;

const ELSE: usize = 1;

impl Behavior for Precondition {
    fn manifest() -> NodeManifest {
        let doc = "Visits its child when a script is true, else answers something else.";
        NodeManifest::builtin("Precondition", Kind::Precondition, Class::Decorator, doc).with_ports([
            PortManifest::input("if", Type::Text, "the condition").script(),
            PortManifest::input("else", Type::Status, "the answer when the condition is false").or("FAILURE"),
        ])
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        if cx.state().started || cx.state().count == 1 {
            cx.state().started = true;
            return Ok(cx.first_child().map_or(Step::answer(Status::Skipped), Step::visit));
        }
        cx.status_word(ELSE).map(Step::answer)
    }

    fn child_done(_: &mut NodeContext<'_>, _: Child, status: Status) -> Result<Step, PortFault> {
        // A skipped child has begun, as the reference has it: the script is not asked again.
        let then = if status == Status::Skipped { Then::keeping(status) } else { Then::answer(status) };
        Ok(Step::new(Halt::Nothing, then))
    }
}
