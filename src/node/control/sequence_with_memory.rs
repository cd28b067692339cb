//! As AsyncSequence, but after a failure or a halt it goes on where it stopped.

use crate::catalog::{Class, Kind, NodeManifest};
use crate::node::control::InOrder;
use crate::status::Status;

/// Children that succeeded are not visited again until all of them did.
pub(crate) struct SequenceWithMemory;

impl InOrder for SequenceWithMemory {
    const PASSES: Status = Status::Success;
    const YIELDS: bool = true;
    const REMEMBERS: bool = true;

    fn manifest() -> NodeManifest {
        let doc = "As AsyncSequence, but after a failure or a halt it goes on where it stopped.";
        NodeManifest::builtin("SequenceWithMemory", Kind::SequenceWithMemory, Class::Control, doc)
    }
}
