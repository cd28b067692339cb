//! A second reading of the dialect, to hold the engine against: recursive, slow, and written from the
//! words of the semantics without a look at the engine. It shares with the engine the XML reader and
//! the words [`Status`](helve::status::Status) and [`Value`](helve::value::Value), and nothing else:
//! its own tree, its own board, its own expressions.
//!
//! It does not check: a tree that should not have loaded is run all the same.

mod ast;
mod board;
mod build;
mod case;
mod control;
mod decorator;
mod expr;
mod leaf;
mod number;
mod port;
mod visit;
mod words;
mod world;

pub use case::{ENDLESS, run};
pub use words::DIALECT;

/// Why a tick could not be finished. Only that there is one is ever compared.
pub type Fault = String;
