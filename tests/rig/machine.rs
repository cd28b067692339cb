//! The engine, its clock, and what came out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use helve::call::Call;
use helve::engine::{Command, Engine, Input, Snapshot, Verdict};
use helve::event::{Event, EventKind};
use helve::id::{CallId, NodeId};
use helve::moment::Moment;
use helve::status::Status;
use helve::tree::Tree;

use crate::rig::words;

/// How the engine is driven. It must not make a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `handle`: an input and all ticks that it causes.
    Whole,
    /// `apply`, then `step`, visit by visit, and a fork goes on between every two visits.
    Stepped,
    /// Before every input the run is saved, and gone back to after another input.
    Restored,
    /// Before every input the run is forked; the fork goes on.
    Forked,
    /// As `Whole`, and every tick visits whatever a tick of the reference visits.
    Thorough,
}

/// An engine with its clock.
pub struct Rig {
    pub engine: Engine,
    mode: Mode,
    now: Moment,
    /// Whether a run that is driven by hand has come to its end.
    is_over: bool,
    /// Every call that was started, by number.
    pub calls: BTreeMap<u64, Arc<Call>>,
    /// Calls that were started and not asked to stop.
    wanted: BTreeSet<CallId>,
    /// The call that each leaf waits for.
    leaves: BTreeMap<NodeId, CallId>,
    pub events: Vec<Event>,
}

impl Rig {
    pub fn new(tree: Arc<Tree>, mode: Mode) -> Self {
        let engine = Engine::new(tree).observed();
        Self {
            engine: if mode == Mode::Thorough { engine.thorough() } else { engine },
            mode,
            now: Moment::ZERO,
            is_over: false,
            calls: BTreeMap::new(),
            wanted: BTreeSet::new(),
            leaves: BTreeMap::new(),
            events: Vec::new(),
        }
    }

    /// Gives the engine an input and takes what comes out; answers the new events as lines.
    pub fn handle(&mut self, input: Input) -> Vec<String> {
        match self.mode {
            Mode::Whole | Mode::Thorough => self.engine.handle(self.now, input),
            Mode::Stepped => return self.handle_by_hand(input),
            Mode::Restored => {
                let saved: Snapshot = self.engine.snapshot();
                self.engine.handle(self.now + Duration::from_secs(9), Input::Halt);
                self.engine.restore(saved);
                self.engine.handle(self.now, input);
            }
            Mode::Forked => {
                let fork = self.engine.fork();
                let mut old = std::mem::replace(&mut self.engine, fork);
                old.handle(self.now + Duration::from_secs(9), Input::Halt);
                self.engine.handle(self.now, input);
            }
        }
        self.take()
    }

    /// What `handle` does, from the parts that a debugger uses.
    fn handle_by_hand(&mut self, input: Input) -> Vec<String> {
        self.engine.apply(self.now, input);
        let mut lines = self.take();
        while !self.is_over && self.engine.is_awake() && self.engine.verdict().is_none() {
            let answer = loop {
                let step = self.engine.step();
                lines.extend(self.take());
                self.engine = self.engine.fork();
                match step {
                    Ok(None) => {}
                    Ok(Some(status)) => break Some(status),
                    Err(_) => break None,
                }
            };
            self.is_over = answer != Some(Status::Running);
            match answer {
                Some(status) => self.engine.conclude(status),
                None => {
                    self.engine.apply(self.now, Input::Halt);
                    lines.extend(self.take());
                }
            }
        }
        lines
    }

    /// Lets time pass, stopping at every deadline.
    pub fn wait(&mut self, ms: u64) -> Vec<String> {
        let until = self.now + Duration::from_millis(ms);
        let mut lines = Vec::new();
        while let Some(deadline) = self.engine.next_deadline().filter(|&at| at <= until && !self.is_over) {
            self.now = self.now.max(deadline);
            let came = self.handle(Input::Deadline);
            assert!(!came.is_empty(), "no deadline comes to nothing");
            lines.extend(came);
        }
        self.now = until;
        lines
    }

    fn take(&mut self) -> Vec<String> {
        let mut commands = Vec::new();
        let mut lines = Vec::new();
        while let Some(event) = self.engine.poll_event() {
            self.check(&event);
            commands.extend(match &event.kind {
                EventKind::WillCall { call, .. } => Some(Command::Start(call.clone())),
                EventKind::WillStop { call, .. } => Some(Command::Stop(*call)),
                _ => None,
            });
            lines.push(words::line(self.engine.tree(), &event));
            self.events.push(event);
        }
        let polled: Vec<_> = std::iter::from_fn(|| self.engine.poll_command()).collect();
        assert_eq!(polled, commands, "every command is told, and nothing else");
        lines
    }

    /// What must hold of any run of events.
    fn check(&mut self, event: &Event) {
        let last = self.events.last().map_or(0, |last| last.seq);
        assert_eq!(event.seq, last + 1, "events are numbered without gaps");
        match &event.kind {
            EventKind::WillCall { node, call } => {
                let old = self.leaves.insert(*node, call.id);
                assert_eq!(old, None, "two calls of one leaf never overlap");
                self.wanted.insert(call.id);
                self.calls.insert(call.id.0, call.clone());
            }
            EventKind::WillStop { call, .. } => {
                assert!(self.wanted.remove(call), "a call is stopped once, and only while it is wanted");
            }
            EventKind::DidStop { node, call, .. } => {
                assert_eq!(self.leaves.remove(node), Some(*call), "a call that stopped was its leaf's");
                self.wanted.remove(call);
            }
            EventKind::DidCall { node, call, .. } => {
                assert_eq!(
                    self.leaves.remove(node),
                    Some(*call),
                    "an outcome goes to the leaf that waits for it"
                );
                assert!(self.wanted.remove(call), "a call that was stopped is never judged");
            }
            _ => {}
        }
    }

    /// What the run has come to.
    pub fn verdict(&self) -> Option<String> {
        Some(match self.engine.verdict()? {
            Verdict::Status(status) => status.to_string(),
            Verdict::Halted => "halted".to_owned(),
            Verdict::Fault(fault) => format!("fault: {fault}"),
        })
    }
}
