//! Halts its child after a time, and fails.

use crate::catalog::{Class, Kind, NodeManifest, PortManifest};
use crate::node::{Behavior, Child, Halt, NodeContext, PortFault, Step};
use crate::status::Status;
use crate::value::Type;

/// The child is halted the moment the time is over, between two ticks; Failure is answered at the
/// tick that follows. Zero is without end.
pub(crate) struct Timeout;

const LIMIT: usize = 0;

impl Behavior for Timeout {
    fn manifest() -> NodeManifest {
        NodeManifest::builtin(
            "Timeout",
            Kind::Timeout,
            Class::Decorator,
            "Halts its child and fails when it takes too long.",
        )
        .with_ports([PortManifest::input(
            "msec",
            Type::Uint,
            "the limit in milliseconds; 0 is without end",
        )])
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        if !cx.state().started {
            let limit = cx.millis(LIMIT)?;
            cx.state().started = true;
            if !limit.is_zero() {
                let at = cx.now() + limit;
                cx.set_timer(at);
            }
        }
        // `count` is the mark that the time is over.
        if cx.state().count > 0 {
            let limit = cx.millis(LIMIT)?;
            cx.because(|| format!("its child did not end within {} ms", limit.as_millis()));
            return Ok(Step::answer(Status::Failure));
        }
        Ok(cx.first_child().map_or(Step::answer(Status::Skipped), Step::visit))
    }

    fn child_done(_: &mut NodeContext<'_>, _: Child, status: Status) -> Result<Step, PortFault> {
        Ok(Step::answer(status))
    }

    fn fired(cx: &mut NodeContext<'_>) -> Halt {
        match cx.first_child() {
            Some(child) if cx.status(child) == Status::Running => {
                cx.state().count = 1;
                Halt::One(child)
            }
            _ => Halt::Nothing,
        }
    }
}
