//! The root of another tree, in a scope of its own.

use crate::catalog::{Class, Kind, NodeManifest};
use crate::node::{Behavior, NodeContext, PortFault, Step};
use crate::status::Status;

/// Passes whatever the tree under it answers.
pub(crate) struct SubTree;

impl Behavior for SubTree {
    fn manifest() -> NodeManifest {
        NodeManifest::builtin(
            "SubTree",
            Kind::SubTree,
            Class::SubTree,
            "Runs another tree with keys of its own; attributes remap its keys.",
        )
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        Ok(cx.first_child().map_or(Step::answer(Status::Skipped), Step::visit))
    }
}
