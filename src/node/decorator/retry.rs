//! Visits its child again until it succeeds, at most so many times.

use std::time::Duration;

use crate::catalog::{Class, Kind, NodeManifest, PortManifest};
use crate::node::decorator::rounds::{self, Next};
use crate::node::{Behavior, Child, NodeContext, PortFault, Step};
use crate::status::Status;
use crate::value::Type;

/// Succeeds with the first round that does, and fails when all have failed. With `_backoff_ms` it
/// waits between two rounds: so long after the first, and each time by `_backoff_factor` longer.
pub(crate) struct RetryUntilSuccessful;

const BACKOFF: usize = 1;
const FACTOR: usize = 2;
const LONGEST: usize = 3;

impl Behavior for RetryUntilSuccessful {
    fn manifest() -> NodeManifest {
        let doc = "Visits its child again until it succeeds, at most so many times.";
        NodeManifest::builtin("RetryUntilSuccessful", Kind::RetryUntilSuccessful, Class::Decorator, doc)
            .with_ports([
                PortManifest::input("num_attempts", Type::Int, "how many attempts; -1 is without end"),
                PortManifest::input(
                    "_backoff_ms",
                    Type::Uint,
                    "milliseconds between the first attempt and the second",
                )
                .or("0"),
                PortManifest::input(
                    "_backoff_factor",
                    Type::Real,
                    "by how much each wait is longer than the one before; at least 1",
                )
                .or("2.0"),
                PortManifest::input("_backoff_max_ms", Type::Uint, "the longest wait, in milliseconds")
                    .or("60000"),
            ])
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        if cx.is_waiting() {
            return Ok(Step::RUNNING);
        }
        Ok(rounds::enter(cx)?.unwrap_or_else(|| spent(cx)))
    }

    fn child_done(cx: &mut NodeContext<'_>, child: Child, status: Status) -> Result<Step, PortFault> {
        match rounds::after(cx, child.id, status, Status::Failure)? {
            Next::Answer(step) => Ok(step),
            Next::Spent => Ok(spent(cx)),
            Next::Round => match wait(cx)? {
                Duration::ZERO => Ok(rounds::again(cx, child.id)),
                wait => {
                    let at = cx.now() + wait;
                    cx.set_timer(at);
                    Ok(Step::RUNNING)
                }
            },
        }
    }
}

/// How long to wait before the next attempt.
fn wait(cx: &mut NodeContext<'_>) -> Result<Duration, PortFault> {
    let first = cx.millis(BACKOFF)?;
    if first.is_zero() {
        return Ok(first);
    }
    let (factor, longest) = (cx.real(FACTOR)?, cx.millis(LONGEST)?);
    if factor.is_nan() || factor < 1.0 {
        return Err(PortFault::new(cx.tree, cx.id, FACTOR, format!("{factor} is below 1")));
    }
    let rounds = i32::try_from(cx.state().count.saturating_sub(1)).unwrap_or(i32::MAX);
    let wait = first.as_secs_f64() * factor.powi(rounds);
    Ok(Duration::try_from_secs_f64(wait).map_or(longest, |wait| wait.min(longest)))
}

fn spent(cx: &mut NodeContext<'_>) -> Step {
    let attempts = cx.state().count;
    cx.because(|| format!("{attempts} of {attempts} attempts failed"));
    Step::answer(Status::Failure)
}
