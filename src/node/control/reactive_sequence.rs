//! As Sequence, but every tick begins with the first child.

use crate::catalog::{Class, Kind, NodeManifest};
use crate::id::NodeId;
use crate::node::{Behavior, Halt, NodeContext, PortFault, Step, Then};
use crate::status::Status;

/// Begins with the first child on every tick. A child that is running halts all others, earlier
/// and later ones.
pub(crate) struct ReactiveSequence;

impl Behavior for ReactiveSequence {
    fn manifest() -> NodeManifest {
        NodeManifest::builtin(
            "ReactiveSequence",
            Kind::ReactiveSequence,
            Class::Control,
            "As Sequence, but every tick begins with the first child.",
        )
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        cx.state().count = 0;
        Ok(cx.first_child().map_or(Step::answer(Status::Skipped), Step::visit))
    }

    fn child_done(cx: &mut NodeContext<'_>, child: NodeId, status: Status) -> Result<Step, PortFault> {
        let mut halt = Halt::Nothing;
        match status {
            Status::Running => {
                return Ok(Step { halt: Halt::AllBut(child), then: Then::Return(Status::Running) });
            }
            Status::Failure => return Ok(Step::reset_and_answer(Status::Failure)),
            Status::Skipped => halt = Halt::One(child),
            Status::Success | Status::Idle => cx.state().count += 1,
        }
        Ok(match cx.next_child(child) {
            Some(next) => Step { halt, then: Then::Visit(next) },
            None if cx.state().count == 0 => Step::reset_and_answer(Status::Skipped),
            None => Step::reset_and_answer(Status::Success),
        })
    }
}
