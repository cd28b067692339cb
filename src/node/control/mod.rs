//! Nodes with any number of children.

mod async_fallback;
mod async_sequence;
mod catch;
mod fallback;
mod for_each;
mod if_then_else;
mod in_order;
mod parallel;
mod parallel_all;
mod race;
mod reactive;
mod reactive_fallback;
mod reactive_sequence;
mod sequence;
mod sequence_with_memory;
mod switch;
mod try_catch;
mod while_do_else;

pub(crate) use async_fallback::AsyncFallback;
pub(crate) use async_sequence::AsyncSequence;
pub(crate) use catch::Catch;
pub(crate) use fallback::Fallback;
pub(crate) use for_each::ForEach;
pub(crate) use if_then_else::IfThenElse;
pub(crate) use in_order::InOrder;
pub(crate) use parallel::Parallel;
pub(crate) use parallel_all::ParallelAll;
pub(crate) use race::Race;
pub(crate) use reactive_fallback::ReactiveFallback;
pub(crate) use reactive_sequence::ReactiveSequence;
pub(crate) use sequence::Sequence;
pub(crate) use sequence_with_memory::SequenceWithMemory;
pub(crate) use switch::Switch;
pub(crate) use try_catch::{CATCH_ON_HALT, TryCatch};
pub(crate) use while_do_else::WhileDoElse;
