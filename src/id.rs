//! Identities as newtypes, so that a node is never passed where a slot is meant.

use std::fmt;

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
