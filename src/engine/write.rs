//! Writes to the blackboard by others than tools, each told as an event.

use crate::board::WriteFault;
use crate::engine::{Fault, Walk};
use crate::event::EventKind;
use crate::id::{NodeId, SlotId};
use crate::status::Status;
use crate::value::{Type, Value};

impl Walk<'_> {
    /// A write through a port of type `port`.
    #[inline(always)]
    pub(super) fn write_port(
        &mut self,
        node: NodeId,
        slot: SlotId,
        value: &mut Value,
        port: Type,
    ) -> Result<(), WriteFault> {
        self.run.board.write_port(slot, value, port)?;
        self.tell_write(slot, Some(node));
        Ok(())
    }

    /// Writes what a node asked for during its visit.
    #[inline(always)]
    pub(super) fn write_ports(&mut self, node: NodeId) -> Result<(), Fault> {
        if self.run.writes.is_empty() { Ok(()) } else { self.write_all(node) }
    }

    #[cold]
    #[inline(never)]
    fn write_all(&mut self, node: NodeId) -> Result<(), Fault> {
        for write in std::mem::take(&mut self.run.writes) {
            let answer = match write.value {
                Some(mut value) => self.write_port(node, write.slot, &mut value, write.ty),
                None => {
                    self.reset_slot(node, write.slot);
                    Ok(())
                }
            };
            answer.map_err(|fault| Self::fault(node, fault))?;
        }
        Ok(())
    }

    /// Takes a key back to what it was before the run.
    fn reset_slot(&mut self, node: NodeId, slot: SlotId) {
        if self.run.board.reset(slot) {
            self.tell_write(slot, Some(node));
        }
    }

    /// A write from outside the tree.
    pub(super) fn write_outside(&mut self, slot: SlotId, value: Option<Value>) -> Result<(), WriteFault> {
        match value {
            Some(value) => self.run.board.write(slot, &value)?,
            None => self.run.board.unset(slot),
        }
        self.tell_write(slot, None);
        Ok(())
    }

    /// What follows every write: whoever waits for the key gets another tick, watchers an event. For most
    /// keys there is nobody.
    #[inline]
    pub(super) fn tell_write(&mut self, slot: SlotId, node: Option<NodeId>) {
        if self.observed || !self.run.awaited.is_empty() || !self.tree.readers(slot).is_empty() {
            self.tell_all(slot, node);
        }
    }

    #[inline(never)]
    fn tell_all(&mut self, slot: SlotId, node: Option<NodeId>) {
        // The reference does not wake here, so it is no part of the input.
        if self.run.awaited.remove(&slot) {
            self.run.tick_after_handover();
        }
        for reader in self.tree.readers(slot) {
            if self.status(reader.anchor) == Status::Running {
                self.run.marks.mark(reader.node);
            }
        }
        if self.observed {
            let cell = self.run.board.cell(slot);
            let (seq, value) = (cell.seq, cell.value.clone());
            self.emit(|| EventKind::DidWrite { slot, seq, value, node });
        }
    }
}
