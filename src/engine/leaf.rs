//! Leaves of the embedder's own, and what they may see and do.

use crate::board::WriteFault;
use crate::catalog::{LeafContext, LeafError, LeafState};
use crate::engine::{Fault, Here, Walk};
use crate::moment::Moment;
use crate::node::{convert_port, fitting};
use crate::status::Status;
use crate::tree::{Binding, LeafKind};
use crate::value::{Type, Value};

impl<'e> Walk<'e> {
    #[inline(always)]
    pub(super) fn visit_leaf(&mut self, here: Here<'e>) -> Result<Status, Fault> {
        let mut cx = LeafVisit::new(self, here);
        let leaf = &*cx.kind.leaf;
        let answer = match cx.walk.status(here.id) {
            Status::Running => leaf.resume(&mut cx),
            before if before.is_completed() && leaf.is_stateful() => return Ok(before),
            _ => leaf.start(&mut cx),
        };
        match answer {
            Ok(Status::Idle) => Err(Self::fault(here.id, "the leaf answered IDLE, which is no answer")),
            Ok(status) => {
                if !self.run.timers.is_empty() {
                    self.forget_timer(here, status);
                }
                Ok(status)
            }
            Err(fault) => Err(Self::fault(here.id, fault)),
        }
    }

    /// A leaf that has answered waits for nothing.
    #[inline(never)]
    fn forget_timer(&mut self, here: Here<'e>, status: Status) {
        if status != Status::Running {
            self.context_of(here).clear_timer();
        }
    }

    pub(super) fn halt_leaf(&mut self, here: Here<'e>) {
        let mut cx = LeafVisit::new(self, here);
        cx.kind.leaf.halt(&mut cx);
        self.context_of(here).clear();
    }
}

/// One call of one leaf.
struct LeafVisit<'w, 'e> {
    walk: &'w mut Walk<'e>,
    here: Here<'e>,
    kind: &'e LeafKind,
}

impl<'w, 'e> LeafVisit<'w, 'e> {
    #[inline(always)]
    fn new(walk: &'w mut Walk<'e>, here: Here<'e>) -> Self {
        let kind = walk.tree.leaf_of(here.node);
        Self { walk, here, kind }
    }

    #[inline(always)]
    fn type_of(&self, port: usize) -> Type {
        self.kind.types.get(port).copied().unwrap_or_default()
    }

    /// What a port gives that no key holds as it is wanted.
    #[inline(never)]
    fn converted(&self, port: usize, ty: Type) -> Result<Option<Value>, LeafError> {
        convert_port(self.walk.tree, &self.walk.run.board, self.here.id, port, ty)
            .map_err(|fault| LeafError::new(fault.to_string()))
    }
}

#[cold]
fn unbound(port: usize) -> LeafError {
    LeafError::new(format!("output port {port} is bound to no key"))
}

#[cold]
fn refused(fault: WriteFault) -> LeafError {
    LeafError::new(fault.to_string())
}

impl LeafContext for LeafVisit<'_, '_> {
    fn input(&self, port: usize) -> Result<Option<Value>, LeafError> {
        let (tree, board, ty) = (self.walk.tree, &self.walk.run.board, self.type_of(port));
        match fitting(tree, board, self.here.node, port, ty) {
            Some(value) => Ok(Some(value.clone())),
            None => self.converted(port, ty),
        }
    }

    fn output(&mut self, port: usize, mut value: Value) -> Result<(), LeafError> {
        let ty = self.type_of(port);
        let Binding::Slot(slot) = self.walk.tree.binding_of(self.here.node, port) else {
            return Err(unbound(port));
        };
        self.walk.write_port(self.here.id, slot, &mut value, ty).map_err(refused)
    }

    fn path(&self) -> String {
        self.walk.tree.path(self.here.id)
    }

    fn now(&self) -> Moment {
        self.walk.run.now
    }

    fn wake_at(&mut self, moment: Moment) {
        self.walk.context_of(self.here).set_timer(moment);
    }

    fn because(&mut self, reason: String) {
        self.walk.run.reason = Some(reason.into());
    }

    fn state(&mut self) -> &mut Option<Box<dyn LeafState>> {
        self.walk.run.leaves.entry(self.here.id).or_default()
    }
}
