//! Waits.

use crate::catalog::{Class, Kind, NodeManifest, PortManifest};
use crate::node::{Behavior, NodeContext, PortFault, Step};
use crate::status::Status;
use crate::value::Type;

/// Running until the time is over, then Success; a time of zero is Success at once.
pub(crate) struct Sleep;

const TIME: usize = 0;

impl Behavior for Sleep {
    fn manifest() -> NodeManifest {
        NodeManifest::builtin("Sleep", Kind::Sleep, Class::Action, "Waits, then succeeds.")
            .with_ports([PortManifest::input("msec", Type::Uint, "how long to wait, in milliseconds")])
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        let before = cx.status(cx.id);
        if before.is_completed() {
            // Not reset by its parent since: the answer stands.
            return Ok(Step::answer(before));
        }
        if !cx.state().started {
            let time = cx.millis(TIME)?;
            if time.is_zero() {
                return Ok(Step::answer(Status::Success));
            }
            let at = cx.now() + time;
            cx.state().started = true;
            cx.set_timer(at);
        }
        let waits = cx.is_waiting();
        Ok(if waits { Step::RUNNING } else { Step::answer(Status::Success) })
    }
}
