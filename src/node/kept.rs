//! What few nodes keep beyond their state, until they answer or are halted.

use std::sync::Arc;

use crate::value::Value;

/// What a node keeps.
#[derive(Clone, Debug)]
pub(crate) enum Kept {
    /// A list that is gone through, and the place of the next item.
    List { items: Arc<[Value]>, next: usize },
}

/// A value that a node wants written to one of its ports.
#[derive(Clone, Debug)]
pub(crate) struct PortWrite {
    pub port: usize,
    pub value: Value,
}
