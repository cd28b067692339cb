//! What few nodes keep beyond their state, until they answer or are halted.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::id::{NodeId, SlotId};
use crate::moment::Moment;
use crate::status::Status;
use crate::value::{Type, Value};

/// What a node keeps.
#[derive(Clone, Debug)]
pub(crate) enum Kept {
    /// A list that is gone through, and the place of the next item.
    List { items: Arc<[Value]>, next: usize },
    /// A list of which several items are under way.
    Items(Items),
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

/// Items of which several are under way at once.
#[derive(Clone, Debug)]
pub(crate) struct Items {
    items: Arc<[Value]>,
    next: usize,
    done: usize,
    pub failures: usize,
    /// What came of them, in their order; null for those that are not done.
    pub results: Vec<Json>,
    /// Which item each lane has.
    at: BTreeMap<NodeId, usize>,
}

impl Items {
    pub fn new(items: Arc<[Value]>) -> Self {
        let results = vec![Json::Null; items.len()];
        Self { items, next: 0, done: 0, failures: 0, results, at: BTreeMap::new() }
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_done(&self) -> bool {
        self.done == self.items.len()
    }

    /// Gives a lane the next item, if there is one.
    pub fn begin(&mut self, lane: NodeId) -> Option<(usize, Value)> {
        let item = self.items.get(self.next)?.clone();
        let index = self.next;
        self.next += 1;
        self.at.insert(lane, index);
        Some((index, item))
    }

    /// Notes what came of a lane's item.
    pub fn finish(&mut self, lane: NodeId, status: Status, result: Json) {
        let Some(&index) = self.at.get(&lane) else { return };
        self.results[index] = result;
        self.done += 1;
        self.failures += usize::from(status == Status::Failure);
    }

    /// Why the rest is given up after the failure of a lane's item.
    pub fn failure_text(&self, lane: NodeId) -> String {
        let index = self.at.get(&lane).copied().unwrap_or_default();
        let (failures, all) = (self.failures, self.items.len());
        format!("item {index} failed; {failures} of {all} have")
    }
}
