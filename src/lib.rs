//! Helve: a behavior-tree runtime whose leaves are tools.

pub mod board;
pub mod call;
pub mod catalog;
pub mod convert;
pub mod diag;
pub mod engine;
pub mod event;
pub mod exec;
pub mod expr;
pub mod harness;
pub mod id;
pub mod json_path;
pub mod limits;
pub mod manifest;
pub mod moment;
pub mod node;
pub mod outcome;
pub mod run;
pub mod status;
pub mod text;
pub mod tool;
pub mod tools;
pub mod tree;
pub mod value;
pub mod xml;
