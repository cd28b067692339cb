//! Why a call does not run, and the outcome that it leaves.

use crate::call::Call;
use crate::outcome::{DenialReason, Outcome, ToolDenied, ToolFailure};
use crate::tool::ToolError;

/// Why a call does not run.
#[derive(Debug, PartialEq)]
pub(in crate::exec) enum Refusal {
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
pub(in crate::exec) fn failure(call: &Call, error: &ToolError, elapsed_ms: u64) -> ToolFailure {
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
