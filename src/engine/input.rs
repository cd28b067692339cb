//! What goes into an engine, and what it asks for.

use std::slice;
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
    /// Several calls had left their outcomes when somebody looked. All are there before the next tick, so
    /// among them the order of the tree decides and not that in which they came: of two children of a
    /// `Race` the first that succeeded is the answer.
    Outcomes(Vec<Arc<Outcome>>),
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

impl Input {
    /// The outcomes that it brings.
    pub fn outcomes(&self) -> &[Arc<Outcome>] {
        match self {
            Self::Outcome(outcome) => slice::from_ref(outcome),
            Self::Outcomes(outcomes) => outcomes,
            Self::Tick | Self::Deadline | Self::Write { .. } | Self::Halt => &[],
        }
    }
}

/// Something that an engine asks of whoever drives it.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Start this call and bring its outcome.
    Start(Arc<Call>),
    /// Stop this call; it still leaves an outcome.
    Stop(CallId),
}

/// How much an engine tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Told {
    #[default]
    Nothing,
    /// Calls and failures: what a report is made of.
    Reported,
    /// Every event.
    All,
}
