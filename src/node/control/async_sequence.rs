//! As Sequence, but can be interrupted between two children that end at once.

use crate::catalog::{Class, Kind, NodeManifest};
use crate::node::control::InOrder;
use crate::status::Status;

/// A tick ends after a child that succeeded in one visit; the next tick goes on.
pub(crate) struct AsyncSequence;

impl InOrder for AsyncSequence {
    const PASSES: Status = Status::Success;
    const YIELDS: bool = true;

    fn manifest() -> NodeManifest {
        let doc = "As Sequence, but can be interrupted between two children that end at once.";
        NodeManifest::builtin("AsyncSequence", Kind::AsyncSequence, Class::Control, doc)
    }
}
