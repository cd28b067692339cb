//! The engine: a deterministic machine. Inputs go in, each with its moment; commands and events
//! come out. It knows no clock, no I/O and no thread, so a run is exactly its list of inputs.
//!
//! ```text
//! handle(now, input) ─→ [ visit · guard · halt · settle ] ─→ poll_command() / poll_event()
//!                          over one Tree, one Board
//! ```
//!
//! Walking needs no stack: a node's parent and the end of its subtree are in the tree, so the
//! place of a tick in progress is one node and a direction. One visit is one step.

mod budget;
mod call;
mod failure;
mod guard;
mod halt;
mod input;
mod leaf;
mod machine;
mod run_state;
mod script;
mod settle;
mod test_node;
mod visit;
mod walk;
mod write;

pub(crate) use input::Told;
pub use input::{Command, Input};
pub use machine::{Engine, Snapshot, TickFault, Verdict};
pub(crate) use run_state::RunState;
pub use visit::At;
/// Why a tick could not be finished, small enough to be handed on in a register.
type Fault = Box<TickFault>;

use walk::{Here, Walk};
