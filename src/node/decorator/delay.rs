//! Visits its child after a time.

use crate::catalog::{Class, Kind, NodeManifest, PortManifest};
use crate::node::{Behavior, Child, Halt, NodeContext, PortFault, Step, Then};
use crate::status::Status;
use crate::value::Type;

/// The time begins with the first visit, and anew after the child ended. Even a delay of zero is
/// Running once, as in the reference.
pub(crate) struct Delay;

const DELAY: usize = 0;

impl Behavior for Delay {
    fn manifest() -> NodeManifest {
        NodeManifest::builtin("Delay", Kind::Delay, Class::Decorator, "Waits, then visits its child.")
            .with_ports([PortManifest::input("delay_msec", Type::Uint, "how long to wait, in milliseconds")])
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        if !cx.state().started {
            let at = cx.now() + cx.millis(DELAY)?;
            cx.state().started = true;
            cx.set_timer(at);
            return Ok(Step::RUNNING);
        }
        let waits = cx.is_waiting();
        Ok(match cx.first_child() {
            Some(child) if !waits => Step::visit(child),
            _ => Step::RUNNING,
        })
    }

    fn child_done(_: &mut NodeContext<'_>, _: Child, status: Status) -> Result<Step, PortFault> {
        // A skip keeps the time that has passed.
        let then = if status == Status::Skipped { Then::keeping(status) } else { Then::answer(status) };
        Ok(Step::new(Halt::Nothing, then))
    }
}
