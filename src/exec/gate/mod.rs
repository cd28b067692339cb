//! What may refuse a call before its tool runs. One file is one rule; all have one shape.

mod deadline;
mod entry;
mod refusal;
mod validation;
mod web;

pub(super) use entry::{Admitted, Entry, pass};
pub(super) use refusal::{Refusal, failure};

#[cfg(test)]
use entry::refusal_of;
