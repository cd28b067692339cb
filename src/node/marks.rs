//! Which nodes a tick must visit, because something happened to them.

use crate::id::NodeId;
use crate::node::node_set::NodeSet;

/// The nodes to which something happened since they were visited last: a timer fired, an outcome came, a
/// key was written that they read. A tick passes by whatever is running and unmarked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    marked: NodeSet,
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
        !self.marked.is_empty() && self.marked.remove(node)
    }

    /// The first marked node from `from` on and before `end`.
    #[inline]
    pub fn first_in(&self, from: NodeId, end: NodeId) -> Option<NodeId> {
        if self.marked.is_empty() {
            return None;
        }
        self.marked.first_from(from).filter(|&first| first < end)
    }

    pub fn begin_tick(&mut self) {
        self.in_tick = true;
        self.fresh.clear();
        self.next.drain(..).for_each(|node| self.marked.insert(node));
    }

    /// Forgets the marks that the tick had no use for: their nodes are in no part of the tree that is
    /// running. Answers whether others came up behind it.
    pub fn end_tick(&mut self) -> bool {
        self.in_tick = false;
        if self.marked.is_empty() {
            return false;
        }
        self.fresh.retain(|&node| self.marked.contains(node));
        self.marked.clear();
        self.fresh.drain(..).for_each(|node| self.marked.insert(node));
        !self.marked.is_empty()
    }
}
