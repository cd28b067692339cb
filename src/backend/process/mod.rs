//! Any program as a tool, by a manifest file.
//!
//! ```text
//! *.toml | *.json --document--> nodes with places --manifest--> Spec --tool--> ProcessTool
//!                                                                                 | call
//!                     arguments -> stdin     harness::run (bounds, family, watchdog)
//!                     stdout -> protocol -> result | events     stderr -> log
//! ```
//!
//! | file | noun |
//! |---|---|
//! | `document/` | TOML or JSON text as nodes, each with its place |
//! | `manifest/` | nodes as a spec, or all of their faults |
//! | `load` | the manifests of a file or a folder |
//! | `tool` | the tool: one call from its arguments to its result |
//! | `talk` | the conversation with a running process |
//! | `protocol` | what a line or an output means |
//! | `proposal` | what files are to hold, shown beforehand and written by the host |
//! | `lines` | bytes as lines, under the caps |
//! | `failure` | every way in which a process fails, as an error with a next step |
//! | `secrets` | values that never leave |
#![doc = include_str!("../../docs/process_tools.md")]

mod document;
mod failure;
mod lines;
mod load;
mod log;
mod manifest;
mod proposal;
mod protocol;
mod secrets;
mod surroundings;
mod talk;
mod tool;

pub use load::load;
pub use manifest::{Output, Spec};
pub use surroundings::{Reports, Surroundings};
pub use tool::ProcessTool;
