//! What the engine remembers of a node between two visits.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::id::{IdMap, NodeId};
use crate::limits::TIMERS_CLEARED_MIN;
use crate::moment::Moment;

/// The state of one node beside its status. One shape for all: a run is a flat table, and a snapshot is
/// a copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NodeState {
    /// Whether the node has begun what it does once: a timer, a first try.
    pub started: bool,
    /// Whether the child that is being visited was idle before, or what was counted is new.
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

/// The timers that are set, earliest first, and at one moment in the order of the tree. A node has at
/// most one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timers {
    /// The first one is set. Others that were cleared stay until they are the first, or too many.
    queue: BinaryHeap<Reverse<(Moment, NodeId)>>,
    set: IdMap<NodeId, Moment>,
}

impl Timers {
    /// Sets the timer of a node, instead of the one it had.
    pub fn set(&mut self, at: Moment, node: NodeId) {
        self.set.insert(node, at);
        self.queue.push(Reverse((at, node)));
        self.tidy();
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    pub fn clear(&mut self, node: NodeId) {
        self.set.remove(&node);
        self.tidy();
    }

    pub fn next(&self) -> Option<Moment> {
        self.queue.peek().map(|&Reverse((at, _))| at)
    }

    /// Takes out the earliest timer that has fired by `now`.
    pub fn pop_fired(&mut self, now: Moment) -> Option<NodeId> {
        self.next().filter(|&at| at <= now)?;
        let Reverse((_, node)) = self.queue.pop()?;
        self.clear(node);
        Some(node)
    }

    fn tidy(&mut self) {
        while let Some(Reverse((at, node))) = self.queue.peek()
            && self.set.get(node) != Some(at)
        {
            self.queue.pop();
        }
        if self.queue.len() > 2 * self.set.len() + TIMERS_CLEARED_MIN {
            self.queue = self.set.iter().map(|(&node, &at)| Reverse((at, node))).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against a list that is searched.
        #[test]
        fn timers_fire_in_their_order_and_only_when_they_are_set(
            deeds in prop::collection::vec((0..3_u8, 0..9_u32, 0..9_u64), 0..400)
        ) {
            let (mut timers, mut list) = (Timers::default(), BTreeMap::new());
            for (deed, node, at) in deeds {
                let (node, at) = (NodeId::new(node), Moment::from_millis(at));
                match deed {
                    0 => {
                        timers.set(at, node);
                        list.insert(node, at);
                    }
                    1 => {
                        timers.clear(node);
                        list.remove(&node);
                    }
                    _ => {
                        let first = list.iter().map(|(&node, &at)| (at, node)).min();
                        prop_assert_eq!(timers.next(), first.map(|(at, _)| at));
                        let fired = first.filter(|(first, _)| *first <= at).map(|(_, node)| node);
                        prop_assert_eq!(timers.pop_fired(at), fired);
                        fired.map(|node| list.remove(&node));
                    }
                }
                prop_assert_eq!(timers.is_empty(), list.is_empty());
                prop_assert!(timers.queue.len() <= 2 * list.len() + TIMERS_CLEARED_MIN);
            }
        }
    }
}
