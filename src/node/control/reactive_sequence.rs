//! As Sequence, but every tick begins with the first child.

use crate::catalog::{Class, Kind, NodeManifest};
use crate::node::control::reactive;
use crate::node::{Behavior, Child, NodeContext, PortFault, Step};
use crate::status::Status;

/// A child that is running halts all others, earlier and later ones.
pub(crate) struct ReactiveSequence;

impl Behavior for ReactiveSequence {
    fn manifest() -> NodeManifest {
        let doc = "As Sequence, but every tick begins with the first child.";
        NodeManifest::builtin("ReactiveSequence", Kind::ReactiveSequence, Class::Control, doc)
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        Ok(reactive::enter(cx))
    }

    #[inline(always)]
    fn child_done(cx: &mut NodeContext<'_>, child: Child, status: Status) -> Result<Step, PortFault> {
        Ok(reactive::child_done(cx, child, status, Status::Success))
    }
}
