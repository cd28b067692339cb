//! What an outcome means to its leaf: judged by the success predicate, written to the blackboard.
//! Only this file writes the board for a tool.

use std::sync::Arc;

use serde_json::json;

use crate::board::WriteFault;
use crate::call::{Call, ToolName};
use crate::catalog::{Kind, ToolNode};
use crate::engine::Walk;
use crate::event::EventKind;
use crate::expr::{Env, NameId, Program};
use crate::id::{NodeId, SlotId};
use crate::outcome::{DenialReason, Outcome};
use crate::status::Status;
use crate::tree::{Binding, Tree};
use crate::value::Value;

/// Where the whole result goes in the generic leaf, whose ports are not the tool's.
const GENERIC_RESULT_PORT: usize = 2;

impl Walk<'_> {
    /// Judges an outcome and writes what it brings. The outputs of a call that ran to its end are
    /// written even when the predicate refuses them: whoever handles the failure wants to see them.
    /// An output that its key does not take is the leaf's failure and not the run's fault: a tool
    /// that answers with another type than it promised must not end a plan that can go on without.
    pub(super) fn settle(&mut self, id: NodeId, call: &Arc<Call>, outcome: &Arc<Outcome>) -> Status {
        let tool = self.tool_of(id, call);
        self.spend_bytes(id, outcome);
        let mut refusal = self.judge(id, tool.as_deref(), call, outcome);
        if let Some(output) = outcome.output() {
            let fault = self.write_outputs(id, output).err();
            refusal = refusal.or(fault.map(|fault| Refusal { kind: "output", message: fault.to_string() }));
        }
        let status = if refusal.is_none() { Status::Success } else { Status::Failure };
        match &refusal {
            Some(refusal) => self.write_error(id, call, outcome, refusal),
            None => self.clear_error(id),
        }
        let (call, outcome) = (call.id, outcome.clone());
        self.emit(|| EventKind::DidCall { node: id, call, outcome, status });
        self.run.reason = refusal.map(|refusal| refusal.message.into());
        status
    }

    /// Why the outcome is no success; `None` when it is one.
    fn judge(&self, id: NodeId, tool: Option<&ToolNode>, call: &Call, outcome: &Outcome) -> Option<Refusal> {
        let own = self.tree.tool_leaf(id).success.as_ref();
        // A predicate of the leaf's own also judges outcomes without output: it may accept a
        // timeout. The tool's predicate speaks of results alone.
        let predicate = match (own, outcome.output()) {
            (Some(own), _) => own,
            (None, Some(_)) => tool.and_then(|tool| tool.success.as_ref())?,
            (None, None) => return self.own_refusal(id, outcome),
        };
        let mut env = PredicateEnv::new(self.tree, predicate, (call, outcome));
        // A predicate never faults: what it cannot answer is not true.
        if predicate.test(&mut env).unwrap_or(false) {
            return None;
        }
        let explain = || {
            let message = outcome.output().and_then(|output| output.get("message")?.as_str());
            // A tool that knows why its result is empty says so in `message`.
            let said = message.map_or(String::new(), |message| format!(" ({message})"));
            Refusal { kind: "predicate", message: format!("{}{said}", predicate.explain(&env)) }
        };
        Some(self.own_refusal(id, outcome).unwrap_or_else(explain))
    }

    /// What the outcome itself says went wrong; for missing arguments also which key is empty.
    fn own_refusal(&self, id: NodeId, outcome: &Outcome) -> Option<Refusal> {
        let text = outcome.failure_text()?;
        let for_arguments =
            matches!(outcome, Outcome::ToolDenied(denied) if denied.reason == DenialReason::Validation);
        let why = if for_arguments { self.left_out_text(id) } else { String::new() };
        let message = if why.is_empty() { text } else { format!("{text} ({why})") };
        Some(Refusal { kind: outcome.kind(), message })
    }

    /// Writes every output that is bound; the first that its key does not take is told, the others
    /// are written all the same.
    fn write_outputs(&mut self, id: NodeId, output: &Arc<serde_json::Value>) -> Result<(), WriteFault> {
        let Some(known) = self.tree.tool_leaf(id).tool.clone() else {
            return self.write_part(id, GENERIC_RESULT_PORT, whole(output));
        };
        let mut answer = Ok(());
        for (place, path) in known.results.iter().enumerate() {
            let port = known.arguments.len() + place;
            let part = if path.is_empty() {
                Some(whole(output))
            } else {
                path.find(output).cloned().map(Value::from_json)
            };
            if let Some(part) = part {
                answer = answer.and(self.write_part(id, port, part));
            }
        }
        answer
    }

    fn write_part(&mut self, id: NodeId, port: usize, mut value: Value) -> Result<(), WriteFault> {
        let Binding::Slot(slot) = self.tree.binding(id, port) else { return Ok(()) };
        let ty = self.tree.manifest(id).ports[port].ty;
        self.write_port(id, slot, &mut value, ty)
    }

    /// The particulars of a failure, for whoever handles it: kind, message, category, attempt.
    fn write_error(&mut self, id: NodeId, call: &Call, outcome: &Outcome, refusal: &Refusal) {
        let category = match outcome {
            Outcome::ToolFailure(failure) => Some(failure.category.as_str()),
            Outcome::ToolTimeout(_) => Some("timeout_error"),
            Outcome::ToolDenied(denied) => Some(denied.reason.as_str()),
            Outcome::ToolExecutionResult(_) | Outcome::ToolArtifactReference(_) => None,
        };
        let error = json!({
            "kind": refusal.kind,
            "message": refusal.message,
            "category": category,
            "tool": call.tool.as_str(),
            "attempt": call.attempt,
            "retryable": outcome.is_retryable(),
        });
        self.write_particulars(id, error);
    }

    fn write_particulars(&mut self, id: NodeId, error: serde_json::Value) {
        if self.tree.has(Kind::Catch) {
            let mut error = error.clone();
            error["node"] = self.tree.path(id).into();
            self.note_failure(error);
        }
        if let Some(slot) = self.tree.tool_leaf(id).error {
            self.write_error_slot(id, slot, Some(Value::from_json(error)));
        }
    }

    /// What a leaf answers whose call was not even started.
    pub(super) fn refuse_call(&mut self, id: NodeId, tool: &ToolName, why: String) -> Status {
        let error = json!({
            "kind": "budget",
            "message": why,
            "category": "budget",
            "tool": tool.as_str(),
            "attempt": self.run.tools[self.tree.node(id).data as usize].attempts + 1,
            "retryable": false,
        });
        self.write_particulars(id, error);
        self.run.reason = Some(why.into());
        Status::Failure
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

/// Why an outcome is no success.
struct Refusal {
    /// `predicate`, `output`, or what the outcome is called.
    kind: &'static str,
    /// A sentence without a full stop.
    message: String,
}

/// A result as a value; arrays and objects are shared, not copied.
fn whole(output: &Arc<serde_json::Value>) -> Value {
    match &**output {
        serde_json::Value::Array(_) | serde_json::Value::Object(_) => Value::Json(output.clone()),
        scalar => Value::from_json(scalar.clone()),
    }
}

/// What a success predicate sees: `result, outcome, attempt, elapsed_ms, args`.
struct PredicateEnv<'e> {
    tree: &'e Tree,
    predicate: &'e Program,
    values: Vec<Option<Value>>,
}

impl<'e> PredicateEnv<'e> {
    fn new(tree: &'e Tree, predicate: &'e Program, (call, outcome): (&Call, &Outcome)) -> Self {
        let value_of = |name: &str| match name {
            "result" => outcome.output().map(whole),
            "outcome" => Some(Value::text(outcome.kind())),
            "attempt" => Some(Value::Int(call.attempt.into())),
            "elapsed_ms" => Some(Value::Int(i64::try_from(outcome.elapsed_ms()).unwrap_or(i64::MAX))),
            "args" => Some(Value::Json(Arc::new(serde_json::Value::Object((*call.arguments).clone())))),
            _ => None,
        };
        let values = predicate.names().iter().map(|name| value_of(&name.text)).collect();
        Self { tree, predicate, values }
    }
}

impl Env for PredicateEnv<'_> {
    fn read(&self, name: NameId) -> Option<&Value> {
        self.values[name.index()].as_ref()
    }

    fn enum_of(&self, name: NameId) -> Option<i64> {
        self.enum_value(&self.predicate.name(name).text)
    }

    fn enum_value(&self, text: &str) -> Option<i64> {
        self.tree.enum_value(text)
    }
}
