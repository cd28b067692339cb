//! As Fallback, but every tick begins with the first child.

use crate::catalog::{Class, Kind, NodeManifest};
use crate::node::control::reactive;
use crate::node::{Behavior, Child, NodeContext, PortFault, Step};
use crate::status::Status;

/// A child that is running halts all others, earlier and later ones.
pub(crate) struct ReactiveFallback;

impl Behavior for ReactiveFallback {
    fn manifest() -> NodeManifest {
        let doc = "As Fallback, but every tick begins with the first child.";
        NodeManifest::builtin("ReactiveFallback", Kind::ReactiveFallback, Class::Control, doc)
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        Ok(reactive::enter(cx))
    }

    #[inline(always)]
    fn child_done(cx: &mut NodeContext<'_>, child: Child, status: Status) -> Result<Step, PortFault> {
        Ok(reactive::child_done(cx, child, status, Status::Failure))
    }
}
