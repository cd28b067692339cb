//! Nodes without children.

mod always;
mod script;
mod sleep;
mod test_node;
mod wait_for;
mod was_entry_updated;

pub(crate) use always::{AlwaysFailure, AlwaysSuccess};
pub(crate) use script::manifests;
pub(crate) use sleep::Sleep;
pub(crate) use test_node::TestNode;
pub(crate) use wait_for::WaitFor;
pub(crate) use was_entry_updated::WasEntryUpdated;
