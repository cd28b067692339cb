//! Which nodes a tick must visit, because something happened to them.

use std::collections::BTreeSet;

use crate::id::NodeId;

/// The nodes to which something happened since they were visited last: a timer fired, an outcome came, a
/// key was written that they read. A tick passes by whatever is running and unmarked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    marked: BTreeSet<NodeId>,
    /// Those that were marked while the tick in progress is under way.
    fresh: Vec<NodeId>,
    /// Those that want to be visited at the next tick, whatever brings it.
    next: Vec<NodeId>,
    in_tick: bool,
    /// Whether ticks visit everything all the same.
    pub thorough: bool,
}

impl Marks {
    pub fn mark(&mut self, node: NodeId) {
        self.marked.insert(node);
        if self.in_tick {
            self.fresh.push(node);
        }
    }

    pub fn mark_at_next_tick(&mut self, node: NodeId) {
        self.next.push(node);
    }

    /// A node is visited; answers whether it was marked.
    #[inline(always)]
    pub fn take(&mut self, node: NodeId) -> bool {
        !self.marked.is_empty() && self.marked.remove(&node)
    }

    /// The first marked node from `from` on and before `end`.
    #[inline]
    pub fn first_in(&self, from: NodeId, end: NodeId) -> Option<NodeId> {
        if self.marked.is_empty() {
            return None;
        }
        self.marked.range(from..end).next().copied()
    }

    pub fn begin_tick(&mut self) {
        self.in_tick = true;
        self.fresh.clear();
        self.marked.extend(self.next.drain(..));
    }

    /// Forgets the marks that the tick had no use for: their nodes are in no part of the tree that is
    /// running. Answers whether others came up behind it.
    pub fn end_tick(&mut self) -> bool {
        self.in_tick = false;
        if self.marked.is_empty() {
            return false;
        }
        let fresh = std::mem::take(&mut self.fresh);
        let kept: Vec<_> = fresh.into_iter().filter(|node| self.marked.contains(node)).collect();
        self.marked.clear();
        self.marked.extend(kept);
        !self.marked.is_empty()
    }
}
