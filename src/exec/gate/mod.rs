//! What may refuse a call before its tool runs. One file is one rule; all have one shape. Their
//! order, and why it is that, stands in `entry`.

mod admission;
mod blocked;
mod deadline;
mod duplicate;
mod entry;
mod looping;
mod permission;
mod pre_hook;
mod refusal;
mod validation;
mod web;

pub(super) use entry::{Admitted, Entry, pass};
pub(super) use refusal::{Refusal, failure};

#[cfg(test)]
mod rig;
#[cfg(test)]
use rig::{denied, refusal_of};
