//! The engine's face: inputs, commands, events, and what a run has come to.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use crate::board::{Board, WriteFault};
use crate::catalog::LeafState;
use crate::engine::call::ToolCell;
use crate::engine::{At, Command, Input};
use crate::event::{Event, EventKind};
use crate::id::{CallId, NodeId, ScopeId, SlotId};
use crate::limits::{TICKS_PER_INPUT_MAX, TICKS_PER_RUN_MAX};
use crate::moment::Moment;
use crate::node::{NodeContext, NodeState, Timers};
use crate::status::Status;
use crate::tree::Tree;
use crate::value::Value;

/// One run of one tree.
///
/// # Example
/// ```
/// use helve::engine::{Engine, Input, Verdict};
/// use helve::{moment::Moment, node, status::Status, text::Source, tree};
///
/// let source = Source::new("<inline>", r#"<root BTCPP_format="4"><BehaviorTree>
///     <Fallback><AlwaysFailure/><AlwaysSuccess/></Fallback>
/// </BehaviorTree></root>"#);
/// let tree = tree::load(&source, &node::catalog(), &tree::CompileOptions::default()).unwrap();
/// let mut engine = Engine::new(tree);
/// engine.handle(Moment::ZERO, Input::Tick);
/// assert_eq!(engine.verdict(), Some(&Verdict::Status(Status::Success)));
/// ```
pub struct Engine {
    pub(super) tree: Arc<Tree>,
    pub(super) run: RunState,
    pub(super) commands: VecDeque<Command>,
    pub(super) events: VecDeque<Event>,
    pub(super) observed: bool,
}

/// Everything that changes in a run.
#[derive(Clone)]
pub(super) struct RunState {
    pub now: Moment,
    pub states: Vec<NodeState>,
    pub board: Board,
    pub tools: Vec<ToolCell>,
    pub leaves: Vec<Option<Box<dyn LeafState>>>,
    pub timers: Timers,
    /// The leaves of calls that have not left their outcome, in the order of the calls.
    pub calls: BTreeMap<CallId, NodeId>,
    pub calls_made: u64,
    pub ticks: u64,
    pub events_made: u64,
    /// How deep visits while halting are nested.
    pub halts_nested: u32,
    /// Keys whose next write asks for another tick.
    pub awaited: BTreeSet<SlotId>,
    /// Another tick is wanted.
    pub wake: bool,
    /// Where the tick in progress stands.
    pub at: Option<At>,
    /// Why the node that is being visited is about to fail.
    pub reason: Option<Arc<str>>,
    /// A script after a halt could not do its work; the visit or input that halted ends with it.
    pub halt_fault: Option<TickFault>,
    pub verdict: Option<Verdict>,
}

/// A run as it stood, to be gone back to. Cheap: large values are shared.
#[derive(Clone)]
pub struct Snapshot(RunState);

/// What a run has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The root answered Success, Failure or Skipped.
    Status(Status),
    /// The tree was halted from outside.
    Halted,
    /// A node could not do its work at all.
    Fault(TickFault),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "{status}"),
            Self::Halted => f.write_str("HALTED"),
            Self::Fault(fault) => write!(f, "ERROR: {fault}"),
        }
    }
}

/// Why a tick could not be finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TickFault {
    /// The node that could not do its work.
    pub node: NodeId,
    /// Why, in a sentence without a full stop.
    pub message: Arc<str>,
}

impl fmt::Display for TickFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Engine {
    /// A fresh run of `tree`.
    pub fn new(tree: Arc<Tree>) -> Self {
        let run = RunState {
            now: Moment::ZERO,
            states: vec![NodeState::default(); tree.len()],
            board: Board::new(tree.clone()),
            tools: vec![ToolCell::default(); tree.tool_leaf_count()],
            leaves: vec![None; tree.leaf_count()],
            timers: Timers::default(),
            calls: BTreeMap::new(),
            calls_made: 0,
            ticks: 0,
            events_made: 0,
            halts_nested: 0,
            awaited: BTreeSet::new(),
            wake: false,
            at: None,
            reason: None,
            halt_fault: None,
            verdict: None,
        };
        Self { tree, run, commands: VecDeque::new(), events: VecDeque::new(), observed: false }
    }

    /// The same engine, telling events. Whoever asks for them must take them with
    /// [`poll_event`](Self::poll_event) after every input.
    #[must_use]
    pub fn observed(mut self) -> Self {
        self.observed = true;
        self
    }

    /// Takes an input and ticks as long as the tree asks for it, at most
    /// [`TICKS_PER_INPUT_MAX`] times; then [`next_deadline`](Self::next_deadline) asks to be woken
    /// at once.
    pub fn handle(&mut self, now: Moment, input: Input) {
        self.apply(now, input);
        for _ in 0..TICKS_PER_INPUT_MAX {
            if !self.run.wake || self.run.verdict.is_some() {
                break;
            }
            match self.tick(now) {
                Some(status) => self.conclude(status),
                None => self.halt_after_fault(),
            }
        }
    }

    /// Takes the root's answer as what the run has come to, unless it is Running. For whoever ticks
    /// by hand; a tree that is ticked again after its end is not concluded.
    pub fn conclude(&mut self, status: Status) {
        if !matches!(status, Status::Running | Status::Idle) {
            self.run.verdict = Some(Verdict::Status(status));
        }
    }

    /// Nothing goes on after a fault: what is running is halted and its calls are stopped. What
    /// goes wrong with that is not told; the run ended with the fault before.
    fn halt_after_fault(&mut self) {
        self.halt_all_running();
        self.run.halt_fault = None;
    }

    /// Takes an input without ticking.
    pub fn apply(&mut self, now: Moment, input: Input) {
        self.run.now = self.run.now.max(now);
        match input {
            Input::Tick => self.run.wake = true,
            Input::Outcome(outcome) => self.take_outcome(outcome),
            Input::Deadline => self.fire_timers(),
            Input::Write { key, value } => {
                // A key that does not take the value keeps the old one; `accepts` tells why.
                let _ = self.set(&key, value);
            }
            // Of a run that has ended only the rest is halted: nobody begins its clean-up anew.
            Input::Halt if self.run.verdict.is_some() => self.halt_all_running(),
            Input::Halt => {
                self.halt_tree();
                if self.run.halt_fault.is_none() {
                    self.run.verdict.get_or_insert(Verdict::Halted);
                }
            }
        }
        // What a run has come to stands, whatever a script does while its rest is halted.
        if let Some(fault) = self.run.halt_fault.take()
            && self.run.verdict.is_none()
        {
            self.fail(fault);
        }
    }

    /// Visits the root once and answers what it answered; `None` when a node could not do its
    /// work, which [`verdict`](Self::verdict) then names.
    pub fn tick(&mut self, now: Moment) -> Option<Status> {
        self.run.now = self.run.now.max(now);
        loop {
            match self.step() {
                Ok(None) => {}
                Ok(Some(status)) => return Some(status),
                Err(_) => return None,
            }
        }
    }

    /// One visit of a tick, which is begun when none is in progress. Answers the root's status at
    /// the end of the tick.
    ///
    /// # Errors
    /// When a node cannot do its work at all; the fault is the run's verdict as well.
    pub fn step(&mut self) -> Result<Option<Status>, TickFault> {
        let mut answer = match self.run.at {
            Some(at) => self.advance(at),
            None => self.begin_tick().and_then(|at| self.advance(at)),
        };
        if let Some(fault) = self.run.halt_fault.take() {
            answer = Err(fault);
        }
        if let Err(fault) = &answer {
            self.fail(fault.clone());
        }
        answer
    }

    #[cold]
    fn fail(&mut self, fault: TickFault) {
        self.run.at = None;
        self.run.wake = false;
        let (node, message) = (fault.node, fault.message.clone());
        self.emit(|| EventKind::DidError { node, message });
        self.run.verdict = Some(Verdict::Fault(fault));
    }

    fn begin_tick(&mut self) -> Result<At, TickFault> {
        let node = self.tree.root();
        if self.run.ticks >= TICKS_PER_RUN_MAX {
            let message = format!("the run has made {TICKS_PER_RUN_MAX} ticks, which is the bound");
            return Err(TickFault { node, message: message.into() });
        }
        // Whoever ticks a halted tree begins it anew: a second halt runs its scripts again.
        self.run.verdict.take_if(|verdict| *verdict == Verdict::Halted);
        self.run.ticks += 1;
        self.run.wake = false;
        let tick = self.run.ticks;
        self.emit(|| EventKind::WillTick { tick });
        Ok(At::Enter(node))
    }

    fn fire_timers(&mut self) {
        let now = self.run.now;
        while let Some((until, node)) = self.run.timers.pop_fired(now) {
            if self.run.states[node.index()].until == until {
                self.run.states[node.index()].until = NodeState::NEVER;
                self.run.wake = true;
                let kind = self.tree.node(node).kind;
                let halt = crate::node::fired(kind, &mut self.context(node));
                self.halt_set(node, halt);
            }
        }
    }

    /// Writes a key of the main tree from outside, or takes its value away.
    ///
    /// # Errors
    /// When the key's type does not take the value.
    pub fn set(&mut self, key: &str, value: Option<Value>) -> Result<(), WriteFault> {
        let slot = self.run.board.find_or_add(ScopeId::new(0), key)?;
        self.write_outside(slot, value)?;
        self.run.wake |= self.run.ticks > 0;
        Ok(())
    }

    /// Whether a key of the main tree takes a value: what to ask before [`Input::Write`], which
    /// changes nothing when it does not.
    ///
    /// # Errors
    /// Why it does not.
    pub fn accepts(&self, key: &str, value: Option<&Value>) -> Result<(), WriteFault> {
        match (self.run.board.find(ScopeId::new(0), key), value) {
            (Some(slot), Some(value)) => self.run.board.accepts(slot, value),
            (Some(_), None) => Ok(()),
            (None, _) => self.run.board.has_room_for_late_key(),
        }
    }

    /// The value of a key of the main tree.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let slot = self.run.board.find(ScopeId::new(0), key)?;
        self.run.board.get(slot)
    }

    /// The next thing to do. They are to be done in this order.
    pub fn poll_command(&mut self) -> Option<Command> {
        self.commands.pop_front()
    }

    /// The next event.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// When to come back with [`Input::Deadline`]; the present when another tick is due already.
    pub fn next_deadline(&self) -> Option<Moment> {
        if self.run.verdict.is_some() {
            return None;
        }
        if self.run.wake {
            return Some(self.run.now);
        }
        self.run.timers.next()
    }

    /// What the run has come to; `None` while it goes on.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.run.verdict.as_ref()
    }

    /// Whether the run has come to something and every call has left its outcome.
    pub fn is_finished(&self) -> bool {
        self.run.verdict.is_some() && self.run.calls.is_empty()
    }

    /// The status of a node.
    pub fn status(&self, node: NodeId) -> Status {
        self.run.states[node.index()].status
    }

    /// The tree.
    pub fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// The blackboard.
    pub fn board(&self) -> &Board {
        &self.run.board
    }

    /// Where the tick in progress stands; `None` between two ticks.
    pub fn at(&self) -> Option<At> {
        self.run.at
    }

    /// How many times the root was visited.
    pub fn ticks(&self) -> u64 {
        self.run.ticks
    }

    /// The moment of the latest input.
    pub fn now(&self) -> Moment {
        self.run.now
    }

    /// Whether another tick is due.
    pub fn is_awake(&self) -> bool {
        self.run.wake
    }

    /// The run as it stands.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(self.run.clone())
    }

    /// Goes back to a run as it stood. Commands and events that were not taken are dropped.
    pub fn restore(&mut self, snapshot: Snapshot) {
        self.run = snapshot.0;
        self.commands.clear();
        self.events.clear();
    }

    /// A second engine in the same state, to go another way from here.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            tree: self.tree.clone(),
            run: self.run.clone(),
            commands: VecDeque::new(),
            events: VecDeque::new(),
            observed: self.observed,
        }
    }

    #[inline]
    pub(super) fn context(&mut self, id: NodeId) -> NodeContext<'_> {
        NodeContext {
            id,
            tree: &self.tree,
            states: &mut self.run.states,
            board: &self.run.board,
            timers: &mut self.run.timers,
            now: self.run.now,
            wake: &mut self.run.wake,
            awaited: &mut self.run.awaited,
            reason: &mut self.run.reason,
        }
    }

    #[inline]
    pub(super) fn emit(&mut self, kind: impl FnOnce() -> EventKind) {
        if self.observed {
            self.run.events_made += 1;
            self.events.push_back(Event { seq: self.run.events_made, at: self.run.now, kind: kind() });
        }
    }

    pub(super) fn fault(node: NodeId, message: impl fmt::Display) -> TickFault {
        TickFault { node, message: message.to_string().into() }
    }

    pub(super) fn slot_value(&self, slot: SlotId) -> Option<&Value> {
        self.run.board.get(slot)
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("tree", self.tree.name())
            .field("ticks", &self.run.ticks)
            .field("verdict", &self.run.verdict)
            .finish_non_exhaustive()
    }
}
