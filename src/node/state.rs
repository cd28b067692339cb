//! What the engine remembers of a node between two visits.

use std::collections::BTreeSet;

use crate::id::NodeId;
use crate::moment::Moment;
use crate::status::Status;

/// The state of one node. One shape for all: a run is a flat table, and a snapshot is a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeState {
    /// Written by `engine/visit.rs` alone.
    pub status: Status,
    /// Whether the node has begun what it does once: a timer, a first try.
    pub started: bool,
    /// Whether the child that is being visited was idle before.
    pub fresh: bool,
    /// Whether the visit at hand passes by the children to which nothing happened.
    pub sparse: bool,
    /// The child that is running or next; 0, which is never a child, for none.
    pub child: u32,
    /// Attempts, cycles, or successes.
    pub count: u32,
    /// Failures.
    pub failures: u32,
    /// Skipped children.
    pub skips: u32,
    /// When the node's timer fires; [`NodeState::NEVER`] when none is set.
    pub until: Moment,
}

impl NodeState {
    /// No timer is set.
    pub const NEVER: Moment = Moment::from_nanos(u64::MAX);
}

impl Default for NodeState {
    fn default() -> Self {
        Self {
            status: Status::Idle,
            started: false,
            fresh: false,
            sparse: false,
            child: 0,
            count: 0,
            failures: 0,
            skips: 0,
            until: Self::NEVER,
        }
    }
}

/// The timers that are set, earliest first. A node has at most one, so there are never more than
/// nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timers {
    set: BTreeSet<(Moment, NodeId)>,
}

impl Timers {
    pub fn set(&mut self, at: Moment, node: NodeId) {
        self.set.insert((at, node));
    }

    pub fn clear(&mut self, at: Moment, node: NodeId) {
        self.set.remove(&(at, node));
    }

    pub fn next(&self) -> Option<Moment> {
        self.set.first().map(|&(at, _)| at)
    }

    /// Takes out the earliest timer that has fired by `now`.
    pub fn pop_fired(&mut self, now: Moment) -> Option<(Moment, NodeId)> {
        let &first = self.set.first().filter(|(at, _)| *at <= now)?;
        self.set.remove(&first);
        Some(first)
    }
}
