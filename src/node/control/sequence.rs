//! Visits its children in order until one fails; succeeds when none did.

use crate::catalog::{Class, Kind, NodeManifest};
use crate::id::NodeId;
use crate::node::{Behavior, NodeContext, PortFault, Step};
use crate::status::Status;

/// Goes on from the child that was running; a skipped child is passed over.
pub(crate) struct Sequence;

impl Behavior for Sequence {
    fn manifest() -> NodeManifest {
        NodeManifest::builtin(
            "Sequence",
            Kind::Sequence,
            Class::Control,
            "Visits its children in order until one fails; succeeds when none did.",
        )
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        Ok(cx.current_child().map_or(Step::answer(Status::Skipped), Step::visit))
    }

    fn child_done(cx: &mut NodeContext<'_>, child: NodeId, status: Status) -> Result<Step, PortFault> {
        match status {
            Status::Running => {
                cx.state().child = child.get();
                return Ok(Step::RUNNING);
            }
            Status::Failure => return Ok(Step::reset_and_answer(Status::Failure)),
            Status::Skipped => {}
            Status::Success | Status::Idle => cx.state().count += 1,
        }
        Ok(match cx.next_child(child) {
            Some(next) => Step::visit(next),
            None if cx.state().count == 0 => Step::reset_and_answer(Status::Skipped),
            None => Step::reset_and_answer(Status::Success),
        })
    }
}
