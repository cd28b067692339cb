//! An engine in a rig: inputs in as words, everything that comes out as lines.

pub mod script;
pub mod trees;

mod machine;
mod tools;
mod words;

pub use machine::{Mode, Rig};
pub use tools::load;
