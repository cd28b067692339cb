//! Gives one verdict whatever the child's is.

use crate::catalog::{Class, Kind, NodeManifest};
use crate::node::{Behavior, Child, NodeContext, PortFault, Step};
use crate::status::Status;

/// Running and Skipped pass.
pub(crate) struct ForceSuccess;

/// Running and Skipped pass.
pub(crate) struct ForceFailure;

impl Behavior for ForceSuccess {
    fn manifest() -> NodeManifest {
        NodeManifest::builtin(
            "ForceSuccess",
            Kind::ForceSuccess,
            Class::Decorator,
            "Succeeds when its child ends, however it ends.",
        )
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        Ok(cx.first_child().map_or(Step::answer(Status::Skipped), Step::visit))
    }

    fn child_done(_: &mut NodeContext<'_>, _: Child, status: Status) -> Result<Step, PortFault> {
        Ok(Step::answer(if status.is_completed() { Status::Success } else { status }))
    }
}

impl Behavior for ForceFailure {
    fn manifest() -> NodeManifest {
        NodeManifest::builtin(
            "ForceFailure",
            Kind::ForceFailure,
            Class::Decorator,
            "Fails when its child ends, however it ends.",
        )
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        ForceSuccess::enter(cx)
    }

    fn child_done(cx: &mut NodeContext<'_>, _: Child, status: Status) -> Result<Step, PortFault> {
        if status == Status::Success {
            cx.because(|| "failure is forced".to_owned());
        }
        Ok(Step::answer(if status.is_completed() { Status::Failure } else { status }))
    }
}
