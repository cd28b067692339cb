//! The bounded executor: a call ends by its deadline, leaves exactly one outcome, and does no harm
//! afterwards, whatever its tool does.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

mod arguments;
mod cancelling;
mod collaborators;
mod confirming;
mod deadlines;
mod late;
mod nesting;
mod outcomes;
mod outputs;
mod pen;
mod rig;
mod turns;
mod undoing;
