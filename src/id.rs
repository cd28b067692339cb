//! Identities as newtypes, so that a node is never passed where a slot is meant.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The identity of the `index`-th thing of its kind.
            pub const fn new(index: u32) -> Self {
                Self(index)
            }

            /// The place in the table of its kind.
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The same place as the number that is stored.
            pub const fn get(self) -> u32 {
                self.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    };
}

index! {
    /// A node of a compiled tree: its place in pre-order. The root is 0.
    NodeId
}
index! {
    /// A slot of the blackboard: what a key became when its tree was compiled.
    SlotId
}
index! {
    /// A scope of the blackboard: the keys of one subtree instance. The main tree's is 0.
    ScopeId
}

/// One call of one tool in one run. Numbers count from 1 and are never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct CallId(pub u64);

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "call_{}", self.0)
    }
}

/// A map by identities. Nobody chooses those, they are counted; so the hash need not withstand anybody,
/// and it is the same in every run.
pub(crate) type IdMap<K, V> = HashMap<K, V, BuildHasherDefault<IdHasher>>;

/// Spreads numbers that follow one another.
#[derive(Default)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(self.0 ^ u64::from(byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        // 2^64 by the golden ratio: an odd number whose bits follow no pattern.
        self.0 = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
