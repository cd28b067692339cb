//! Tool leaves: a call is started, waited for, stopped.
//!
//! ```text
//! Idle ──start──→ Waiting ──outcome──→ Ready ──visit──→ Idle (settled)
//!                    └──halt──→ Stopping ──outcome──→ Idle (nothing written)
//! ```
//!
//! A leaf that is visited again while its old call is still stopping answers Running and starts
//! when the old call is reaped: two calls of one leaf never overlap.

use std::sync::Arc;
use std::time::Duration;

use crate::call::{Arguments, Call, ToolName};
use crate::catalog::{Kind, ToolNode};
use crate::engine::{Command, Fault, Walk};
use crate::event::EventKind;
use crate::id::{CallId, NodeId};
use crate::limits::CALLS_IN_FLIGHT_MAX;
use crate::node::read_json;
use crate::outcome::Outcome;
use crate::status::Status;
use crate::value::{Type, Value};

/// What the engine remembers of a tool leaf.
#[derive(Clone, Debug, Default)]
pub(super) struct ToolCell {
    pub phase: Phase,
    /// How often the leaf was started in this run.
    pub attempts: u32,
    /// Needed arguments of the latest call that were left out because their key has no value: the
    /// argument, and the key or part of one.
    pub left_out: Vec<(Arc<str>, String)>,
}

/// Where the call of a leaf stands.
#[derive(Clone, Debug, Default)]
pub(super) enum Phase {
    #[default]
    Idle,
    Waiting(Arc<Call>),
    Ready(Arc<Call>, Arc<Outcome>),
    Stopping,
}

/// The places of the generic leaf's ports.
const TOOL_PORT: usize = 0;
const ARGS_PORT: usize = 1;

impl Walk<'_> {
    fn cell(&mut self, id: NodeId) -> &mut ToolCell {
        let cell = self.tree.node(id).data as usize;
        &mut self.run.tools[cell]
    }

    pub(super) fn visit_tool(&mut self, id: NodeId) -> Result<Status, Fault> {
        let before = self.status(id);
        if before.is_completed() {
            return Ok(before);
        }
        match std::mem::take(&mut self.cell(id).phase) {
            Phase::Ready(call, outcome) => Ok(self.settle(id, &call, &outcome)),
            Phase::Idle if self.run.calls.len() < CALLS_IN_FLIGHT_MAX => self.start_call(id),
            waiting => {
                if matches!(waiting, Phase::Idle) {
                    // It starts as soon as there is room, whichever call ends first.
                    self.run.marks.mark_at_next_tick(id);
                }
                self.cell(id).phase = waiting;
                Ok(Status::Running)
            }
        }
    }

    fn start_call(&mut self, id: NodeId) -> Result<Status, Fault> {
        let (tool, arguments) = match self.tree.node(id).kind {
            Kind::DynamicTool => self.chosen_call(id)?,
            _ => self.named_call(id),
        };
        if let Err(why) = self.spend_call(id) {
            return Ok(self.refuse_call(id, &tool, why));
        }
        self.cell(id).attempts += 1;
        self.run.calls_made += 1;
        let call = Arc::new(Call {
            id: CallId(self.run.calls_made),
            tool,
            arguments: Arc::new(arguments),
            timeout: self.timeout_of(id),
            attempt: self.cell(id).attempts,
            caller: self.tree.caller(id).clone(),
        });
        self.run.calls.insert(call.id, id);
        self.cell(id).phase = Phase::Waiting(call.clone());
        self.emit_reported(|| EventKind::WillCall { node: id, call: call.clone() });
        self.commands.push_back(Command::Start(call));
        Ok(Status::Running)
    }

    /// The bound that a leaf puts on its call: its own, or what is left of a budget when that is less
    /// than the call would get anyway. More than that a budget does not give.
    fn timeout_of(&mut self, id: NodeId) -> Option<Duration> {
        let left = self.time_left(id);
        let leaf = self.tree.tool_leaf(id);
        let wanted = leaf.timeout.or_else(|| leaf.tool.as_ref().map(|tool| tool.manifest.timeout));
        match (left, wanted) {
            (Some(left), Some(wanted)) if left < wanted => Some(left),
            (Some(left), None) => Some(left),
            _ => leaf.timeout,
        }
    }

    /// The call of a leaf whose tool is known: one argument a bound input port. An argument whose
    /// key has no value is left out; the executor's validation says so when it was needed.
    fn named_call(&mut self, id: NodeId) -> (ToolName, Arguments) {
        let tree = self.tree;
        let Some(tool) = &tree.tool_leaf(id).tool else {
            return (ToolName::new(""), Arguments::new());
        };
        let ports = &tree.manifest(id).ports;
        let mut arguments = Arguments::new();
        let mut left_out = Vec::new();
        for (index, argument) in tool.arguments.iter().enumerate() {
            match read_json(tree, &self.run.board, id, index, ports[index].ty) {
                Ok(Some(value)) => drop(arguments.insert(argument.to_string(), value)),
                Ok(None) => {}
                Err(key) if ports[index].required => left_out.push((argument.clone(), key)),
                Err(_) => {}
            }
        }
        self.cell(id).left_out = left_out;
        (tool.manifest.name.clone(), arguments)
    }

    /// Why arguments are missing, when the call of a leaf was denied for them.
    pub(super) fn left_out_text(&self, id: NodeId) -> String {
        let left_out = &self.run.tools[self.tree.node(id).data as usize].left_out;
        let texts: Vec<_> =
            left_out.iter().map(|(argument, key)| format!("`{argument}`: `{key}` has no value")).collect();
        texts.join(", ")
    }

    /// The call of a leaf whose tool is chosen now.
    fn chosen_call(&self, id: NodeId) -> Result<(ToolName, Arguments), Fault> {
        let tool = self.read(id, TOOL_PORT, Type::Text);
        let Some(Value::Text(tool)) = tool.map_err(|fault| Self::fault(id, fault))? else {
            return Err(Self::fault(id, "the port `tool` has no value"));
        };
        let arguments = match read_json(self.tree, &self.run.board, id, ARGS_PORT, Type::Json) {
            Ok(None) => Arguments::new(),
            Ok(Some(serde_json::Value::Object(arguments))) => arguments,
            Ok(Some(other)) => {
                return Err(Self::fault(id, format!("the port `args` is no JSON object: {other}")));
            }
            Err(key) => {
                return Err(Self::fault(id, format!("the port `args` needs `{key}`, which has no value")));
            }
        };
        Ok((ToolName::new(tool), arguments))
    }

    /// The tool behind a call, known or chosen.
    pub(super) fn tool_of(&self, id: NodeId, call: &Call) -> Option<Arc<ToolNode>> {
        let leaf = self.tree.tool_leaf(id);
        leaf.tool.clone().or_else(|| self.tree.tool(&call.tool).cloned())
    }

    /// Stops the call of a leaf that is being halted.
    pub(super) fn stop_call(&mut self, id: NodeId) {
        match std::mem::take(&mut self.cell(id).phase) {
            Phase::Waiting(call) => {
                let call = call.id;
                self.cell(id).phase = Phase::Stopping;
                self.emit_reported(|| EventKind::WillStop { node: id, call });
                self.commands.push_back(Command::Stop(call));
            }
            Phase::Ready(call, outcome) => {
                // The outcome came and nobody wants it any more.
                let call = call.id;
                self.emit_reported(|| EventKind::DidStop { node: id, call, outcome });
            }
            phase @ (Phase::Idle | Phase::Stopping) => self.cell(id).phase = phase,
        }
    }

    /// Takes the outcome of a call. One that nobody waits for, or a second one, changes nothing.
    pub(super) fn take_outcome(&mut self, outcome: Arc<Outcome>) {
        let call_id = outcome.call_id();
        let Some(node) = self.run.calls.remove(&call_id) else { return };
        match std::mem::take(&mut self.cell(node).phase) {
            Phase::Waiting(call) => self.cell(node).phase = Phase::Ready(call, outcome),
            Phase::Stopping => {
                self.emit_reported(|| EventKind::DidStop { node, call: call_id, outcome });
            }
            phase => self.cell(node).phase = phase,
        }
        self.run.marks.mark(node);
        // A tree that has come to its verdict only waits for its calls to be reaped.
        self.run.wake |= self.run.verdict.is_none();
    }
}
