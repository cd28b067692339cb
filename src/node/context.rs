//! What a node may see and change of its run.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::board::Board;
use crate::id::{NodeId, SlotId};
use crate::moment::Moment;
use crate::node::{NodeState, PortFault, Timers, read_port};
use crate::status::Status;
use crate::tree::{Binding, Tree};
use crate::value::{Type, Value};

/// One visit of one node.
pub(crate) struct NodeContext<'e> {
    pub id: NodeId,
    pub tree: &'e Tree,
    pub states: &'e mut [NodeState],
    pub board: &'e Board,
    pub timers: &'e mut Timers,
    pub now: Moment,
    pub wake: &'e mut bool,
    pub awaited: &'e mut BTreeSet<SlotId>,
    pub reason: &'e mut Option<Arc<str>>,
}

impl NodeContext<'_> {
    /// The node's own state.
    #[inline]
    pub fn state(&mut self) -> &mut NodeState {
        &mut self.states[self.id.index()]
    }

    /// The status of a node.
    #[inline]
    pub fn status(&self, node: NodeId) -> Status {
        self.states[node.index()].status
    }

    #[inline]
    pub fn first_child(&self) -> Option<NodeId> {
        self.tree.first_child(self.id)
    }

    #[inline]
    pub fn next_child(&self, child: NodeId) -> Option<NodeId> {
        self.tree.next_child(self.id, child)
    }

    /// The child that the state remembers, else the first.
    #[inline]
    pub fn current_child(&mut self) -> Option<NodeId> {
        match self.state().child {
            0 => self.first_child(),
            child => Some(NodeId::new(child)),
        }
    }

    pub fn child_count(&self) -> u32 {
        self.tree.child_count(self.id)
    }

    /// Whether the key of a port was written since this node last looked; the look is remembered in
    /// the state's `count`, 32 bits of the sequence number: to miss a write it would take exactly
    /// 2^32 of them between two looks.
    pub fn was_updated(&mut self, port: usize) -> bool {
        let Binding::Slot(slot) = self.tree.binding(self.id, port) else { return false };
        let cell = self.board.cell(slot);
        let seen = cell.seq as u32;
        cell.value.is_some() && std::mem::replace(&mut self.state().count, seen) != seen
    }

    /// Asks for another tick when the key of a port is written.
    pub fn wait_for_write(&mut self, port: usize) {
        if let Binding::Slot(slot) = self.tree.binding(self.id, port) {
            self.awaited.insert(slot);
        }
    }

    /// Asks for another tick right away.
    pub fn wake(&mut self) {
        *self.wake = true;
    }

    /// Sets the node's timer.
    pub fn set_timer(&mut self, at: Moment) {
        self.clear_timer();
        self.state().until = at;
        self.timers.set(at, self.id);
    }

    pub fn clear_timer(&mut self) {
        let until = std::mem::replace(&mut self.state().until, NodeState::NEVER);
        if until != NodeState::NEVER {
            self.timers.clear(until, self.id);
        }
    }

    /// Forgets everything but the status.
    #[inline]
    pub fn clear(&mut self) {
        self.clear_timer();
        let status = self.state().status;
        *self.state() = NodeState { status, ..NodeState::default() };
    }

    /// Says why the node is about to answer Failure.
    pub fn because(&mut self, reason: impl FnOnce() -> String) {
        *self.reason = Some(reason().into());
    }

    /// The integer of a port that must have one.
    pub fn int(&self, port: usize) -> Result<i64, PortFault> {
        match self.port(port, Type::Int64)? {
            Value::Int(int) => Ok(int),
            other => Err(PortFault::new(self.tree, self.id, port, format!("{other} is no integer"))),
        }
    }

    /// The truth value of a port that must have one.
    pub fn flag(&self, port: usize) -> Result<bool, PortFault> {
        Ok(self.port(port, Type::Bool)? == Value::Bool(true))
    }

    /// The text of a port; `None` when it has no value, or one that is no text.
    pub fn text(&self, port: usize) -> Option<Arc<str>> {
        match read_port(self.tree, self.board, self.id, port, Type::Text) {
            Ok(Some(Value::Text(text))) => Some(text),
            _ => None,
        }
    }

    /// The number of a port as a span of milliseconds.
    pub fn millis(&self, port: usize) -> Result<std::time::Duration, PortFault> {
        let int = self.int(port)?;
        let ms = u64::try_from(int)
            .map_err(|_| PortFault::new(self.tree, self.id, port, format!("{int} is no span of time")))?;
        Ok(std::time::Duration::from_millis(ms))
    }

    fn port(&self, port: usize, ty: Type) -> Result<Value, PortFault> {
        read_port(self.tree, self.board, self.id, port, ty)?
            .ok_or_else(|| PortFault::new(self.tree, self.id, port, "it has no value".to_owned()))
    }
}
