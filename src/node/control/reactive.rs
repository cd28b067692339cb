//! What ReactiveSequence and ReactiveFallback share: every tick begins with the first child.

use crate::id::NodeId;
use crate::node::{Halt, NodeContext, Step, Then};
use crate::status::Status;

/// Begins with the first child.
pub(crate) fn enter(cx: &mut NodeContext<'_>) -> Step {
    cx.state().count = 0;
    cx.first_child().map_or(Step::answer(Status::Skipped), Step::visit)
}

/// Goes on while children end in `passes`. A child that is running halts all others, earlier and
/// later ones; a skipped one is reset and asked again at the next tick.
pub(crate) fn child_done(cx: &mut NodeContext<'_>, child: NodeId, status: Status, passes: Status) -> Step {
    let mut halt = Halt::Nothing;
    match status {
        Status::Running => return Step { halt: Halt::AllBut(child), then: Then::Return(Status::Running) },
        Status::Skipped => halt = Halt::One(child),
        passed if passed == passes => cx.state().count += 1,
        ended => return Step::reset_and_answer(ended),
    }
    match cx.next_child(child) {
        Some(next) => Step { halt, then: Then::Visit(next) },
        None if cx.state().count == 0 => Step::reset_and_answer(Status::Skipped),
        None => Step::reset_and_answer(passes),
    }
}
