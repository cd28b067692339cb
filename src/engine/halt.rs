//! Halting: running nodes below a node are told, children before their parents, in order.

use crate::catalog::Kind;
use crate::engine::Engine;
use crate::event::EventKind;
use crate::id::NodeId;
use crate::node::{self, Halt};
use crate::status::Status;
use crate::tree::GuardKind;

impl Engine {
    /// Halts and resets what a step asked for.
    #[inline]
    pub(super) fn halt_set(&mut self, parent: NodeId, halt: Halt) {
        let first = self.tree.first_child(parent);
        let (mut child, keep) = match halt {
            Halt::Nothing => return,
            Halt::One(child) => return self.halt_child(child),
            Halt::Children => (first, None),
            Halt::AllBut(child) => (first, Some(child)),
            Halt::From(child) => (Some(child), None),
        };
        while let Some(it) = child {
            if Some(it) != keep {
                self.halt_child(it);
            }
            child = self.tree.next_child(parent, it);
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
        let node = *self.tree.node(id);
        match node.kind {
            Kind::Tool | Kind::DynamicTool => self.stop_call(id),
            Kind::Leaf => self.halt_leaf(id),
            kind => node::halted(kind, &mut self.context(id)),
        }
        self.reset(id);
        self.emit(|| EventKind::DidHalt { node: id });
        if node.guarded {
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
        let root = self.tree.root();
        if self.status(root) != Status::Running {
            self.run_script_after_halt(root, GuardKind::OnHalted);
        }
        self.halt_all_running();
        for id in self.tree.ids() {
            if self.tree.node(id).guarded {
                self.run_script_after_halt(id, GuardKind::OnHalted);
            }
        }
    }
}
