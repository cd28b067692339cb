//! Halting: running nodes below a node are told, children before their parents, in order.

use std::ops::Range;

use crate::catalog::Kind;
use crate::engine::{Fault, Walk};
use crate::event::EventKind;
use crate::id::NodeId;
use crate::limits::HALTS_NESTED_MAX;
use crate::node::{self, CATCH_ON_HALT, Halt, Step};
use crate::status::Status;
use crate::tree::{GuardKind, Traits};

impl Walk<'_> {
    /// Halts and resets what a step asked for. A script after a halt may fail; the visit that halted
    /// ends with it.
    #[inline(always)]
    pub(super) fn halt_set(&mut self, parent: NodeId, step: Step) -> Result<(), Fault> {
        if !step.halts() {
            return Ok(());
        }
        self.halt_some(parent, step.halt());
        self.run.halt_fault.take().map_or(Ok(()), Err)
    }

    #[inline(never)]
    pub(super) fn halt_some(&mut self, parent: NodeId, halt: Halt) {
        let first = parent.get() + 1;
        let end = self.tree.node(parent).end;
        match halt {
            Halt::Nothing => {}
            Halt::One(child) => self.halt_child(child),
            Halt::Children => self.halt_children(parent, first..end),
            Halt::From(child) => self.halt_children(parent, child.get()..end),
            Halt::AllBut(child) => {
                self.halt_children(parent, first..child.get());
                self.halt_children(parent, self.tree.node(child).end..end);
            }
        }
    }

    /// Halts and resets the children of `parent` that lie in a range of nodes, which begins and ends
    /// between two of them.
    fn halt_children(&mut self, parent: NodeId, range: Range<u32>) {
        // Leaves lie side by side, and most of them are not running.
        if self.tree.has_leaves_only(parent) {
            let statuses = &mut self.run.statuses[range.start as usize..range.end as usize];
            // To the end and without a way out in between: so sixteen are looked at at once.
            if !statuses.iter().fold(false, |any, &it| any | (it == Status::Running)) {
                return statuses.fill(Status::Idle);
            }
        }
        let mut at = range.start;
        while at < range.end {
            let child = NodeId::new(at);
            self.halt_child(child);
            at = self.tree.node(child).end;
        }
    }

    /// A running child is halted; any child ends up Idle.
    #[inline]
    fn halt_child(&mut self, child: NodeId) {
        match self.status(child) {
            Status::Idle => {}
            Status::Running => self.halt_running(child),
            Status::Success | Status::Failure | Status::Skipped => self.set_status(child, Status::Idle),
        }
    }

    /// Halts a running node and every running node below it. Without recursion: the way down is
    /// the first running child, the way up is the parent.
    pub(super) fn halt_running(&mut self, top: NodeId) {
        let mut at = top;
        let mut next = self.tree.first_child(top);
        loop {
            let Some(child) = next else {
                self.end_running(at);
                if at == top {
                    return;
                }
                let Some(parent) = self.tree.parent(at) else { return };
                next = self.tree.next_child(parent, at);
                at = parent;
                continue;
            };
            if self.status(child) == Status::Running {
                at = child;
                next = self.tree.first_child(child);
            } else {
                self.set_status(child, Status::Idle);
                next = self.tree.next_child(at, child);
            }
        }
    }

    /// Ends one running node whose children are halted.
    fn end_running(&mut self, id: NodeId) {
        let node = self.tree.node(id);
        match node.kind {
            Kind::Tool | Kind::DynamicTool => self.stop_call(id),
            Kind::Leaf => self.halt_leaf(self.here(id)),
            Kind::TryCatch => self.halt_try_catch(id),
            kind => node::halted(kind, &mut self.context(id)),
        }
        self.reset(id);
        self.emit(|| EventKind::DidHalt { node: id });
        if node.traits.has(Traits::GUARDED) {
            self.run_script_after_halt(id, GuardKind::OnHalted);
        }
    }

    /// Halts whatever is running, after a tick that could not be finished.
    pub(super) fn halt_all_running(&mut self) {
        self.run.at = None;
        self.run.wake = false;
        let root = self.tree.root();
        self.halt_child(root);
        // A tick that ended in an error leaves running nodes under parents that are not.
        for id in self.tree.ids() {
            self.halt_child(id);
        }
    }

    /// Halts the whole tree because it was told to. As the reference's `haltTree` it tells the root
    /// and then every node once more, running or not: so `_onHalted` runs for idle nodes too, and
    /// twice for running ones. (SEMANTICS 1; random traces pin it.)
    pub(super) fn halt_tree(&mut self) {
        self.run.at = None;
        self.run.wake = false;
        let root = self.tree.root();
        self.halt_once_more(root);
        for id in self.tree.ids() {
            self.halt_once_more(id);
        }
        self.set_status(root, Status::Idle);
    }

    /// Halts a node, running or not. One that was skipped, or that has ended, may have children that still
    /// run: they come before its own script.
    fn halt_once_more(&mut self, id: NodeId) {
        if self.status(id) == Status::Running {
            return self.halt_running(id);
        }
        let node = self.tree.node(id);
        self.halt_children(id, id.get() + 1..node.end);
        // One whose child was skipped is idle and would not ask again.
        if node.kind == Kind::Precondition {
            node::halted(Kind::Precondition, &mut self.context(id));
        }
        if node.traits.has(Traits::GUARDED) {
            self.run_script_after_halt(id, GuardKind::OnHalted);
        }
    }

    /// A TryCatch whose try part was halted visits its last child once, when it is asked to, and
    /// halts it when that is not enough.
    fn halt_try_catch(&mut self, id: NodeId) {
        let catch = self.tree.children(id).last();
        let was_trying = catch.is_some_and(|catch| self.run.states[id.index()].child != catch.get());
        let asked = self.context(id).flag(CATCH_ON_HALT).unwrap_or(false);
        node::halted(Kind::TryCatch, &mut self.context(id));
        if let Some(catch) = catch.filter(|_| was_trying && asked) {
            self.visit_while_halting(catch);
            self.halt_child(catch);
        }
    }

    /// Visits a subtree out of turn. A TryCatch inside it may be halted in its turn and do the same:
    /// that is the one place where the machine stack grows, so it is bounded.
    fn visit_while_halting(&mut self, top: NodeId) {
        if self.run.halts_nested >= HALTS_NESTED_MAX {
            let why = format!("clean-up is nested more than {HALTS_NESTED_MAX} deep");
            self.run.halt_fault.get_or_insert(Self::fault(top, why));
            return;
        }
        self.run.halts_nested += 1;
        let answer = self.visit_subtree(top);
        self.run.halts_nested -= 1;
        if let Err(fault) = answer {
            self.run.halt_fault.get_or_insert(fault);
        }
    }
}
