//! The tree of the naive reading and everything that it remembers.

use std::collections::{BTreeMap, BTreeSet};

use helve::status::Status;
use helve::value::Value;

use super::Fault;
use super::board::Board;
use super::number::Enums;

/// One node.
pub struct Node {
    /// `Sequence`, `SubTree`, `Scripted`.
    pub kind: String,
    /// Its full path.
    pub path: String,
    pub attributes: BTreeMap<String, String>,
    /// Whose keys its ports and scripts name.
    pub scope: usize,
    pub children: Vec<usize>,
    pub status: Status,
    pub memory: Memory,
}

/// What a node remembers. Every kind uses a few of these; a new kind adds its own.
#[derive(Default)]
pub struct Memory {
    /// The child that it has come to; for a scripted leaf, the place in its plan.
    pub at: usize,
    /// The children that were skipped in this run.
    pub skipped: usize,
    /// Attempts, cycles.
    pub count: i64,
    /// The children that succeeded, and those that failed.
    pub succeeded: BTreeSet<usize>,
    pub failed: BTreeSet<usize>,
    /// Whether it has begun something that goes on: a delay, a timeout, a catch branch.
    pub is_going: bool,
    /// What it answered once.
    pub answered: Option<Status>,
    /// The number of the last write that it saw.
    pub seen: u64,
    /// When its time is over, in milliseconds.
    pub until: Option<u64>,
    /// What a loop has still to give, the next at its end.
    pub queue: Vec<Value>,
    /// The branch that is running.
    pub branch: Option<usize>,
}

/// A run.
#[derive(Default)]
pub struct World {
    pub nodes: Vec<Node>,
    pub board: Board,
    pub enums: Enums,
    /// Milliseconds.
    pub now: u64,
    /// The visits of the tick in progress.
    pub visits: usize,
    /// Whether a node asked to be visited again.
    pub is_awake: bool,
    /// How deep the halting at hand is nested.
    pub halts: usize,
    /// What went wrong first while halting.
    pub halt_fault: Option<Fault>,
    /// The leaves that were called.
    pub ticked: Vec<String>,
    /// The visits that ended.
    pub results: Vec<(String, String)>,
}

impl World {
    pub fn kind(&self, id: usize) -> &str {
        &self.nodes[id].kind
    }

    pub fn status(&self, id: usize) -> Status {
        self.nodes[id].status
    }

    pub fn set_status(&mut self, id: usize, status: Status) {
        self.nodes[id].status = status;
    }

    pub fn memory(&mut self, id: usize) -> &mut Memory {
        &mut self.nodes[id].memory
    }

    pub fn children(&self, id: usize) -> Vec<usize> {
        self.nodes[id].children.clone()
    }

    pub fn attribute(&self, id: usize, name: &str) -> Option<String> {
        self.nodes[id].attributes.get(name).cloned()
    }
}
