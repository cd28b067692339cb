//! What may refuse a call before its tool runs. One file is one rule; all have one shape.

mod deadline;
mod validation;
mod web;

use std::sync::Arc;

use crate::call::{Arguments, Call};
use crate::exec::{ArgumentSchema, Turn};
use crate::manifest::ToolManifest;
use crate::moment::Moment;
use crate::outcome::{DenialReason, Outcome, ToolDenied, ToolFailure};
use crate::tool::ToolError;

/// A call on its way in.
pub(super) struct Entry<'a> {
    pub call: &'a Call,
    pub manifest: &'a Arc<ToolManifest>,
    pub schema: &'a ArgumentSchema,
    pub turn: &'a Turn,
    pub now: Moment,
}

/// What the gates made of the call's arguments.
pub(super) struct Admitted {
    pub arguments: Arguments,
    pub was_coerced: bool,
}

/// All gates, in their order: what costs least and depends on least comes first. A spent budget
/// refuses everything, so nothing else is worth asking; the web mode is one flag; validation
/// copies and walks the arguments, and what it makes of them is what the tool gets, so that
/// nothing may change them after it.
pub(super) fn pass(entry: &Entry<'_>) -> Result<Admitted, Refusal> {
    deadline::pass(entry)?;
    web::pass(entry)?;
    validation::pass(entry)
}

/// Why a call does not run.
#[derive(Debug, PartialEq)]
pub(super) enum Refusal {
    Denied { reason: DenialReason, details: String, hint: Option<String> },
    Failed(ToolError),
}

impl Refusal {
    /// The outcome of a call that did not run.
    pub fn into_outcome(self, call: &Call) -> Outcome {
        match self {
            Self::Denied { reason, details, hint } => Outcome::ToolDenied(ToolDenied {
                call_id: call.id,
                tool_name: call.tool.clone(),
                reason,
                details,
                hint,
            }),
            Self::Failed(error) => Outcome::ToolFailure(failure(call, &error, 0)),
        }
    }
}

/// A tool's error as an outcome.
pub(super) fn failure(call: &Call, error: &ToolError, elapsed_ms: u64) -> ToolFailure {
    ToolFailure {
        call_id: call.id,
        tool_name: call.tool.clone(),
        error: error.message().to_owned(),
        category: error.category(),
        suggestion: error.suggestion().map(str::to_owned),
        retryable: error.is_retryable(),
        elapsed_ms,
    }
}

/// What a test of a gate needs: a call of a tool in a turn.
#[cfg(test)]
fn refusal_of(manifest: ToolManifest, arguments: serde_json::Value, turn: &Turn) -> Option<Refusal> {
    let serde_json::Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let call = Call {
        id: crate::id::CallId(1),
        tool: manifest.name.clone(),
        arguments: Arc::new(arguments),
        timeout: None,
        attempt: 1,
        caller: "root".into(),
    };
    let schema = ArgumentSchema::new(&manifest.input_schema).expect("a good schema");
    let now = Moment::from_millis(1_000);
    pass(&Entry { call: &call, manifest: &Arc::new(manifest), schema: &schema, turn, now }).err()
}
