//! The built-in tools, a folder a family.

pub mod vault;
//! The built-in tools, one folder a family.

pub mod code;
