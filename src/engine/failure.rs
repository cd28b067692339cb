//! The particulars of a failure, for a `Catch` above it.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use crate::catalog::Kind;
use crate::engine::Walk;
use crate::id::NodeId;
use crate::node::Kept;

impl Walk<'_> {
    /// Remembers the particulars of a failure that is about to be answered.
    pub(super) fn note_failure(&mut self, particulars: Json) {
        if self.tree.has(Kind::Catch) {
            self.run.failure = Some(Arc::new(particulars));
        }
    }

    /// Hands a failure to every `Catch` that has it below its first child. A node above the one that
    /// failed only passes the failure on: its own words say less than what went wrong.
    pub(super) fn tell_catches(&mut self, node: NodeId, reason: Option<&str>) {
        let noted = self.run.failure.take();
        let is_origin = self.tree.first_child(node).is_none()
            || matches!(self.tree.node(node).kind, Kind::Timeout | Kind::Budget);
        let failure = match (noted, reason) {
            (Some(noted), _) => noted,
            (None, _) if !is_origin => return,
            // A Timeout passes on the failure of a child that ended in time.
            (None, None) if self.tree.first_child(node).is_some() => return,
            (None, reason) => Arc::new(self.particulars_of_node(node, reason)),
        };
        let mut below = node;
        while let Some(above) = self.tree.parent(below) {
            if self.tree.node(above).kind == Kind::Catch && self.tree.first_child(above) == Some(below) {
                self.run.kept.insert(above, Kept::Failure(failure.clone()));
            }
            below = above;
        }
    }

    fn particulars_of_node(&self, node: NodeId, reason: Option<&str>) -> Json {
        let (kind, category) = match self.tree.node(node).kind {
            Kind::Timeout => ("timeout", Json::from("timeout_error")),
            Kind::Budget => ("budget", Json::from("budget")),
            _ => ("node", Json::Null),
        };
        json!({
            "kind": kind,
            "category": category,
            "message": reason.unwrap_or("it failed"),
            "node": self.tree.path(node),
        })
    }
}
