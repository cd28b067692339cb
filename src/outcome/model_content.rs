//! What a model sees as the result of its call: one JSON text a row of the table.
//!
//! | outcome | text |
//! |---|---|
//! | result | the output; what it was cut to, when it was too long |
//! | timeout | `{"status": "error", "error": ..., "timed_out": true, "retryable": ...}` |
//! | failure | `{"status": "error", "error": ..., "retryable": ...}` |
//! | denied: duplicate | `{"warning": "duplicate_tool_call", "skipped": true}` |
//! | denied: blocked | `{"warning": "non_retryable_tool_failure", "skipped": true}` |
//! | denied: validation | `{"error": "argument_validation_failed", "details": ..., "hint": ...}` |
//! | denied: deadline | `{"error": "Turn deadline expired; cannot execute tool.", "timed_out": true}` |
//! | denied: any other | `{"error": "Blocked: ...", "blocked": true}` |
//! | artifact | `{"artifact_reference": ..., "summary": ..., "hint": ...}` |

use serde::Serialize;

use super::{DenialReason, Outcome, ToolDenied};

/// The rows. Members are written in the order of the table, so that the text is the same to the
/// byte wherever it is made.
#[derive(Serialize)]
#[serde(untagged)]
enum Row<'a> {
    Timeout { status: &'a str, error: String, timed_out: bool, retryable: bool },
    Failure { status: &'a str, error: &'a str, retryable: bool },
    Skipped { warning: &'a str, skipped: bool },
    Validation { error: &'a str, details: &'a str, hint: &'a str },
    Deadline { error: &'a str, timed_out: bool },
    Blocked { error: String, blocked: bool },
    Artifact { artifact_reference: &'a str, summary: &'a str, hint: String },
}

impl Outcome {
    /// The text that a model sees as the result of its call.
    pub fn to_model_content(&self) -> String {
        match self {
            Self::ToolExecutionResult(it) => it.shown.as_ref().unwrap_or(&it.output).to_string(),
            Self::ToolTimeout(it) => Row::Timeout {
                status: "error",
                error: format!("{} timed out after {} s", it.tool_name, it.deadline_s),
                timed_out: true,
                retryable: it.retryable,
            }
            .to_text(),
            Self::ToolFailure(it) => {
                Row::Failure { status: "error", error: &it.error, retryable: it.retryable }.to_text()
            }
            Self::ToolDenied(it) => it.row().to_text(),
            Self::ToolArtifactReference(it) => {
                let (id, bytes) = (&it.artifact_id, it.size_bytes);
                let hint = format!("The output has {bytes} bytes; read artifact {id} for all of it.");
                Row::Artifact { artifact_reference: id, summary: &it.summary, hint }.to_text()
            }
        }
    }
}

impl ToolDenied {
    fn row(&self) -> Row<'_> {
        match self.reason {
            DenialReason::Duplicate => Row::Skipped { warning: "duplicate_tool_call", skipped: true },
            DenialReason::Blocked => Row::Skipped { warning: "non_retryable_tool_failure", skipped: true },
            DenialReason::Validation => Row::Validation {
                error: "argument_validation_failed",
                details: &self.details,
                hint: self.hint.as_deref().unwrap_or("Correct the arguments and call again."),
            },
            DenialReason::Deadline => {
                Row::Deadline { error: "Turn deadline expired; cannot execute tool.", timed_out: true }
            }
            DenialReason::PreHook | DenialReason::WriteDenied | DenialReason::Loop => {
                let why = if self.details.is_empty() { self.reason.as_str() } else { &self.details };
                Row::Blocked { error: format!("Blocked: {why}"), blocked: true }
            }
        }
    }
}

impl Row<'_> {
    fn to_text(&self) -> String {
        serde_json::to_string(self).expect("texts and flags under literal names always have a JSON form")
    }
}
