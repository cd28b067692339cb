//! Leaves with one answer.

use crate::catalog::{Class, Kind, NodeManifest};
use crate::node::{Behavior, NodeContext, PortFault, Step};
use crate::status::Status;

/// Always Success.
pub(crate) struct AlwaysSuccess;

/// Always Failure.
pub(crate) struct AlwaysFailure;

impl Behavior for AlwaysSuccess {
    fn manifest() -> NodeManifest {
        NodeManifest::builtin("AlwaysSuccess", Kind::AlwaysSuccess, Class::Action, "Succeeds.")
    }

    fn enter(_: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        Ok(Step::answer(Status::Success))
    }
}

impl Behavior for AlwaysFailure {
    fn manifest() -> NodeManifest {
        NodeManifest::builtin("AlwaysFailure", Kind::AlwaysFailure, Class::Action, "Fails.")
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        cx.because(|| "it always fails".to_owned());
        Ok(Step::answer(Status::Failure))
    }
}
