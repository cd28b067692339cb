//! What Repeat and RetryUntilSuccessful share: rounds of one child, counted against a limit.

use crate::id::NodeId;
use crate::node::{Halt, NodeContext, PortFault, Step, Then};
use crate::status::Status;

/// The port with the limit.
const LIMIT: usize = 0;

/// What follows the end of a round.
pub(super) enum Next {
    /// This answer; it was no end of a round.
    Answer(Step),
    /// The limit is reached.
    Spent,
    /// Another round.
    Round,
}

/// Begins or goes on with a round; `None` when the limit is reached.
pub(super) fn enter(cx: &mut NodeContext<'_>) -> Result<Option<Step>, PortFault> {
    let (true, Some(child)) = (goes_on(cx)?, cx.first_child()) else { return Ok(None) };
    cx.state().fresh = cx.status(child) == Status::Idle;
    Ok(Some(Step::visit(child)))
}

/// Counts a round that ended in `again`; any other verdict is the node's own.
pub(super) fn after(
    cx: &mut NodeContext<'_>,
    child: NodeId,
    status: Status,
    again: Status,
) -> Result<Next, PortFault> {
    if status == Status::Skipped {
        // A skip does not count, and the count goes on afterwards.
        return Ok(Next::Answer(Step::new(Halt::One(child), Then::keeping(status))));
    }
    if status != again {
        return Ok(Next::Answer(Step::answer(status)));
    }
    cx.state().count += 1;
    Ok(if goes_on(cx)? { Next::Round } else { Next::Spent })
}

/// Begins the next round. After a round that ended in one visit the answer is Running, and another
/// visit is asked for: so rounds can be interrupted.
pub(super) fn again(cx: &mut NodeContext<'_>, child: NodeId) -> Step {
    if cx.state().fresh {
        cx.wake();
        return Step::RUNNING;
    }
    cx.state().fresh = true;
    Step::visit(child)
}

/// Whether another round is allowed; the limit is read anew each time, -1 is without end.
fn goes_on(cx: &mut NodeContext<'_>) -> Result<bool, PortFault> {
    let limit = cx.int(LIMIT)?;
    Ok(limit == -1 || i64::from(cx.state().count) < limit)
}
