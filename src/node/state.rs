//! What the engine remembers of a node between two visits.

use std::collections::{BTreeMap, BTreeSet};

use crate::id::NodeId;
use crate::moment::Moment;

/// The state of one node beside its status. One shape for all: a run is a flat table, and a snapshot is
/// a copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NodeState {
    /// Whether the node has begun what it does once: a timer, a first try.
    pub started: bool,
    /// Whether the child that is being visited was idle before.
    pub fresh: bool,
    /// Whether the visit at hand passes by the children to which nothing happened.
    pub sparse: bool,
    /// Whether the node's timer is set and has not fired.
    pub timed: bool,
    /// The child that is running or next; 0, which is never a child, for none.
    pub child: u32,
    /// Attempts, cycles, or successes.
    pub count: u32,
    /// Failures.
    pub failures: u32,
    /// Skipped children.
    pub skips: u32,
}

/// The timers that are set, earliest first. A node has at most one, so there are never more than
/// nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timers {
    set: BTreeSet<(Moment, NodeId)>,
    of: BTreeMap<NodeId, Moment>,
}

impl Timers {
    /// Sets the timer of a node, instead of the one it had.
    pub fn set(&mut self, at: Moment, node: NodeId) {
        self.clear(node);
        self.set.insert((at, node));
        self.of.insert(node, at);
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    pub fn clear(&mut self, node: NodeId) {
        if let Some(at) = self.of.remove(&node) {
            self.set.remove(&(at, node));
        }
    }

    pub fn next(&self) -> Option<Moment> {
        self.set.first().map(|&(at, _)| at)
    }

    /// Takes out the earliest timer that has fired by `now`.
    pub fn pop_fired(&mut self, now: Moment) -> Option<NodeId> {
        let &(_, node) = self.set.first().filter(|(at, _)| *at <= now)?;
        self.clear(node);
        Some(node)
    }
}
