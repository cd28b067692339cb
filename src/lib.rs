//! Helve: a behavior-tree runtime whose leaves are tools.

pub mod call;
pub mod diag;
pub mod event;
pub mod harness;
pub mod id;
pub mod json_path;
pub mod limits;
pub mod manifest;
pub mod moment;
pub mod outcome;
pub mod status;
pub mod text;
pub mod tool;
pub mod tools;
pub mod value;
