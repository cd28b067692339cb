//! Nodes without children.

mod always;

pub(crate) use always::{AlwaysFailure, AlwaysSuccess};
