//! Nodes without children.

mod always;
mod sleep;

pub(crate) use always::{AlwaysFailure, AlwaysSuccess};
pub(crate) use sleep::Sleep;
