//! The built-in tools, a folder a family.

pub mod vault;
