//! What a run has come to, whole.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;

use crate::board::Board;
use crate::call::Call;
use crate::engine::{Engine, Verdict};
use crate::event::{Event, EventKind};
use crate::id::{NodeId, ScopeId};
use crate::moment::Moment;
use crate::outcome::Outcome;
use crate::status::Status;
use crate::tree::Tree;
use crate::value::Value;

/// The end of a run.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// What it came to.
    pub verdict: Verdict,
    /// The tree that ran.
    pub tree: Arc<Tree>,
    /// The blackboard at the end.
    pub board: Board,
    /// How many times the root was visited.
    pub ticks: u64,
    /// How long it took.
    pub elapsed: Duration,
    /// Every call with its outcome, in the order of their starts.
    pub calls: Vec<CallRecord>,
    /// Every failure that has a reason in words, in order.
    pub failures: Vec<Failed>,
}

/// One call of a run.
#[derive(Clone, Debug)]
pub struct CallRecord {
    /// The leaf that asked.
    pub node: NodeId,
    /// The call.
    pub call: Arc<Call>,
    /// When it was started.
    pub started: Moment,
    /// When its outcome was taken.
    pub ended: Option<Moment>,
    /// What it left.
    pub outcome: Option<Arc<Outcome>>,
    /// What its success predicate made of it; `None` when nobody wanted it any more.
    pub status: Option<Status>,
}

/// One failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The node.
    pub node: NodeId,
    /// When.
    pub at: Moment,
    /// Why, in a sentence without a full stop.
    pub reason: Arc<str>,
}

impl RunReport {
    /// Whether the root succeeded.
    pub fn is_success(&self) -> bool {
        self.verdict == Verdict::Status(Status::Success)
    }

    /// The value of a key of the main tree.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.board.find(ScopeId::new(0), key).and_then(|slot| self.board.get(slot))
    }

    /// The value of a key of the main tree as a Rust type.
    ///
    /// # Errors
    /// When the key has no value, or one that is no `T`.
    pub fn output<T: DeserializeOwned>(&self, key: &str) -> Result<T, OutputError> {
        let value = self.value(key).ok_or_else(|| OutputError { key: key.to_owned(), why: None })?;
        serde_json::from_value(value.to_json())
            .map_err(|fault| OutputError { key: key.to_owned(), why: Some(fault.to_string()) })
    }
}

/// Why an output could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputError {
    key: String,
    why: Option<String>,
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.why {
            Some(why) => write!(f, "the key `{}` does not have the type asked for: {why}", self.key),
            None => write!(f, "the key `{}` has no value", self.key),
        }
    }
}

impl std::error::Error for OutputError {}

/// Collects what a report tells, event by event.
#[derive(Debug, Default)]
pub(super) struct Collector {
    calls: Vec<CallRecord>,
    failures: Vec<Failed>,
}

impl Collector {
    pub fn take(&mut self, event: &Event) {
        match &event.kind {
            EventKind::WillCall { node, call } => self.calls.push(CallRecord {
                node: *node,
                call: call.clone(),
                started: event.at,
                ended: None,
                outcome: None,
                status: None,
            }),
            EventKind::DidCall { outcome, status, .. } => self.end(event.at, outcome, Some(*status)),
            EventKind::DidStop { outcome, .. } => self.end(event.at, outcome, None),
            EventKind::DidFail { node, reason } => {
                self.failures.push(Failed { node: *node, at: event.at, reason: reason.clone() });
            }
            _ => {}
        }
    }

    fn end(&mut self, at: Moment, outcome: &Arc<Outcome>, status: Option<Status>) {
        // Calls are numbered from 1 in the order of their starts.
        let place = usize::try_from(outcome.call_id().0).unwrap_or(usize::MAX).wrapping_sub(1);
        if let Some(record) = self.calls.get_mut(place) {
            record.ended = Some(at);
            record.outcome = Some(outcome.clone());
            record.status = status;
        }
    }

    pub fn report(self, engine: &Engine, elapsed: Duration) -> RunReport {
        RunReport {
            verdict: engine.verdict().cloned().unwrap_or(Verdict::Halted),
            tree: engine.tree().clone(),
            board: engine.board().clone(),
            ticks: engine.ticks(),
            elapsed,
            calls: self.calls,
            failures: self.failures,
        }
    }
}
