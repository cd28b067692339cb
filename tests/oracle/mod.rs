//! Runs cases of the reference engine of the dialect and compares tick by tick.
//!
//! A case is a tree, `NNN-slug.xml`, and what the reference did with it, `NNN-slug.trace.jsonl`.
//! `tests/conformance.rs` runs the cases of this repository, `examples/conformance.rs` any folder.

pub mod case;
pub mod report;

mod directive;
mod due;
mod leaf;
mod run;
mod trace;
