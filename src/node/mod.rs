//! The built-in nodes: one file each, a small state machine that is entered, told when a child is
//! done, and answers with a `Step`.
//!
//! What every node shares lives once, in `engine/`: conditions and scripts, statuses, halting,
//! events. A node never ticks its children; it names the one to visit next.
//!
#![doc = include_str!("../docs/extensions.md")]

mod context;
mod control;
mod decorator;
mod dispatch;
mod items;
mod kept;
mod leaf;
mod marks;
mod port;
mod state;
mod step;

pub(crate) use context::NodeContext;
pub(crate) use control::CATCH_ON_HALT;
pub use dispatch::catalog;
pub(crate) use dispatch::{begins_when_entered, child_done, enter, fired, halted};
pub(crate) use items::read_items;
pub(crate) use kept::{Items, Kept, SlotWrite, Spending};
pub(crate) use marks::Marks;
pub(crate) use port::{PortFault, convert_port, fitting, read_json, read_port};
pub(crate) use state::{NodeState, Timers};
pub(crate) use step::{Behavior, Child, Halt, Step, Then};
