//! The walk of a tick. Only this file and `halt.rs` write a status.

use crate::catalog::Kind;
use crate::engine::{Fault, Here, Walk};
use crate::event::EventKind;
use crate::id::NodeId;
use crate::node::{self, Child, Step};
use crate::status::Status;
use crate::tree::{Node, Traits};

/// Where a tick stands, between two visits.
///
/// Two plain fields, and no enum with the node in each variant: this way it stays in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// The node that is visited.
    pub node: NodeId,
    /// What it answers; `None` while it is about to be entered, or passed by.
    pub answer: Option<Status>,
}

impl At {
    /// Before a node is entered, or passed by.
    pub const fn before(node: NodeId) -> Self {
        Self { node, answer: None }
    }

    /// After a node, which answers this.
    const fn after(node: NodeId, status: Status) -> Self {
        Self { node, answer: Some(status) }
    }
}

impl<'e> Walk<'e> {
    /// One visit. Answers where the tick goes on; nothing after the root.
    #[inline(never)]
    pub(super) fn advance(&mut self, at: At) -> Result<Option<At>, Fault> {
        let here = self.here(at.node);
        match at.answer {
            Some(status) => self.leave(here, status),
            None if self.is_unchanged(here) => self.pass(here),
            None => self.enter(here).map(Some),
        }
    }

    /// Whether a node would answer Running as it did, and do nothing else.
    #[inline(always)]
    pub(super) fn is_unchanged(&self, Here { id, node }: Here<'_>) -> bool {
        node.traits.has(Traits::QUIET)
            && self.status(id) == Status::Running
            && !self.run.marks.thorough
            && self.run.marks.first_in(id, NodeId::new(node.end)).is_none()
    }

    /// Enters a node: it answers, or wants a child visited.
    #[inline(always)]
    pub(super) fn enter(&mut self, here: Here<'e>) -> Result<At, Fault> {
        let was_marked = self.run.marks.take(here.id);
        match self.answer_at_once(here)? {
            Some(status) => Ok(At::after(here.id, status)),
            None => self.enter_inner(here, was_marked),
        }
    }

    /// What a leaf answers, or a condition in the node's place.
    #[inline(always)]
    pub(super) fn answer_at_once(&mut self, here: Here<'e>) -> Result<Option<Status>, Fault> {
        let Here { id, node } = here;
        if node.traits.has(Traits::GUARDED)
            && let Some(status) = self.check_before(id)?
        {
            return Ok(Some(status));
        }
        if node.kind == Kind::Leaf {
            return self.visit_leaf(here).map(Some);
        }
        let status = match node.kind {
            Kind::Tool | Kind::DynamicTool => self.visit_tool(id)?,
            kind if kind.is_script() => {
                let status = self.visit_script_leaf(id, node.kind)?;
                self.begin_leaf(id);
                status
            }
            Kind::TestNode => {
                let status = self.visit_test_node(id)?;
                if status != Status::Skipped {
                    self.begin_leaf(id);
                }
                status
            }
            _ => return Ok(None),
        };
        Ok(Some(status))
    }

    /// Enters a node that has a behavior of its own.
    #[inline(always)]
    pub(super) fn enter_inner(&mut self, here: Here<'e>, was_marked: bool) -> Result<At, Fault> {
        let Here { id, node } = here;
        let kind = node.kind;
        let is_running = self.status(id) == Status::Running;
        self.run.sparse =
            node.traits.has(Traits::QUIET) && !was_marked && !self.run.marks.thorough && is_running;
        if kind == Kind::Precondition {
            self.ask_precondition(id)?;
        }
        let step = node::enter(kind, self.context_of(here)).map_err(|fault| Self::fault(id, fault))?;
        self.write_ports(id)?;
        // After entering: a node whose ports cannot be read, or that skips by itself, has not begun.
        if !step.then.is_skipped() && node::begins_when_entered(kind) {
            let is_leaf = node.end == id.get() + 1;
            if is_leaf { self.begin_leaf(id) } else { self.set_status(id, Status::Running) }
        }
        self.take_step(here, step)
    }

    /// A leaf counts as Running while it is visited.
    fn begin_leaf(&mut self, id: NodeId) {
        self.run.began = (self.status(id) != Status::Running).then_some(id);
        self.set_status(id, Status::Running);
    }

    /// Scripts, status and event at the end of a visit.
    #[inline(always)]
    fn end_visit(&mut self, Here { id, node }: Here<'_>, status: Status) -> Result<(), Fault> {
        self.tell_reason(id, status);
        let mut kept = status;
        if node.traits.has(Traits::GUARDED.and(Traits::DECORATED)) {
            kept = self.complete(id, node, status)?;
        }
        // Skipped is answered and never kept, so a composite that was skipped keeps the Running
        // that it was entered with: the reference's rule (SEMANTICS 8.1), and visible to guards.
        if status != Status::Skipped {
            self.set_status(id, kept);
        } else if self.status(id) == Status::Running {
            // It only looks like one that goes on.
            self.run.marks.mark_at_next_tick(id);
        }
        self.emit(|| EventKind::DidVisit { node: id, status });
        Ok(())
    }

    /// The scripts after a verdict; answers what the node keeps of an answer.
    #[inline(never)]
    fn complete(&mut self, id: NodeId, node: &Node, status: Status) -> Result<Status, Fault> {
        if !status.is_completed() {
            return Ok(status);
        }
        if node.traits.has(Traits::GUARDED) {
            let answer = self.run_after(id, status);
            if answer.is_err() && self.run.began == Some(id) {
                // It was Running for its visit alone.
                self.set_status(id, Status::Idle);
            }
            answer?;
        }
        Ok(if node.traits.has(Traits::DECORATED) { Status::Idle } else { status })
    }

    /// Visits `top`, which is not running, and what is below it once, out of turn: its parent is not told.
    #[inline(never)]
    pub(super) fn visit_subtree(&mut self, top: NodeId) -> Result<(), Fault> {
        debug_assert_ne!(self.status(top), Status::Running, "it is entered and never passed by");
        let mut at = At::before(top);
        loop {
            at = match at.answer {
                Some(status) if at.node == top => return self.end_visit(self.here(top), status),
                _ => match self.advance(at)? {
                    Some(next) => next,
                    None => return Ok(()),
                },
            };
        }
    }

    /// Ends the visit of a node; answers where its parent goes on, or nothing for the root.
    #[inline(always)]
    pub(super) fn leave(&mut self, here: Here<'e>, status: Status) -> Result<Option<At>, Fault> {
        self.end_visit(here, status)?;
        let Some(parent) = self.parent(here) else { return Ok(None) };
        self.tell_parent(parent, here, status).map(Some)
    }

    /// Passes a node by; answers where its parent goes on, or nothing for the root.
    #[inline(never)]
    pub(super) fn pass(&mut self, here: Here<'e>) -> Result<Option<At>, Fault> {
        let Some(parent) = self.parent(here) else { return Ok(None) };
        self.tell_parent(parent, here, Status::Running).map(Some)
    }

    #[inline(always)]
    fn parent(&self, Here { id, node }: Here<'_>) -> Option<Here<'e>> {
        (id.get() > 0).then(|| self.here(NodeId::new(node.parent)))
    }

    #[inline(always)]
    fn tell_parent(&mut self, parent: Here<'e>, child: Here<'e>, status: Status) -> Result<At, Fault> {
        let child = Child { id: child.id, end: child.node.end };
        // Not by `map_err`: a step that passes through it is put into memory for it.
        let step = match node::child_done(parent.node.kind, self.context_of(parent), child, status) {
            Ok(step) => step,
            Err(fault) => return Err(Self::fault(parent.id, fault)),
        };
        self.write_ports(parent.id)?;
        self.take_step(parent, step)
    }

    #[inline(always)]
    fn take_step(&mut self, here: Here<'e>, step: Step) -> Result<At, Fault> {
        let id = here.id;
        self.halt_set(id, step)?;
        if let Some(child) = step.then.child() {
            return Ok(At::before(child));
        }
        let status = step.then.status();
        if status != Status::Running && !step.then.keeps() {
            self.context_of(here).clear();
        }
        Ok(At::after(id, status))
    }

    /// Tells why a node failed. A reason that was given before another answer is nobody's.
    #[inline(always)]
    fn tell_reason(&mut self, node: NodeId, status: Status) {
        if self.run.wants_reasons && (self.run.reason.is_some() || status == Status::Failure) {
            self.tell_failure(node, status);
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_failure(&mut self, node: NodeId, status: Status) {
        let reason = self.run.reason.take();
        if status == Status::Failure && self.tree.has(Kind::Catch) {
            self.tell_catches(node, reason.as_deref());
        }
        if let Some(reason) = reason
            && status == Status::Failure
        {
            self.emit_reported(|| EventKind::DidFail { node, reason });
        }
    }

    #[inline(always)]
    pub(super) fn set_status(&mut self, id: NodeId, status: Status) {
        self.run.statuses[id.index()] = status;
    }

    /// Back to Idle, everything forgotten: what halting ends with.
    pub(super) fn reset(&mut self, id: NodeId) {
        self.set_status(id, Status::Idle);
        debug_assert!(!self.run.states[id.index()].timed, "a reset node has no timer");
    }
}
