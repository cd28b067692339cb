//! Budgets above a call: whether it may start, how long it may take, what it brought.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::catalog::Kind;
use crate::engine::Walk;
use crate::id::NodeId;
use crate::node::{Kept, Spending};
use crate::outcome::Outcome;

impl Walk<'_> {
    /// Counts a call against all budgets above its leaf, or says which of them is spent.
    pub(super) fn spend_call(&mut self, leaf: NodeId) -> Result<(), String> {
        for budget in self.budgets_above(leaf) {
            let Some(spending) = self.spending(budget) else { continue };
            let why = match (spending.calls, spending.bytes) {
                (Some(0), _) => "its calls are spent",
                (_, Some(0)) => "its bytes are spent",
                _ => continue,
            };
            spending.spent = Some(why.into());
            return Err(format!("the budget `{}` allows no further call: {why}", self.tree.label(budget)));
        }
        for budget in self.budgets_above(leaf) {
            if let Some(Spending { calls: Some(calls), .. }) = self.spending(budget) {
                *calls -= 1;
            }
        }
        Ok(())
    }

    /// The time that is left to a call of a leaf: the least of all budgets above it.
    pub(super) fn time_left(&mut self, leaf: NodeId) -> Option<Duration> {
        let now = self.run.now;
        let budgets = self.budgets_above(leaf);
        budgets.into_iter().filter_map(|budget| Some(self.spending(budget)?.until? - now)).min()
    }

    /// Counts the output of a call against all budgets above its leaf.
    pub(super) fn spend_bytes(&mut self, leaf: NodeId, outcome: &Arc<Outcome>) {
        let mut size = None;
        for budget in self.budgets_above(leaf) {
            if let Some(Spending { bytes: Some(bytes), .. }) = self.spending(budget) {
                let size =
                    *size.get_or_insert_with(|| outcome.output().map_or(0, |output| text_bytes(output)));
                *bytes = bytes.saturating_sub(size);
            }
        }
    }

    fn budgets_above(&self, leaf: NodeId) -> Vec<NodeId> {
        if !self.tree.has(Kind::Budget) {
            return Vec::new();
        }
        let above = std::iter::successors(self.tree.parent(leaf), |&node| self.tree.parent(node));
        above.filter(|&node| self.tree.node(node).kind == Kind::Budget).collect()
    }

    fn spending(&mut self, budget: NodeId) -> Option<&mut Spending> {
        match self.run.kept.get_mut(&budget) {
            Some(Kept::Spending(spending)) => Some(spending),
            _ => None,
        }
    }
}

/// How many bytes a value is as JSON text.
fn text_bytes(json: &serde_json::Value) -> u64 {
    struct Count(u64);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len() as u64;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // A value always has a text, and counting never fails.
    let _ = serde_json::to_writer(&mut count, json);
    count.0
}
