//! What few nodes keep beyond their state, until they answer or are halted.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::id::SlotId;
use crate::moment::Moment;
use crate::value::{Type, Value};

/// What a node keeps.
#[derive(Clone, Debug)]
pub(crate) enum Kept {
    /// A list that is gone through, and the place of the next item.
    List { items: Arc<[Value]>, next: usize },
    /// What is left of a budget.
    Spending(Spending),
    /// The particulars of the latest failure below a node.
    Failure(Arc<Json>),
}

/// What is left of a budget; `None` where nothing is bounded.
#[derive(Clone, Debug)]
pub(crate) struct Spending {
    pub until: Option<Moment>,
    pub calls: Option<u64>,
    pub bytes: Option<u64>,
    /// What is spent, in words.
    pub spent: Option<Arc<str>>,
}

/// A value that a node wants written; `None` takes the key back to what it was before the run.
#[derive(Clone, Debug)]
pub(crate) struct SlotWrite {
    pub slot: SlotId,
    pub value: Option<Value>,
    pub ty: Type,
}
