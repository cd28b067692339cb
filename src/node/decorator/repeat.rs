//! Visits its child again while it succeeds, so many times.

use crate::catalog::{Class, Kind, NodeManifest, PortManifest};
use crate::id::NodeId;
use crate::node::{Behavior, Halt, NodeContext, PortFault, Step, Then};
use crate::status::Status;
use crate::value::Type;

/// Answers Running between two rounds of a child that ended in one visit, and asks to be visited
/// again: so a round can be interrupted.
pub(crate) struct Repeat;

const LIMIT: usize = 0;

impl Behavior for Repeat {
    fn manifest() -> NodeManifest {
        NodeManifest::builtin(
            "Repeat",
            Kind::Repeat,
            Class::Decorator,
            "Visits its child again while it succeeds, so many times.",
        )
        .with_ports([PortManifest::input(
            "num_cycles",
            Type::Int,
            "how many cycles; -1 is without end",
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
            Status::Success => {}
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

fn spent(_: &mut NodeContext<'_>) -> Step {
    Step::answer(Status::Success)
}
