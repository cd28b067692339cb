//! Visits its children in order until one succeeds; fails when none did.

use crate::catalog::{Class, Kind, NodeManifest};
use crate::node::control::InOrder;
use crate::status::Status;

/// Goes on from the child that was running; a skipped child is passed over.
pub(crate) struct Fallback;

impl InOrder for Fallback {
    const PASSES: Status = Status::Failure;

    fn manifest() -> NodeManifest {
        let doc = "Visits its children in order until one succeeds; fails when none did.";
        NodeManifest::builtin("Fallback", Kind::Fallback, Class::Control, doc)
    }
}
