//! Leaves of the embedder's own, and what they may see and do.

use crate::catalog::{LeafContext, LeafError, LeafState};
use crate::engine::{Fault, Here, Walk};
use crate::id::NodeId;
use crate::moment::Moment;
use crate::node::read_port;
use crate::status::Status;
use crate::tree::Binding;
use crate::value::{Type, Value};

impl<'e> Walk<'e> {
    #[inline(always)]
    pub(super) fn visit_leaf(&mut self, here: Here<'e>) -> Result<Status, Fault> {
        let id = here.id;
        let leaf = &*self.tree.leaf_of(here.node).leaf;
        let mut cx = LeafVisit { walk: self, id };
        let answer = match cx.walk.status(id) {
            Status::Running => leaf.resume(&mut cx),
            before if before.is_completed() && leaf.is_stateful() => return Ok(before),
            _ => leaf.start(&mut cx),
        };
        match answer {
            Ok(Status::Idle) => Err(Self::fault(id, "the leaf answered IDLE, which is no answer")),
            Ok(status) => {
                if status != Status::Running {
                    self.context_of(here).clear_timer();
                }
                Ok(status)
            }
            Err(fault) => Err(Self::fault(id, fault)),
        }
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
    #[inline(always)]
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
        let cell = self.walk.tree.node(self.id).data as usize;
        &mut self.walk.run.leaves[cell]
    }
}
