//! Runs until its child fails.

use crate::catalog::{Class, Kind, NodeManifest};
use crate::node::{Behavior, Child, NodeContext, PortFault, Step};
use crate::status::Status;

/// A child that succeeded is visited again at the next tick; so is one that was skipped.
pub(crate) struct KeepRunningUntilFailure;

impl Behavior for KeepRunningUntilFailure {
    fn manifest() -> NodeManifest {
        let doc = "Visits its child again and again; fails when the child fails.";
        NodeManifest::builtin("KeepRunningUntilFailure", Kind::KeepRunningUntilFailure, Class::Decorator, doc)
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        Ok(cx.first_child().map_or(Step::answer(Status::Skipped), Step::visit))
    }

    fn child_done(cx: &mut NodeContext<'_>, _: Child, status: Status) -> Result<Step, PortFault> {
        match status {
            Status::Failure | Status::Running => Ok(Step::answer(status)),
            // Nothing else would bring the next tick.
            Status::Success | Status::Skipped | Status::Idle => {
                cx.pulse();
                Ok(Step::RUNNING)
            }
        }
    }
}
