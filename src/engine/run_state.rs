//! Everything that changes in a run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value as Json;

use crate::board::Board;
use crate::catalog::{Kind, LeafState};
use crate::engine::call::ToolCell;
use crate::engine::{At, Fault, Verdict};
use crate::id::{CallId, NodeId, SlotId};
use crate::limits::{HANDOVERS_PER_PULSE_MAX, PULSE};
use crate::moment::Moment;
use crate::node::{Kept, Marks, NodeState, SlotWrite, Timers};
use crate::status::Status;
use crate::tree::Tree;

/// The state of a run: what a snapshot copies.
#[derive(Clone)]
pub(crate) struct RunState {
    pub now: Moment,
    /// Written by `engine/visit.rs` and `engine/halt.rs` alone.
    pub statuses: Vec<Status>,
    pub states: Vec<NodeState>,
    /// What few nodes remember beyond their state.
    pub kept: BTreeMap<NodeId, Kept>,
    pub board: Board,
    pub(super) tools: Vec<ToolCell>,
    /// What leaves of the embedder's own remember, if they do.
    pub leaves: BTreeMap<NodeId, Option<Box<dyn LeafState>>>,
    pub timers: Timers,
    /// The leaves of calls that have not left their outcome, in the order of the calls.
    pub calls: BTreeMap<CallId, NodeId>,
    pub calls_made: u64,
    pub ticks: u64,
    pub events_made: u64,
    /// How deep visits while halting are nested.
    pub halts_nested: u32,
    /// What a tick must visit.
    pub marks: Marks,
    /// Whether the node that is being entered may pass by its children that are not marked.
    pub sparse: bool,
    /// Keys whose next write asks for another tick.
    pub awaited: BTreeSet<SlotId>,
    /// Another tick is wanted.
    pub wake: bool,
    /// When another tick is wanted by a node that waits for nothing in particular.
    pub pulse: Option<Moment>,
    /// How often a write to an awaited key asked for a tick of late.
    handovers: Handovers,
    /// Where the tick in progress stands.
    pub at: Option<At>,
    /// What the node that is being visited wants written to the blackboard.
    pub writes: Vec<SlotWrite>,
    /// Whether anybody hears why a node failed: an observer, or a `Catch`.
    pub wants_reasons: bool,
    /// Why the node that is being visited is about to fail.
    pub reason: Option<Arc<str>>,
    /// The particulars of a failure that is about to be answered.
    pub failure: Option<Arc<Json>>,
    /// The leaf that counts as Running because it is being visited, and was not before.
    pub began: Option<NodeId>,
    /// A script after a halt could not do its work; the visit or input that halted ends with it.
    pub halt_fault: Option<Fault>,
    pub verdict: Option<Verdict>,
}

impl RunState {
    /// Takes the root's answer as what the run has come to, unless it is Running.
    pub fn conclude(&mut self, status: Status) {
        if !matches!(status, Status::Running | Status::Idle) {
            self.verdict = Some(Verdict::Status(status));
        }
    }

    /// From now on somebody hears why a node failed. What was said before was said to nobody.
    pub fn want_reasons(&mut self) {
        if !std::mem::replace(&mut self.wants_reasons, true) {
            self.reason = None;
        }
    }

    /// Asks for another tick at a moment.
    pub fn tick_at(&mut self, at: Moment) {
        self.pulse = Some(self.pulse.map_or(at, |earlier| earlier.min(at)));
    }

    /// Asks for another tick because a key was written that somebody waits for: at once, unless that
    /// happens without end.
    pub fn tick_after_handover(&mut self) {
        if self.pulse.is_none_or(|at| at > self.now) {
            let at = self.handovers.next(self.now);
            self.tick_at(at);
        }
    }

    pub fn new(tree: &Arc<Tree>) -> Self {
        Self {
            now: Moment::ZERO,
            statuses: vec![Status::Idle; tree.len()],
            states: vec![NodeState::default(); tree.len()],
            kept: BTreeMap::new(),
            board: Board::new(tree.clone()),
            tools: vec![ToolCell::default(); tree.tool_leaf_count()],
            leaves: BTreeMap::new(),
            timers: Timers::default(),
            calls: BTreeMap::new(),
            calls_made: 0,
            ticks: 0,
            events_made: 0,
            halts_nested: 0,
            marks: Marks::default(),
            sparse: false,
            awaited: BTreeSet::new(),
            wake: false,
            pulse: None,
            handovers: Handovers::default(),
            at: None,
            writes: Vec::new(),
            wants_reasons: tree.has(Kind::Catch),
            reason: None,
            failure: None,
            began: None,
            halt_fault: None,
            verdict: None,
        }
    }
}

/// The ticks that writes to awaited keys asked for within one [`PULSE`].
#[derive(Clone, Copy, Default)]
struct Handovers {
    since: Moment,
    count: u32,
}

impl Handovers {
    /// When the next one may be.
    fn next(&mut self, now: Moment) -> Moment {
        let after = self.since + PULSE;
        if now >= after {
            *self = Self { since: now, count: 0 };
        }
        self.count += 1;
        if self.count <= HANDOVERS_PER_PULSE_MAX { now } else { after }
    }
}
