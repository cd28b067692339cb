//! Nodes with exactly one child.

mod budget;
mod delay;
mod force;
mod inverter;
mod keep_running;
mod loops;
mod precondition;
mod repeat;
mod retry;
mod rounds;
mod run_once;
mod subtree;
mod timeout;
mod updated;

pub(crate) use budget::Budget;
pub(crate) use delay::Delay;
pub(crate) use force::{ForceFailure, ForceSuccess};
pub(crate) use inverter::Inverter;
pub(crate) use keep_running::KeepRunningUntilFailure;
pub(crate) use loops::Loop;
pub(crate) use precondition::Precondition;
pub(crate) use repeat::Repeat;
pub(crate) use retry::RetryUntilSuccessful;
pub(crate) use run_once::RunOnce;
pub(crate) use subtree::SubTree;
pub(crate) use timeout::Timeout;
pub(crate) use updated::{SkipUnlessUpdated, WaitValueUpdate};
