//! The built-in tools, one folder a family.

pub mod code;
pub mod vault;
