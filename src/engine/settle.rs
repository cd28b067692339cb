//! What an outcome means to its leaf: judged by the success predicate, written to the blackboard.
//! Only this file writes the board for a tool.

use std::sync::Arc;

use serde_json::json;

use crate::call::Call;
use crate::catalog::ToolNode;
use crate::engine::{Engine, TickFault};
use crate::event::EventKind;
use crate::expr::{Env, NameId, Program};
use crate::id::{NodeId, SlotId};
use crate::outcome::{DenialReason, Outcome};
use crate::status::Status;
use crate::tree::Binding;
use crate::value::Value;

/// Where the whole result goes in the generic leaf, whose ports are not the tool's.
const GENERIC_RESULT_PORT: usize = 2;

impl Engine {
    /// Judges an outcome and writes what it brings. The outputs of a call that ran to its end are
    /// written even when the predicate refuses them: whoever handles the failure wants to see them.
    pub(super) fn settle(
        &mut self,
        id: NodeId,
        call: &Arc<Call>,
        outcome: &Arc<Outcome>,
    ) -> Result<Status, TickFault> {
        let tool = self.tool_of(id, call);
        let refusal = self.judge(id, tool.as_deref(), call, outcome);
        let status = if refusal.is_none() { Status::Success } else { Status::Failure };
        if let Some(output) = outcome.output() {
            self.write_outputs(id, tool.as_deref(), output)?;
        }
        match &refusal {
            Some(refusal) => self.write_error(id, call, outcome, refusal),
            None => self.clear_error(id),
        }
        let (call, outcome) = (call.id, outcome.clone());
        self.emit(|| EventKind::DidCall { node: id, call, outcome, status });
        self.run.reason = refusal.map(Into::into);
        Ok(status)
    }

    /// Why the outcome is no success; `None` when it is one.
    fn judge(&self, id: NodeId, tool: Option<&ToolNode>, call: &Call, outcome: &Outcome) -> Option<String> {
        let own = self.tree.tool_leaf(id).success.as_ref();
        // A predicate of the leaf's own also judges outcomes without output: it may accept a
        // timeout. The tool's predicate speaks of results alone.
        let predicate = match (own, outcome.output()) {
            (Some(own), _) => own,
            (None, Some(_)) => tool.and_then(|tool| tool.success.as_ref())?,
            (None, None) => return self.refusal_text(id, outcome),
        };
        let mut env = PredicateEnv::new(predicate, call, outcome);
        // A predicate never faults: what it cannot answer is not true.
        if predicate.test(&mut env).unwrap_or(false) {
            return None;
        }
        let refused = || {
            let message = outcome.output().and_then(|output| output.get("message")?.as_str());
            // A tool that knows why its result is empty says so in `message`.
            let said = message.map_or(String::new(), |message| format!(" ({message})"));
            format!("{}{said}", predicate.explain(&env))
        };
        Some(self.refusal_text(id, outcome).unwrap_or_else(refused))
    }

    /// What the outcome itself says went wrong; for missing arguments also which key is empty.
    fn refusal_text(&self, id: NodeId, outcome: &Outcome) -> Option<String> {
        let text = outcome.failure_text()?;
        let for_arguments =
            matches!(outcome, Outcome::ToolDenied(denied) if denied.reason == DenialReason::Validation);
        let why = if for_arguments { self.left_out_text(id) } else { String::new() };
        Some(if why.is_empty() { text } else { format!("{text} ({why})") })
    }

    fn write_outputs(
        &mut self,
        id: NodeId,
        tool: Option<&ToolNode>,
        output: &Arc<serde_json::Value>,
    ) -> Result<(), TickFault> {
        let Some(known) = self.tree.tool_leaf(id).tool.clone() else {
            return self.write_part(id, GENERIC_RESULT_PORT, whole(output));
        };
        debug_assert!(tool.is_some(), "a leaf whose tool is known has that tool");
        for (place, path) in known.results.iter().enumerate() {
            let port = known.arguments.len() + place;
            let part = if path.is_empty() {
                Some(whole(output))
            } else {
                path.find(output).cloned().map(Value::from_json)
            };
            if let Some(part) = part {
                self.write_part(id, port, part)?;
            }
        }
        Ok(())
    }

    fn write_part(&mut self, id: NodeId, port: usize, value: Value) -> Result<(), TickFault> {
        let Binding::Slot(slot) = self.tree.binding(id, port) else { return Ok(()) };
        let ty = self.tree.manifest(id).ports[port].ty;
        self.write_port(id, slot, value, ty).map_err(|fault| Self::fault(id, fault))
    }

    /// The particulars of a failure, for whoever handles it: kind, message, category, attempt.
    fn write_error(&mut self, id: NodeId, call: &Call, outcome: &Outcome, refusal: &str) {
        let Some(slot) = self.tree.tool_leaf(id).error else { return };
        let category = match outcome {
            Outcome::ToolFailure(failure) => Some(failure.category.as_str()),
            Outcome::ToolTimeout(_) => Some("timeout_error"),
            Outcome::ToolDenied(denied) => Some(denied.reason.as_str()),
            Outcome::ToolExecutionResult(_) | Outcome::ToolArtifactReference(_) => None,
        };
        let kind = if outcome.output().is_some() { "predicate" } else { outcome.kind() };
        let error = json!({
            "kind": kind,
            "message": refusal,
            "category": category,
            "tool": call.tool.as_str(),
            "attempt": call.attempt,
            "retryable": outcome.is_retryable(),
        });
        self.write_error_slot(id, slot, Some(Value::from_json(error)));
    }

    /// After a success no failure of an earlier attempt is left to be read.
    fn clear_error(&mut self, id: NodeId) {
        if let Some(slot) = self.tree.tool_leaf(id).error
            && self.slot_value(slot).is_some()
        {
            self.write_error_slot(id, slot, None);
        }
    }

    fn write_error_slot(&mut self, id: NodeId, slot: SlotId, value: Option<Value>) {
        match value {
            // The key is this leaf's own and untyped unless somebody else declares it; then that
            // somebody's type wins and the particulars stay in the events alone.
            Some(value) if self.run.board.write(slot, &value).is_err() => return,
            Some(_) => {}
            None => self.run.board.unset(slot),
        }
        self.tell_write(slot, Some(id));
    }
}

/// A result as a value; arrays and objects are shared, not copied.
fn whole(output: &Arc<serde_json::Value>) -> Value {
    match &**output {
        serde_json::Value::Array(_) | serde_json::Value::Object(_) => Value::Json(output.clone()),
        scalar => Value::from_json(scalar.clone()),
    }
}

/// What a success predicate sees: `result, outcome, attempt, elapsed_ms, args`.
struct PredicateEnv {
    values: Vec<Option<Value>>,
}

impl PredicateEnv {
    fn new(predicate: &Program, call: &Call, outcome: &Outcome) -> Self {
        let value_of = |name: &str| match name {
            "result" => outcome.output().map(whole),
            "outcome" => Some(Value::text(outcome.kind())),
            "attempt" => Some(Value::Int(call.attempt.into())),
            "elapsed_ms" => Some(Value::Int(i64::try_from(outcome.elapsed_ms()).unwrap_or(i64::MAX))),
            "args" => Some(Value::Json(Arc::new(serde_json::Value::Object((*call.arguments).clone())))),
            _ => None,
        };
        Self { values: predicate.names().iter().map(|name| value_of(&name.text)).collect() }
    }
}

impl Env for PredicateEnv {
    fn read(&self, name: NameId) -> Option<&Value> {
        self.values[name.index()].as_ref()
    }
}
