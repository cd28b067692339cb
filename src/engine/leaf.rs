//! Leaves of the embedder's own, and what they may see and do.

use std::sync::Arc;

use crate::catalog::{Leaf, LeafContext, LeafError, LeafState};
use crate::engine::{Engine, TickFault};
use crate::id::NodeId;
use crate::moment::Moment;
use crate::node::read_port;
use crate::status::Status;
use crate::tree::Binding;
use crate::value::{Type, Value};

impl Engine {
    #[inline]
    pub(super) fn visit_leaf(&mut self, id: NodeId) -> Result<Status, TickFault> {
        let tree = self.tree.clone();
        let leaf = &*tree.leaf(id).leaf;
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

    fn call_leaf(&mut self, id: NodeId, leaf: &dyn Leaf, is_running: bool) -> Result<Status, LeafError> {
        let mut cx = LeafVisit { engine: self, id };
        if is_running { leaf.resume(&mut cx) } else { leaf.start(&mut cx) }
    }

    pub(super) fn halt_leaf(&mut self, id: NodeId) {
        let leaf: Arc<dyn Leaf> = self.tree.leaf(id).leaf.clone();
        leaf.halt(&mut LeafVisit { engine: self, id });
        self.context(id).clear();
    }
}

/// One call of one leaf.
struct LeafVisit<'e> {
    engine: &'e mut Engine,
    id: NodeId,
}

impl LeafVisit<'_> {
    fn type_of(&self, port: usize) -> Type {
        self.engine.tree.leaf(self.id).types.get(port).copied().unwrap_or_default()
    }
}

impl LeafContext for LeafVisit<'_> {
    fn input(&self, port: usize) -> Result<Option<Value>, LeafError> {
        let engine = &*self.engine;
        read_port(&engine.tree, &engine.run.board, self.id, port, self.type_of(port))
            .map_err(|fault| LeafError::new(fault.to_string()))
    }

    fn output(&mut self, port: usize, value: Value) -> Result<(), LeafError> {
        let ty = self.type_of(port);
        let Binding::Slot(slot) = self.engine.tree.binding(self.id, port) else {
            return Err(LeafError::new(format!("output port {port} is bound to no key")));
        };
        self.engine.write_port(self.id, slot, value, ty).map_err(|fault| LeafError::new(fault.to_string()))
    }

    fn path(&self) -> String {
        self.engine.tree.path(self.id)
    }

    fn now(&self) -> Moment {
        self.engine.run.now
    }

    fn wake_at(&mut self, moment: Moment) {
        self.engine.context(self.id).set_timer(moment);
    }

    fn because(&mut self, reason: String) {
        self.engine.run.reason = Some(reason.into());
    }

    fn state(&mut self) -> &mut Option<Box<dyn LeafState>> {
        let cell = self.engine.tree.node(self.id).data as usize;
        &mut self.engine.run.leaves[cell]
    }
}
