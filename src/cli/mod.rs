//! The `helve` binary: one file a command.
//!
//! Standard output carries what was asked for, standard error the faults and warnings. Output is
//! plain when it is not a terminal, and every command has `--json` for programs. Exit code 0 is
//! Success, 1 is Failure, 2 is bad input, 130 is a run that was interrupted.

mod args;
mod artifact;
mod artifact_folder;
mod artifact_part;
mod ask;
mod check;
mod completions;
mod conformance;
mod convert;
mod draw;
mod ends;
mod entry;
mod explain;
mod fmt;
mod gist;
mod input;
mod live;
mod load;
mod metrics;
mod nodes;
mod out;
mod permit;
mod picture;
mod plain;
mod replay;
mod rewrite;
mod run;
mod setting;
mod stage;
mod summary;
mod table;
mod toolbox;
mod tools;
mod undo;

pub use args::Cli;
pub use entry::main;
