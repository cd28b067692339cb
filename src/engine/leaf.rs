//! Leaves of the embedder's own, and what they may see and do.

use crate::catalog::{Leaf, LeafContext, LeafError, LeafState};
use crate::engine::{Fault, Walk};
use crate::id::NodeId;
use crate::moment::Moment;
use crate::node::read_port;
use crate::status::Status;
use crate::tree::Binding;
use crate::value::{Type, Value};

impl Walk<'_> {
    #[inline(always)]
    pub(super) fn visit_leaf(&mut self, id: NodeId) -> Result<Status, Fault> {
        let leaf = &*self.tree.leaf(id).leaf;
        let before = self.status(id);
        if before.is_completed() && leaf.is_stateful() {
            return Ok(before);
        }
        let answer = self.call_leaf(id, leaf, before == Status::Running);
        match answer {
            Ok(Status::Idle) => Err(Self::fault(id, "the leaf answered IDLE, which is no answer")),
            Ok(status) => {
                if status != Status::Running {
                    self.context(id).clear_timer();
                }
                Ok(status)
            }
            Err(fault) => Err(Self::fault(id, fault)),
        }
    }

    #[inline(always)]
    fn call_leaf(&mut self, id: NodeId, leaf: &dyn Leaf, is_running: bool) -> Result<Status, LeafError> {
        let mut cx = LeafVisit { walk: self, id };
        if is_running { leaf.resume(&mut cx) } else { leaf.start(&mut cx) }
    }

    pub(super) fn halt_leaf(&mut self, id: NodeId) {
        self.tree.leaf(id).leaf.halt(&mut LeafVisit { walk: self, id });
        self.context(id).clear();
    }
}

/// One call of one leaf.
struct LeafVisit<'w, 'e> {
    walk: &'w mut Walk<'e>,
    id: NodeId,
}

impl LeafVisit<'_, '_> {
    fn type_of(&self, port: usize) -> Type {
        self.walk.tree.leaf(self.id).types.get(port).copied().unwrap_or_default()
    }
}

impl LeafContext for LeafVisit<'_, '_> {
    fn input(&self, port: usize) -> Result<Option<Value>, LeafError> {
        let walk = &*self.walk;
        read_port(walk.tree, &walk.run.board, self.id, port, self.type_of(port))
            .map_err(|fault| LeafError::new(fault.to_string()))
    }

    fn output(&mut self, port: usize, value: Value) -> Result<(), LeafError> {
        let ty = self.type_of(port);
        let Binding::Slot(slot) = self.walk.tree.binding(self.id, port) else {
            return Err(LeafError::new(format!("output port {port} is bound to no key")));
        };
        self.walk.write_port(self.id, slot, value, ty).map_err(|fault| LeafError::new(fault.to_string()))
    }

    fn path(&self) -> String {
        self.walk.tree.path(self.id)
    }

    fn now(&self) -> Moment {
        self.walk.run.now
    }

    fn wake_at(&mut self, moment: Moment) {
        self.walk.context(self.id).set_timer(moment);
    }

    fn because(&mut self, reason: String) {
        self.walk.run.reason = Some(reason.into());
    }

    fn state(&mut self) -> &mut Option<Box<dyn LeafState>> {
        let tree = self.walk.tree;
        let leaves = &mut self.walk.run.leaves;
        // Most trees have no leaf that remembers anything.
        if leaves.is_empty() {
            leaves.resize(tree.leaf_count(), None);
        }
        &mut leaves[tree.node(self.id).data as usize]
    }
}
