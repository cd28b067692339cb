//! Nodes with any number of children.

mod fallback;
mod parallel;
mod reactive_fallback;
mod reactive_sequence;
mod sequence;

pub(crate) use fallback::Fallback;
pub(crate) use parallel::Parallel;
pub(crate) use reactive_fallback::ReactiveFallback;
pub(crate) use reactive_sequence::ReactiveSequence;
pub(crate) use sequence::Sequence;
