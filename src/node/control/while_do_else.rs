//! Visits its second child while the first succeeds, and its third while it fails.

use crate::catalog::{Children, Class, Kind, NodeManifest};
use crate::node::{Behavior, Child, Halt, NodeContext, PortFault, Step, Then};
use crate::status::Status;

/// The condition is asked on every tick; the branch that it did not choose is halted.
pub(crate) struct WhileDoElse;

impl Behavior for WhileDoElse {
    fn manifest() -> NodeManifest {
        let doc = "Visits its second child while the first succeeds, else its third, which may be missing.";
        let manifest = NodeManifest::builtin("WhileDoElse", Kind::WhileDoElse, Class::Control, doc);
        NodeManifest { children: Children::Between(2, 3), ..manifest }
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        Ok(cx.first_child().map_or(Step::answer(Status::Skipped), Step::visit))
    }

    fn child_done(cx: &mut NodeContext<'_>, child: Child, status: Status) -> Result<Step, PortFault> {
        if Some(child.id) != cx.first_child() {
            return Ok(match status {
                Status::Running => Step::RUNNING,
                ended => Step::reset_and_answer(ended),
            });
        }
        let Some(act) = cx.after(child) else { return Ok(Step::answer(status)) };
        let otherwise = cx.next_child(act);
        Ok(match (status, otherwise) {
            (Status::Success, Some(otherwise)) => Step::new(Halt::One(otherwise), Then::visit(act)),
            (Status::Success, None) => Step::visit(act),
            (Status::Failure, Some(otherwise)) => Step::new(Halt::One(act), Then::visit(otherwise)),
            (Status::Failure, None) => {
                cx.because(|| "its condition failed and there is no third child".to_owned());
                Step::reset_and_answer(Status::Failure)
            }
            (Status::Skipped, _) => {
                return Err(PortFault::of_node(cx.tree, cx.id, "its condition was skipped"));
            }
            (Status::Running | Status::Idle, _) => Step::RUNNING,
        })
    }
}
