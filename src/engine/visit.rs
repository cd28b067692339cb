//! The walk of a tick. Only this file writes a status.

use crate::catalog::Kind;
use crate::engine::{Fault, Walk};
use crate::event::EventKind;
use crate::id::NodeId;
use crate::node::{self, NodeState, Step, Then};
use crate::status::Status;

/// Where a tick stands, between two visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// About to enter a node.
    Enter(NodeId),
    /// About to leave it with this answer.
    Leave(NodeId, Status),
    /// About to pass it by: it is running and nothing happened to it.
    Passed(NodeId),
}

impl Walk<'_> {
    /// One visit. Answers where the tick goes on, or the root's status when it is over.
    #[inline(always)]
    pub(super) fn advance(&mut self, at: At) -> Result<Result<At, Status>, Fault> {
        let (next, status) = match at {
            At::Enter(node) => return Ok(Ok(self.enter(node)?)),
            At::Leave(node, status) => (self.leave(node, status)?, status),
            At::Passed(node) => (self.pass(node)?, Status::Running),
        };
        Ok(next.ok_or_else(|| {
            self.end_tick(status);
            status
        }))
    }

    /// Whether a node would answer Running as it did, and do nothing else.
    #[inline(always)]
    pub(super) fn is_unchanged(&self, id: NodeId) -> bool {
        let node = self.tree.node(id);
        node.quiet
            && self.status(id) == Status::Running
            && !self.run.marks.thorough
            && self.run.marks.first_in(id, NodeId::new(node.end)).is_none()
    }

    #[inline(always)]
    fn enter(&mut self, id: NodeId) -> Result<At, Fault> {
        let node = self.tree.node(id);
        let was_marked = self.run.marks.take(id);
        self.run.sparse =
            node.quiet && !was_marked && !self.run.marks.thorough && self.status(id) == Status::Running;
        if node.guarded
            && let Some(status) = self.check_before(id)?
        {
            return Ok(At::Leave(id, status));
        }
        match node.kind {
            Kind::Tool | Kind::DynamicTool => self.visit_tool(id).map(|status| At::Leave(id, status)),
            Kind::Leaf => self.visit_leaf(id).map(|status| At::Leave(id, status)),
            kind if kind.is_script() => {
                let status = self.visit_script_leaf(id, node.kind)?;
                self.set_status(id, Status::Running);
                Ok(At::Leave(id, status))
            }
            Kind::TestNode => {
                let status = self.visit_test_node(id)?;
                if status != Status::Skipped {
                    self.set_status(id, Status::Running);
                }
                Ok(At::Leave(id, status))
            }
            kind => {
                if kind == Kind::Precondition {
                    self.ask_precondition(id)?;
                }
                let step = node::enter(kind, &mut self.context(id));
                let step = step.map_err(|fault| Self::fault(id, fault))?;
                self.write_ports(id)?;
                // After entering: a node whose ports cannot be read, or that skips by itself, has not
                // begun.
                let skips =
                    matches!(step.then, Then::Return(Status::Skipped) | Then::ReturnKeeping(Status::Skipped));
                if !skips && node::begins_when_entered(kind) {
                    self.set_status(id, Status::Running);
                }
                Ok(self.take_step(id, step))
            }
        }
    }

    /// Scripts, status and event at the end of a visit.
    #[inline(always)]
    fn end_visit(&mut self, id: NodeId, status: Status) -> Result<(), Fault> {
        let node = self.tree.node(id);
        self.tell_reason(id, status);
        if node.guarded && status.is_completed() {
            let answer = self.run_after(id, status);
            if answer.is_err() && node.kind.is_script() {
                // It was Running for its visit alone.
                self.set_status(id, Status::Idle);
            }
            answer?;
        }
        // Skipped is answered and never kept, so a composite that was skipped keeps the Running
        // that it was entered with: the reference's rule (SEMANTICS 8.1), and visible to guards.
        if status != Status::Skipped {
            self.set_status(id, status);
        } else if self.status(id) == Status::Running {
            // It only looks like one that goes on.
            self.run.marks.mark_at_next_tick(id);
        }
        self.emit(|| EventKind::DidVisit { node: id, status });
        Ok(())
    }

    /// Visits `top` and what is below it once, out of turn: its parent is not told.
    #[inline(never)]
    pub(super) fn visit_subtree(&mut self, top: NodeId) -> Result<(), Fault> {
        let mut at = At::Enter(top);
        loop {
            at = match at {
                At::Enter(id) => self.enter(id)?,
                At::Leave(id, status) if id == top => return self.end_visit(id, status),
                At::Leave(id, status) => match self.leave(id, status)? {
                    Some(next) => next,
                    None => return Ok(()),
                },
                At::Passed(id) => match self.pass(id)? {
                    Some(next) => next,
                    None => return Ok(()),
                },
            };
        }
    }

    /// Ends the visit of a node; answers where its parent goes on, or nothing for the root.
    #[inline(always)]
    fn leave(&mut self, id: NodeId, status: Status) -> Result<Option<At>, Fault> {
        self.end_visit(id, status)?;
        let Some(parent) = self.tree.parent(id) else { return Ok(None) };
        let kind = self.tree.node(parent).kind;
        if status.is_completed() && node::is_decorator(kind) {
            self.set_status(id, Status::Idle);
        }
        self.tell_parent((parent, kind), id, status).map(Some)
    }

    /// Passes a node by; answers where its parent goes on, or nothing for the root.
    fn pass(&mut self, id: NodeId) -> Result<Option<At>, Fault> {
        let Some(parent) = self.tree.parent(id) else { return Ok(None) };
        let kind = self.tree.node(parent).kind;
        self.tell_parent((parent, kind), id, Status::Running).map(Some)
    }

    #[inline(always)]
    fn tell_parent(
        &mut self,
        (parent, kind): (NodeId, Kind),
        id: NodeId,
        status: Status,
    ) -> Result<At, Fault> {
        let step = node::child_done(kind, &mut self.context(parent), id, status);
        let step = step.map_err(|fault| Self::fault(parent, fault))?;
        self.write_ports(parent)?;
        Ok(self.take_step(parent, step))
    }

    #[inline(always)]
    fn take_step(&mut self, id: NodeId, step: Step) -> At {
        self.halt_set(id, step.halt);
        match step.then {
            Then::Visit(child) if self.is_unchanged(child) => At::Passed(child),
            Then::Visit(child) => At::Enter(child),
            Then::ReturnKeeping(status) => At::Leave(id, status),
            Then::Return(status) => {
                if status != Status::Running {
                    self.context(id).clear();
                }
                At::Leave(id, status)
            }
        }
    }

    /// Tells why a node failed. A reason that was given before another answer is nobody's.
    #[inline(always)]
    fn tell_reason(&mut self, node: NodeId, status: Status) {
        if self.run.reason.is_some() || status == Status::Failure {
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
            self.emit(|| EventKind::DidFail { node, reason });
        }
    }

    #[inline(always)]
    pub(super) fn set_status(&mut self, id: NodeId, status: Status) {
        self.run.states[id.index()].status = status;
    }

    /// Back to Idle, everything forgotten: what halting ends with.
    pub(super) fn reset(&mut self, id: NodeId) {
        self.set_status(id, Status::Idle);
        debug_assert_eq!(self.run.states[id.index()].until, NodeState::NEVER, "a reset node has no timer");
    }
}
