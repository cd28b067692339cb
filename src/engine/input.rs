//! What goes into an engine, and what it asks for.

use std::sync::Arc;

use crate::call::Call;
use crate::id::CallId;
use crate::outcome::Outcome;
use crate::value::Value;

/// Something that happens to a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// Visit the root.
    Tick,
    /// A call left its outcome.
    Outcome(Arc<Outcome>),
    /// The moment is that of a timer; every timer that has fired by now is handled.
    Deadline,
    /// A key of the main tree is written from outside; `None` takes its value away.
    Write {
        /// The key.
        key: Arc<str>,
        /// The value.
        value: Option<Value>,
    },
    /// Halt the whole tree; the run ends when its calls are reaped.
    Halt,
}

/// Something that an engine asks of whoever drives it.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Start this call and bring its outcome.
    Start(Arc<Call>),
    /// Stop this call; it still leaves an outcome.
    Stop(CallId),
}
