//! Rules of permissions from a file: what is denied, asked for and allowed, by the globs of tools and
//! arguments. `deny` goes before `ask` and `ask` before `allow`, whatever their order in the file.
//!
//! | file | noun |
//! |---|---|
//! | `policy` | the rules, and what they say of a call |
//! | `rule` | one rule |
//! | `files` | the files that a call would write, as rules name them |
//! | `read` | a file as a policy, or all of its faults |
#![doc = include_str!("../../docs/permissions.md")]

mod files;
#[expect(clippy::module_inception, reason = "the folder is about this one noun")]
mod policy;
mod read;
mod rule;

pub use policy::{Policy, Word};
