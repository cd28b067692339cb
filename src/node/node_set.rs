//! A set of nodes, for whoever asks for the first one from a place on.

use crate::id::NodeId;

/// Bits in words, and above each level one with a bit for each word that is not empty: what is asked or
/// changed costs a few steps, however large the tree and however full the set. A tree of ordered nodes
/// takes ten times as many.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeSet {
    /// The nodes themselves, then the words of the level before. Of the last, which has sixteen words for the
    /// largest tree, the words are gone through.
    levels: [Vec<u64>; LEVELS],
    len: usize,
}

const LEVELS: usize = 3;

/// The word of a place, and its bit there.
const fn split(place: usize) -> (usize, u64) {
    (place / 64, 1 << (place % 64))
}

impl NodeSet {
    #[inline(always)]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn insert(&mut self, node: NodeId) {
        if self.contains(node) {
            return;
        }
        self.len += 1;
        let mut place = node.index();
        for level in &mut self.levels {
            let (word, bit) = split(place);
            if level.len() <= word {
                level.resize(word + 1, 0);
            }
            level[word] |= bit;
            place = word;
        }
    }

    pub fn contains(&self, node: NodeId) -> bool {
        let (word, bit) = split(node.index());
        self.levels[0].get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// Answers whether it was there.
    pub fn remove(&mut self, node: NodeId) -> bool {
        let was_there = self.contains(node);
        if was_there {
            self.len -= 1;
            let mut place = node.index();
            for level in &mut self.levels {
                let (word, bit) = split(place);
                level[word] &= !bit;
                if level[word] != 0 {
                    break;
                }
                place = word;
            }
        }
        was_there
    }

    /// The first node that is there, from this one on.
    pub fn first_from(&self, node: NodeId) -> Option<NodeId> {
        let mut place = node.index();
        for (height, level) in self.levels.iter().enumerate() {
            let (word, bit) = split(place);
            let bits = level.get(word)? & bit.wrapping_neg();
            if bits != 0 {
                return Some(self.first_below(height, word, bits));
            }
            place = word + 1;
        }
        let last = LEVELS - 1;
        let words = self.levels[last].iter().enumerate().skip(place);
        let (word, &bits) = words.into_iter().find(|(_, bits)| **bits != 0)?;
        Some(self.first_below(last, word, bits))
    }

    /// The first node below the first of these bits of a word.
    fn first_below(&self, height: usize, word: usize, bits: u64) -> NodeId {
        let place = |word: usize, bits: u64| word * 64 + bits.trailing_zeros() as usize;
        let lower = self.levels[..height].iter().rev();
        let first = lower.fold(place(word, bits), |word, level| place(word, level[word]));
        NodeId::new(first as u32)
    }

    pub fn clear(&mut self) {
        while let Some(node) = self.first_from(NodeId::new(0)).filter(|_| !self.is_empty()) {
            self.remove(node);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Near one another, and far apart.
    fn any_node() -> impl Strategy<Value = NodeId> {
        prop_oneof![0..200_u32, 0..70_000_u32, 0..4_000_000_u32].prop_map(NodeId::new)
    }

    proptest! {
        #[test]
        fn it_is_what_an_ordered_set_is(deeds in prop::collection::vec((0..5_u8, any_node()), 0..200)) {
            let (mut set, mut ordered) = (NodeSet::default(), BTreeSet::new());
            for (deed, node) in deeds {
                match deed {
                    0 | 1 => {
                        set.insert(node);
                        ordered.insert(node);
                    }
                    2 => prop_assert_eq!(set.remove(node), ordered.remove(&node)),
                    3 => prop_assert_eq!(set.contains(node), ordered.contains(&node)),
                    _ => prop_assert_eq!(set.first_from(node), ordered.range(node..).next().copied()),
                }
                prop_assert_eq!(set.is_empty(), ordered.is_empty());
            }
            let mut from = NodeId::new(0);
            while let Some(node) = set.first_from(from) {
                prop_assert!(ordered.remove(&node));
                from = NodeId::new(node.get() + 1);
            }
            prop_assert!(ordered.is_empty());
            set.clear();
            prop_assert_eq!((set.is_empty(), set.first_from(NodeId::new(0))), (true, None));
        }
    }
}
