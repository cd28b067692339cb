//! One pass over the compiled tree, all instances of all subtrees, that knows the types of keys.
//!
//! - `uses` lists what ports, inputs and scripts say of each slot;
//! - `unify` settles each slot's type and tells the uses that no type serves;
//! - `script` checks scripts and conditions with the types of their names;
//! - `given` tries what subtrees are given, and what their models say, on the ports inside;
//! - `place` finds the attribute behind a port, for messages.
//!
//! Slots are shared through remaps, `_autoremap` and `@`, so that a use is a use wherever it
//! stands. Nothing depends on the order of the document but which of two places is named first.

mod given;
mod place;
mod script;
mod unify;
mod uses;

pub(super) use unify::settle;
