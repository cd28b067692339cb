//! As Fallback, but can be interrupted between two children that end at once.

use crate::catalog::{Class, Kind, NodeManifest};
use crate::node::control::InOrder;
use crate::status::Status;

/// A tick ends after a child that failed in one visit; the next tick goes on.
pub(crate) struct AsyncFallback;

impl InOrder for AsyncFallback {
    const PASSES: Status = Status::Failure;
    const YIELDS: bool = true;

    fn manifest() -> NodeManifest {
        let doc = "As Fallback, but can be interrupted between two children that end at once.";
        NodeManifest::builtin("AsyncFallback", Kind::AsyncFallback, Class::Control, doc)
    }
}
