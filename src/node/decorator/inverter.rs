//! Exchanges Success and Failure.

use crate::catalog::{Class, Kind, NodeManifest};
use crate::node::{Behavior, Child, NodeContext, PortFault, Step};
use crate::status::Status;

/// Running and Skipped pass.
pub(crate) struct Inverter;

impl Behavior for Inverter {
    fn manifest() -> NodeManifest {
        NodeManifest::builtin(
            "Inverter",
            Kind::Inverter,
            Class::Decorator,
            "Succeeds when its child fails, fails when its child succeeds.",
        )
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        Ok(cx.first_child().map_or(Step::answer(Status::Skipped), Step::visit))
    }

    fn child_done(cx: &mut NodeContext<'_>, _: Child, status: Status) -> Result<Step, PortFault> {
        Ok(Step::answer(match status {
            Status::Success => {
                cx.because(|| "its child succeeded".to_owned());
                Status::Failure
            }
            Status::Failure => Status::Success,
            other => other,
        }))
    }
}
