//! An engine while it takes an input: the tree on one side, everything that changes on the other.

use std::collections::VecDeque;
use std::fmt;

use crate::board::WriteFault;
use crate::engine::{At, Command, Fault, Input, RunState, TickFault, Told, Verdict};
use crate::event::{Event, EventKind};
use crate::id::{NodeId, ScopeId, SlotId};
use crate::limits::{PULSE, TICKS_PER_RUN_MAX};
use crate::moment::Moment;
use crate::node::{self, NodeContext};
use crate::status::Status;
use crate::tree::{Node, Tree};
use crate::value::Value;

/// A node on the way, looked up once.
#[derive(Clone, Copy)]
pub(super) struct Here<'e> {
    pub id: NodeId,
    pub node: &'e Node,
}

/// One walk over a tree. The tree is borrowed apart from the run, so reading it costs nothing.
pub(super) struct Walk<'e> {
    pub tree: &'e Tree,
    pub run: &'e mut RunState,
    pub commands: &'e mut VecDeque<Command>,
    pub events: &'e mut VecDeque<Event>,
    pub told: Told,
}

impl<'e> Walk<'e> {
    /// Takes an input without ticking.
    pub fn apply(&mut self, now: Moment, input: Input) {
        self.run.now = self.run.now.max(now);
        match input {
            Input::Tick => self.run.wake = true,
            Input::Outcome(outcome) => self.take_outcome(outcome),
            Input::Outcomes(outcomes) => outcomes.into_iter().for_each(|it| self.take_outcome(it)),
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
            self.fail(*fault);
        }
    }

    /// Writes a key of the main tree from outside, or takes its value away.
    pub fn set(&mut self, key: &str, value: Option<Value>) -> Result<(), WriteFault> {
        let slot = self.run.board.find_or_add(ScopeId::new(0), key)?;
        self.write_outside(slot, value)?;
        self.run.wake |= self.run.ticks > 0;
        Ok(())
    }

    fn fire_timers(&mut self) {
        let now = self.run.now;
        while let Some(node) = self.run.timers.pop_fired(now) {
            self.run.states[node.index()].timed = false;
            self.run.wake = true;
            self.run.marks.mark(node);
            let kind = self.tree.node(node).kind;
            let halt = node::fired(kind, &mut self.context(node));
            self.halt_some(node, halt);
        }
        self.run.wake |= self.run.pulse.take_if(|at| *at <= now).is_some();
    }

    /// Nothing goes on after a fault: what is running is halted and its calls are stopped. What
    /// goes wrong with that is not told; the run ended with the fault before.
    pub fn halt_after_fault(&mut self) {
        self.halt_all_running();
        self.run.halt_fault = None;
    }

    /// A tick from its beginning, or from where it stands, to its end; answers the root's status, or
    /// nothing after a fault.
    pub fn tick(&mut self) -> Option<Status> {
        let answer = self.run_tick();
        self.run.at = None;
        match answer {
            Ok(status) => Some(status),
            Err(fault) => {
                self.fail(*fault);
                None
            }
        }
    }

    fn run_tick(&mut self) -> Result<Status, Fault> {
        let mut at = match self.run.at {
            Some(at) => at,
            None => self.begin_tick()?,
        };
        // One round takes a leaf from its visit to what its parent wants next.
        loop {
            let here = self.here(at.node);
            let status = match at.answer {
                Some(status) => status,
                None if self.is_unchanged(here) => {
                    at = match self.pass(here)? {
                        Some(next) => next,
                        None => return Ok(self.end_tick(Status::Running)),
                    };
                    continue;
                }
                None => {
                    let was_marked = self.run.marks.take(at.node);
                    match self.answer_at_once(here)? {
                        Some(status) => status,
                        None => {
                            at = self.enter_inner(here, was_marked)?;
                            let Some(status) = at.answer else { continue };
                            status
                        }
                    }
                }
            };
            at = match self.leave(here, status)? {
                Some(next) => next,
                None => return Ok(self.end_tick(status)),
            };
        }
    }

    /// One visit of a tick, which is begun when none is in progress. Answers the root's status at
    /// the end of the tick.
    pub fn step(&mut self) -> Result<Option<Status>, Fault> {
        let at = match self.run.at {
            Some(at) => Ok(at),
            None => self.begin_tick(),
        };
        match at.and_then(|at| Ok((at, self.advance(at)?))) {
            Ok((_, Some(next))) => {
                self.run.at = Some(next);
                Ok(None)
            }
            Ok((at, None)) => {
                self.run.at = None;
                Ok(Some(self.end_tick(at.answer.unwrap_or(Status::Running))))
            }
            Err(fault) => {
                self.fail((*fault).clone());
                Err(fault)
            }
        }
    }

    fn begin_tick(&mut self) -> Result<At, Fault> {
        let node = self.tree.root();
        if self.run.ticks >= TICKS_PER_RUN_MAX {
            let message = format!("the run has made {TICKS_PER_RUN_MAX} ticks, which is the bound");
            return Err(Self::fault(node, message));
        }
        // Whoever ticks a halted tree begins it anew: a second halt runs its scripts again.
        self.run.verdict.take_if(|verdict| *verdict == Verdict::Halted);
        self.run.ticks += 1;
        self.run.wake = false;
        self.run.pulse = None;
        self.run.marks.begin_tick();
        let tick = self.run.ticks;
        self.emit(|| EventKind::WillTick { tick });
        Ok(At::before(node))
    }

    /// What follows the answer of the root.
    fn end_tick(&mut self, status: Status) -> Status {
        let root = self.tree.root();
        if status.is_completed() {
            self.set_status(root, Status::Idle);
        }
        // Something that was asked in this tick would answer otherwise now.
        if self.run.marks.end_tick() && status == Status::Running {
            self.run.tick_at(self.run.now + PULSE);
        }
        let tick = self.run.ticks;
        self.emit(|| EventKind::DidTick { tick, status });
        status
    }

    #[cold]
    fn fail(&mut self, fault: TickFault) {
        self.run.at = None;
        self.run.wake = false;
        let (node, message) = (fault.node, fault.message.clone());
        self.emit(|| EventKind::DidError { node, message });
        self.run.verdict = Some(Verdict::Fault(fault));
    }

    /// A node with what the walk needs of it.
    #[inline(always)]
    pub(super) fn here(&self, id: NodeId) -> Here<'e> {
        Here { id, node: self.tree.node(id) }
    }

    #[inline(always)]
    pub(super) fn context_of(&mut self, here: Here<'e>) -> NodeContext<'_> {
        NodeContext::new((here.id, here.node), self.tree, self.run)
    }

    #[inline(always)]
    pub(super) fn context(&mut self, id: NodeId) -> NodeContext<'_> {
        self.context_of(self.here(id))
    }

    #[inline(always)]
    pub(super) fn status(&self, id: NodeId) -> Status {
        self.run.statuses[id.index()]
    }

    /// Tells what only those who look on want to hear.
    #[inline(always)]
    pub(super) fn emit(&mut self, kind: impl FnOnce() -> EventKind) {
        if self.told != Told::Nothing {
            self.run.events_made += 1;
            if self.told == Told::All {
                self.push_event(kind());
            }
        }
    }

    /// Tells what goes into a report.
    #[inline(always)]
    pub(super) fn emit_reported(&mut self, kind: impl FnOnce() -> EventKind) {
        if self.told != Told::Nothing {
            self.run.events_made += 1;
            self.push_event(kind());
        }
    }

    fn push_event(&mut self, kind: EventKind) {
        self.events.push_back(Event { seq: self.run.events_made, at: self.run.now, kind });
    }

    #[cold]
    pub(super) fn fault(node: NodeId, message: impl fmt::Display) -> Fault {
        Box::new(TickFault { node, message: message.to_string().into() })
    }

    pub(super) fn slot_value(&self, slot: SlotId) -> Option<&Value> {
        self.run.board.get(slot)
    }
}
