//! Nodes with exactly one child.

mod delay;
mod force;
mod inverter;
mod repeat;
mod retry;
mod subtree;
mod timeout;

pub(crate) use delay::Delay;
pub(crate) use force::{ForceFailure, ForceSuccess};
pub(crate) use inverter::Inverter;
pub(crate) use repeat::Repeat;
pub(crate) use retry::RetryUntilSuccessful;
pub(crate) use subtree::SubTree;
pub(crate) use timeout::Timeout;
