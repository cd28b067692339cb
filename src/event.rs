//! What an engine tells whoever watches. Tenses tell the order: `Will` comes before the effect,
//! `Did` after it.

use std::sync::Arc;

use crate::call::Call;
use crate::id::{CallId, NodeId, SlotId};
use crate::moment::Moment;
use crate::outcome::Outcome;
use crate::status::Status;
use crate::value::Value;

/// One thing that happened in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Counts from 1 within the run, without gaps.
    pub seq: u64,
    /// The moment of the input that caused it.
    pub at: Moment,
    /// What happened.
    pub kind: EventKind,
}

/// The kinds of events.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// The root is about to be visited for the `tick`-th time.
    WillTick {
        /// Counts from 1.
        tick: u64,
    },
    /// The root answered.
    DidTick {
        /// Counts from 1.
        tick: u64,
        /// The root's answer.
        status: Status,
    },
    /// A node was visited and answered.
    DidVisit {
        /// The node.
        node: NodeId,
        /// Its answer. `Skipped` is answered and never stored.
        status: Status,
    },
    /// A node that was running was halted.
    DidHalt {
        /// The node.
        node: NodeId,
    },
    /// A call is about to be handed to the executor.
    WillCall {
        /// The leaf that asks.
        node: NodeId,
        /// The call.
        call: Arc<Call>,
    },
    /// A call is no longer wanted and is being stopped.
    WillStop {
        /// The leaf that asked.
        node: NodeId,
        /// The call.
        call: CallId,
    },
    /// A call that was being stopped has left its outcome; nothing was written for it.
    DidStop {
        /// The leaf that asked.
        node: NodeId,
        /// The call.
        call: CallId,
        /// What it left.
        outcome: Arc<Outcome>,
    },
    /// A call has left its outcome and the outcome was judged.
    DidCall {
        /// The leaf that asked.
        node: NodeId,
        /// The call.
        call: CallId,
        /// What it left.
        outcome: Arc<Outcome>,
        /// What the success predicate made of it.
        status: Status,
    },
    /// A key was written.
    DidWrite {
        /// The slot of the key.
        slot: SlotId,
        /// The slot's sequence number after the write.
        seq: u64,
        /// The value; `None` when the key was unset.
        value: Option<Value>,
        /// The node that wrote; `None` for a write from outside the tree.
        node: Option<NodeId>,
    },
    /// A leaf, a condition or a decorator failed for a reason that can be said in words.
    DidFail {
        /// The node that failed.
        node: NodeId,
        /// Why, in a sentence without a full stop.
        reason: Arc<str>,
    },
    /// A node could not do its work at all: the run ends here.
    DidError {
        /// The node.
        node: NodeId,
        /// Why, in a sentence without a full stop.
        message: Arc<str>,
    },
}
