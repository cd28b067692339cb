//! The engine's face: inputs, commands, events, and what a run has come to.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::board::{Board, WriteFault};
use crate::engine::{At, Command, Input, RunState, Told, Walk};
use crate::event::Event;
use crate::id::{CallId, NodeId, ScopeId};
use crate::limits::TICKS_PER_INPUT_MAX;
use crate::moment::Moment;
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
    pub(super) told: Told,
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
        let run = RunState::new(&tree);
        Self { tree, run, commands: VecDeque::new(), events: VecDeque::new(), told: Told::default() }
    }

    /// The same engine, telling events. Whoever asks for them must take them with
    /// [`poll_event`](Self::poll_event) after every input.
    #[must_use]
    pub fn observed(mut self) -> Self {
        self.tell(Told::All);
        self
    }

    /// From now on the engine tells this much. What it does not tell is counted all the same.
    pub(crate) fn tell(&mut self, told: Told) {
        self.told = told;
        if told != Told::Nothing {
            self.run.want_reasons();
        }
    }

    /// The same engine, visiting at every tick whatever a tick of the reference visits. Otherwise a tick
    /// passes by what is running and to which nothing happened, and does not ask a condition again
    /// whose keys were not written: what it comes to is the same.
    #[must_use]
    pub fn thorough(mut self) -> Self {
        self.run.marks.thorough = true;
        self
    }

    /// Takes an input and ticks as long as the tree asks for it, at most
    /// [`TICKS_PER_INPUT_MAX`] times; then [`next_deadline`](Self::next_deadline) asks to be woken
    /// at once.
    pub fn handle(&mut self, now: Moment, input: Input) {
        let mut walk = self.walk();
        walk.apply(now, input);
        for _ in 0..TICKS_PER_INPUT_MAX {
            if !walk.run.wake || walk.run.verdict.is_some() {
                break;
            }
            match walk.tick() {
                Some(status) => walk.run.conclude(status),
                None => walk.halt_after_fault(),
            }
        }
    }

    /// Takes the root's answer as what the run has come to, unless it is Running. For whoever ticks
    /// by hand; a tree that is ticked again after its end is not concluded.
    pub fn conclude(&mut self, status: Status) {
        self.run.conclude(status);
    }

    /// Takes an input without ticking.
    pub fn apply(&mut self, now: Moment, input: Input) {
        self.walk().apply(now, input);
    }

    /// Visits the root once and answers what it answered; `None` when a node could not do its
    /// work, which [`verdict`](Self::verdict) then names.
    pub fn tick(&mut self, now: Moment) -> Option<Status> {
        self.run.now = self.run.now.max(now);
        self.walk().tick()
    }

    /// One visit of a tick, which is begun when none is in progress. Answers the root's status at
    /// the end of the tick.
    ///
    /// # Errors
    /// When a node cannot do its work at all; the fault is the run's verdict as well.
    pub fn step(&mut self) -> Result<Option<Status>, TickFault> {
        self.walk().step().map_err(|fault| *fault)
    }

    /// Writes a key of the main tree from outside, or takes its value away.
    ///
    /// # Errors
    /// When the key's type does not take the value.
    pub fn set(&mut self, key: &str, value: Option<Value>) -> Result<(), WriteFault> {
        self.walk().set(key, value)
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
        self.run.timers.next().into_iter().chain(self.run.pulse).min()
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
        self.run.statuses[node.index()]
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
        if self.told != Told::Nothing {
            self.run.want_reasons();
        }
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
            told: self.told,
        }
    }

    /// The calls that have not left their outcome, in the order of their starts, with their leaves.
    pub fn calls_in_flight(&self) -> impl ExactSizeIterator<Item = (CallId, NodeId)> + '_ {
        let mut calls: Vec<_> = self.run.calls.iter().map(|(&call, &node)| (call, node)).collect();
        calls.sort_unstable();
        calls.into_iter()
    }

    /// The bound that a leaf puts on its calls itself.
    pub fn call_timeout(&self, id: NodeId) -> Option<Duration> {
        self.tree.tool_leaf(id).timeout
    }

    #[inline]
    fn walk(&mut self) -> Walk<'_> {
        Walk {
            tree: &self.tree,
            run: &mut self.run,
            commands: &mut self.commands,
            events: &mut self.events,
            told: self.told,
        }
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
