//! Where every call leaves one entry.

use crate::call::Call;
use crate::moment::Moment;
use crate::outcome::Outcome;
use crate::tool::CallScope;

/// Hears of every call that left an outcome, while its turn accepts writes. Must not block: the
/// end of the turn waits for it.
pub trait EventLog: Send + Sync + 'static {
    /// One call and its outcome.
    fn log(&self, entry: &CallEntry<'_>);
}

/// One call and its outcome.
#[derive(Clone, Copy, Debug)]
pub struct CallEntry<'a> {
    /// The call.
    pub call: &'a Call,
    /// On whose behalf it was made.
    pub scope: &'a CallScope,
    /// When it was asked for.
    pub at: Moment,
    /// What it left.
    pub outcome: &'a Outcome,
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEventLog;

impl EventLog for NoEventLog {
    fn log(&self, _: &CallEntry<'_>) {}
}
