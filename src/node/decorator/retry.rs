//! Visits its child again until it succeeds, at most so many times.

use crate::catalog::{Class, Kind, NodeManifest, PortManifest};
use crate::id::NodeId;
use crate::node::{Behavior, Halt, NodeContext, PortFault, Step, Then};
use crate::status::Status;
use crate::value::Type;

/// Answers Running between two rounds of a child that ended in one visit, and asks to be visited
/// again: so a round can be interrupted.
pub(crate) struct RetryUntilSuccessful;

const LIMIT: usize = 0;

impl Behavior for RetryUntilSuccessful {
    fn manifest() -> NodeManifest {
        NodeManifest::builtin(
            "RetryUntilSuccessful",
            Kind::RetryUntilSuccessful,
            Class::Decorator,
            "Visits its child again until it succeeds, at most so many times.",
        )
        .with_ports([PortManifest::input(
            "num_attempts",
            Type::Int,
            "how many attempts; -1 is without end",
        )])
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        match (goes_on(cx)?, cx.first_child()) {
            (true, Some(child)) => {
                cx.state().fresh = cx.status(child) == Status::Idle;
                Ok(Step::visit(child))
            }
            _ => Ok(spent(cx)),
        }
    }

    fn child_done(cx: &mut NodeContext<'_>, child: NodeId, status: Status) -> Result<Step, PortFault> {
        match status {
            Status::Failure => {}
            // A skip does not count, and the count goes on afterwards.
            Status::Skipped => {
                return Ok(Step { halt: Halt::One(child), then: Then::ReturnKeeping(status) });
            }
            other => return Ok(Step::answer(other)),
        }
        cx.state().count += 1;
        if !goes_on(cx)? {
            return Ok(spent(cx));
        }
        if cx.state().fresh {
            cx.wake();
            return Ok(Step::RUNNING);
        }
        cx.state().fresh = true;
        Ok(Step::visit(child))
    }
}

/// Whether another round is allowed; the limit is read anew each time, -1 is without end.
fn goes_on(cx: &mut NodeContext<'_>) -> Result<bool, PortFault> {
    let limit = cx.int(LIMIT)?;
    Ok(limit == -1 || i64::from(cx.state().count) < limit)
}

fn spent(cx: &mut NodeContext<'_>) -> Step {
    let attempts = cx.state().count;
    cx.because(|| format!("{attempts} of {attempts} attempts failed"));
    Step::answer(Status::Failure)
}
