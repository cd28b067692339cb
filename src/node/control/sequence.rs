//! Visits its children in order until one fails; succeeds when none did.

use crate::catalog::{Class, Kind, NodeManifest};
use crate::node::control::InOrder;
use crate::status::Status;

/// Goes on from the child that was running; a skipped child is passed over.
pub(crate) struct Sequence;

impl InOrder for Sequence {
    const PASSES: Status = Status::Success;

    fn manifest() -> NodeManifest {
        let doc = "Visits its children in order until one fails; succeeds when none did.";
        NodeManifest::builtin("Sequence", Kind::Sequence, Class::Control, doc)
    }
}
