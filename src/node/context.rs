//! What a node may see and change of its run.

use std::sync::Arc;
use std::time::Duration;

use crate::engine::RunState;
use crate::id::{NodeId, SlotId};
use crate::limits::PULSE;
use crate::moment::Moment;
use crate::node::{Child, Kept, NodeState, PortFault, SlotWrite, Step, read_port};
use crate::status::Status;
use crate::tree::{Binding, Node, Tree};
use crate::value::{Type, Value};

/// One visit of one node.
pub(crate) struct NodeContext<'e> {
    pub id: NodeId,
    pub tree: &'e Tree,
    node: &'e Node,
    run: &'e mut RunState,
}

impl<'e> NodeContext<'e> {
    #[inline(always)]
    pub const fn new((id, node): (NodeId, &'e Node), tree: &'e Tree, run: &'e mut RunState) -> Self {
        Self { id, tree, node, run }
    }
}

impl NodeContext<'_> {
    /// The same once more, for a call on a rare way: what is lent to a call lies in memory on all ways.
    #[inline(always)]
    pub const fn again(&mut self) -> NodeContext<'_> {
        NodeContext { id: self.id, tree: self.tree, node: self.node, run: self.run }
    }

    /// The node's own state.
    #[inline(always)]
    pub fn state(&mut self) -> &mut NodeState {
        &mut self.run.states[self.id.index()]
    }

    /// The status of a node.
    #[inline(always)]
    pub fn status(&self, node: NodeId) -> Status {
        self.run.statuses[node.index()]
    }

    /// What the node keeps beyond its state.
    pub fn kept(&mut self) -> Option<&mut Kept> {
        self.run.kept.get_mut(&self.id)
    }

    /// Keeps something until [`clear`](Self::clear).
    pub fn keep(&mut self, kept: Kept) {
        self.run.kept.insert(self.id, kept);
    }

    /// The moment of the latest input.
    pub const fn now(&self) -> Moment {
        self.run.now
    }

    #[inline(always)]
    pub fn first_child(&self) -> Option<NodeId> {
        let first = self.id.get() + 1;
        (first < self.node.end).then_some(NodeId::new(first))
    }

    #[inline(always)]
    pub fn next_child(&self, child: NodeId) -> Option<NodeId> {
        let next = self.tree.node(child).end;
        (next < self.node.end).then_some(NodeId::new(next))
    }

    /// The child after one whose visit ended.
    #[inline(always)]
    pub const fn after(&self, child: Child) -> Option<NodeId> {
        if child.end < self.node.end { Some(NodeId::new(child.end)) } else { None }
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
        let cell = self.run.board.cell(slot);
        let seen = cell.seq as u32;
        cell.value.is_some() && std::mem::replace(&mut self.state().count, seen) != seen
    }

    /// Asks for another tick when the key of a port is written.
    pub fn wait_for_write(&mut self, port: usize) {
        if let Binding::Slot(slot) = self.tree.binding(self.id, port) {
            self.run.awaited.insert(slot);
        }
    }

    /// Asks for another tick right away.
    pub fn wake(&mut self) {
        self.run.wake = true;
        self.run.marks.mark(self.id);
    }

    /// Asks to be visited at the next tick, whatever brings it.
    pub fn stay(&mut self) {
        self.run.marks.mark_at_next_tick(self.id);
    }

    /// Whether only those children need a visit to which something happened.
    pub const fn is_sparse(&self) -> bool {
        self.run.sparse
    }

    /// Begins a visit of a node that visits all its children. When none was skipped the last time, those
    /// to which nothing happened are running, or have their verdict counted: they can be passed by.
    pub fn begin_sparsely(&mut self) {
        let is_sparse = self.run.sparse;
        let state = self.state();
        state.sparse = is_sparse && state.skips == 0;
        state.skips = 0;
    }

    /// Answers Running. Children that were skipped are asked again at the next tick.
    pub fn running_beside_skipped(&mut self) -> Step {
        if self.state().skips > 0 {
            self.stay();
        }
        Step::RUNNING
    }

    /// The child that is next to be visited, `from` or one after it.
    pub fn not_before(&mut self, from: Option<NodeId>) -> Option<NodeId> {
        if self.state().sparse { self.marked_child(from) } else { from }
    }

    /// The first child from `from` on to which something happened, or to something below it.
    pub fn marked_child(&self, from: Option<NodeId>) -> Option<NodeId> {
        let end = NodeId::new(self.node.end);
        let marked = self.run.marks.first_in(from?, end)?;
        let up = std::iter::successors(Some(marked), |&node| self.tree.parent(node));
        up.take_while(|&node| node != self.id).last()
    }

    /// Asks for another tick a little later: for a node that goes on without waiting for anything in
    /// particular, so that it does not take a whole processor.
    pub fn pulse(&mut self) {
        self.tick_at(self.run.now + PULSE);
    }

    /// Asks for another tick as soon as whoever drives the engine comes back to it. Unlike
    /// [`wake`](Self::wake) it is no part of the input at hand: the reference does not wake here.
    pub fn come_back(&mut self) {
        self.tick_at(self.run.now);
    }

    fn tick_at(&mut self, at: Moment) {
        self.run.tick_at(at);
        self.stay();
    }

    /// Writes a port when this visit is over. Nothing happens when it is bound to no key.
    pub fn write(&mut self, port: usize, value: Value) {
        if let Binding::Slot(slot) = self.tree.binding(self.id, port) {
            let ty = self.tree.manifest(self.id).ports[port].ty;
            self.run.writes.push(SlotWrite { slot, value: Some(value), ty });
        }
    }

    /// Sets the node's timer.
    pub fn set_timer(&mut self, at: Moment) {
        self.state().timed = true;
        self.run.timers.set(at, self.id);
    }

    /// Whether the node's timer is set and has not fired.
    pub fn is_waiting(&mut self) -> bool {
        self.state().timed
    }

    #[inline(always)]
    pub fn clear_timer(&mut self) {
        if self.state().timed {
            self.state().timed = false;
            self.run.timers.clear(self.id);
        }
    }

    /// Forgets everything but the status.
    #[inline]
    pub fn clear(&mut self) {
        self.clear_timer();
        *self.state() = NodeState::default();
        // Nearly never anything: one look at an empty map.
        if !self.run.kept.is_empty() {
            self.run.kept.remove(&self.id);
        }
    }

    /// Writes a key when this visit is over.
    pub fn write_slot(&mut self, slot: SlotId, value: Value) {
        self.run.writes.push(SlotWrite { slot, value: Some(value), ty: Type::Any });
    }

    /// Takes a key back to what it was before the run when this visit is over.
    pub fn reset_slot(&mut self, slot: SlotId) {
        self.run.writes.push(SlotWrite { slot, value: None, ty: Type::Any });
    }

    /// The value of a key.
    pub fn slot_value(&self, slot: SlotId) -> Option<&Value> {
        self.run.board.get(slot)
    }

    /// Says why the node is about to answer Failure.
    pub fn because(&mut self, reason: impl FnOnce() -> String) {
        if self.run.wants_reasons {
            self.run.reason = Some(reason().into());
        }
    }

    /// The integer of a port that must have one.
    pub fn int(&self, port: usize) -> Result<i64, PortFault> {
        match self.port(port, Type::Int64)? {
            Value::Int(int) => Ok(int),
            other => Err(PortFault::new(self.tree, self.id, port, format!("{other} is no integer"))),
        }
    }

    /// The number of a port that must have one.
    pub fn real(&self, port: usize) -> Result<f64, PortFault> {
        match self.port(port, Type::Real)? {
            Value::Real(real) => Ok(real),
            other => Err(PortFault::new(self.tree, self.id, port, format!("{other} is no number"))),
        }
    }

    /// The truth value of a port that must have one.
    pub fn flag(&self, port: usize) -> Result<bool, PortFault> {
        Ok(self.port(port, Type::Bool)? == Value::Bool(true))
    }

    /// The text of a port; `None` when it has no value, or one that is no text.
    pub fn text(&self, port: usize) -> Option<Arc<str>> {
        match read_port(self.tree, &self.run.board, (self.id, self.node), port, Type::Text) {
            Ok(Some(Value::Text(text))) => Some(text),
            _ => None,
        }
    }

    /// The number of a port as a span of milliseconds.
    pub fn millis(&self, port: usize) -> Result<Duration, PortFault> {
        let int = self.int(port)?;
        let ms = u64::try_from(int)
            .map_err(|_| PortFault::new(self.tree, self.id, port, format!("{int} is no span of time")))?;
        Ok(Duration::from_millis(ms))
    }

    /// A span of milliseconds that a port may have.
    pub fn optional_millis(&self, port: usize) -> Result<Option<Duration>, PortFault> {
        Ok(self.count(port)?.map(Duration::from_millis))
    }

    /// A number of things that a port may have.
    pub fn count(&self, port: usize) -> Result<Option<u64>, PortFault> {
        match read_port(self.tree, &self.run.board, (self.id, self.node), port, Type::Uint64)? {
            Some(Value::Int(int)) => Ok(Some(int.cast_unsigned())),
            _ => Ok(None),
        }
    }

    /// A status of a port that must have one.
    pub fn status_word(&self, port: usize) -> Result<Status, PortFault> {
        let word = self.text(port).and_then(|text| Status::parse(&text));
        word.ok_or_else(|| PortFault::new(self.tree, self.id, port, "it is no status".to_owned()))
    }

    /// The value of a port as it stands.
    pub fn value(&self, port: usize) -> Result<Option<Value>, PortFault> {
        read_port(self.tree, &self.run.board, (self.id, self.node), port, Type::Any)
    }

    fn port(&self, port: usize, ty: Type) -> Result<Value, PortFault> {
        read_port(self.tree, &self.run.board, (self.id, self.node), port, ty)?
            .ok_or_else(|| PortFault::new(self.tree, self.id, port, "it has no value".to_owned()))
    }
}
