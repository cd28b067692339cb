//! Nodes as a spec, or all of their faults at once.

mod command;
mod fields;
mod read;
mod spec;

pub(super) use command::is_executable;
pub(super) use read::read;
pub use spec::{Output, Spec};
