//! Visits its children in order until one succeeds; fails when none did.

use crate::catalog::{Class, Kind, NodeManifest};
use crate::id::NodeId;
use crate::node::{Behavior, NodeContext, PortFault, Step};
use crate::status::Status;

/// Goes on from the child that was running; a skipped child is passed over.
pub(crate) struct Fallback;

impl Behavior for Fallback {
    fn manifest() -> NodeManifest {
        NodeManifest::builtin(
            "Fallback",
            Kind::Fallback,
            Class::Control,
            "Visits its children in order until one succeeds; fails when none did.",
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
            Status::Success => return Ok(Step::reset_and_answer(Status::Success)),
            Status::Skipped => {}
            Status::Failure | Status::Idle => cx.state().count += 1,
        }
        Ok(match cx.next_child(child) {
            Some(next) => Step::visit(next),
            None if cx.state().count == 0 => Step::reset_and_answer(Status::Skipped),
            None => Step::reset_and_answer(Status::Failure),
        })
    }
}
