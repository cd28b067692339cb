//! What every tool call leaves: exactly one of five outcomes.
//!
//! The union is closed and matched exhaustively everywhere; there is no "other".

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value as Json;

use crate::call::ToolName;
use crate::id::CallId;

mod model_content;

/// The result of dispatching one tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    /// The tool ran and its output fits inline.
    ToolExecutionResult(ToolExecutionResult),
    /// The tool did not end by its deadline.
    ToolTimeout(ToolTimeout),
    /// The tool ran and ended in an error.
    ToolFailure(ToolFailure),
    /// The tool was not run.
    ToolDenied(ToolDenied),
    /// The tool ran and its output was stored whole, elsewhere.
    ToolArtifactReference(ToolArtifactReference),
}

/// A field that is there has a value, even `null`: serde takes that for an absent field.
fn present<'de, D: Deserializer<'de>>(field: D) -> Result<Option<Arc<Json>>, D::Error> {
    Arc::deserialize(field).map(Some)
}

/// A finished call with its output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolExecutionResult {
    /// The call that this answers.
    pub call_id: CallId,
    /// The tool that ran.
    pub tool_name: ToolName,
    /// The tool's return value, whole: predicates and ports read it.
    pub output: Arc<Json>,
    /// What a model sees instead, when that had to be cut; it says what was.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub shown: Option<Arc<Json>>,
    /// Milliseconds from the start of the call.
    pub elapsed_ms: u64,
    /// Whether the arguments had to be coerced before they fitted the schema.
    #[serde(default)]
    pub was_coerced: bool,
}

/// A call that its deadline ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolTimeout {
    /// The call that this answers.
    pub call_id: CallId,
    /// The tool that was stopped.
    pub tool_name: ToolName,
    /// The deadline that was reached, in seconds from the start of the call.
    pub deadline_s: f64,
    /// Milliseconds from the start of the call.
    pub elapsed_ms: u64,
    /// Whether another try may succeed, from the tool's `retry_on_timeout`.
    pub retryable: bool,
}

/// A call that ended in an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolFailure {
    /// The call that this answers.
    pub call_id: CallId,
    /// The tool that failed.
    pub tool_name: ToolName,
    /// What went wrong, for the person or model that reads it.
    pub error: String,
    /// Whose fault it is, coarsely.
    pub category: ErrorCategory,
    /// What to do next, when the tool knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// Whether another try may succeed.
    pub retryable: bool,
    /// Milliseconds from the start of the call.
    pub elapsed_ms: u64,
}

/// A call that was refused before the tool ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolDenied {
    /// The call that this answers.
    pub call_id: CallId,
    /// The tool that was asked for.
    pub tool_name: ToolName,
    /// Which rule refused it.
    pub reason: DenialReason,
    /// The particulars.
    #[serde(default)]
    pub details: String,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A finished call whose output was too large to hand on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolArtifactReference {
    /// The call that this answers.
    pub call_id: CallId,
    /// The tool that ran.
    pub tool_name: ToolName,
    /// The key in the artifact store.
    pub artifact_id: String,
    /// A preview of at most [`ARTIFACT_SUMMARY_CHARS_MAX`](crate::limits::ARTIFACT_SUMMARY_CHARS_MAX) characters.
    pub summary: String,
    /// The size of the stored content, in bytes.
    pub size_bytes: u64,
    /// The output whole, for predicates and ports; a model never sees it.
    pub output: Arc<Json>,
    /// Milliseconds from the start of the call.
    pub elapsed_ms: u64,
}

/// Why a call was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DenialReason {
    /// An idempotent tool already succeeded with the same arguments.
    Duplicate,
    /// The same call ended the same way too often in the turn.
    Loop,
    /// The tool failed for good earlier in the turn.
    Blocked,
    /// The callback before every tool said no.
    PreHook,
    /// The arguments do not fit the tool's schema.
    Validation,
    /// The turn's time was spent before the call started.
    Deadline,
    /// A person or a policy refused the write.
    WriteDenied,
}

impl DenialReason {
    /// The reason's name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Loop => "loop",
            Self::Blocked => "blocked",
            Self::PreHook => "pre_hook",
            Self::Validation => "validation",
            Self::Deadline => "deadline",
            Self::WriteDenied => "write_denied",
        }
    }
}

impl fmt::Display for DenialReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Whose fault an error is, coarsely: what a retry or a `Catch` branches on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ErrorCategory {
    /// The tool or a service that it needs is set up wrongly.
    #[serde(rename = "configuration_error")]
    Configuration,
    /// Something inside the call took too long.
    #[serde(rename = "timeout_error")]
    Timeout,
    /// A peer could not be reached.
    #[serde(rename = "network_error")]
    Network,
    /// A file or another resource is missing or broken.
    #[serde(rename = "resource_error")]
    Resource,
    /// The arguments make no sense to the tool.
    #[serde(rename = "user_input_error")]
    UserInput,
    /// A service answered with an error.
    #[serde(rename = "api_error")]
    Api,
    /// Something is not permitted.
    #[serde(rename = "permission_error")]
    Permission,
    /// Anything unexpected, a panic included.
    #[serde(rename = "runtime_error")]
    Runtime,
    /// The caller no longer wanted the result.
    #[serde(rename = "cancelled")]
    Cancelled,
}

impl ErrorCategory {
    /// The category's name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Configuration => "configuration_error",
            Self::Timeout => "timeout_error",
            Self::Network => "network_error",
            Self::Resource => "resource_error",
            Self::UserInput => "user_input_error",
            Self::Api => "api_error",
            Self::Permission => "permission_error",
            Self::Runtime => "runtime_error",
            Self::Cancelled => "cancelled",
        }
    }

    /// The category of that name.
    pub fn named(name: &str) -> Option<Self> {
        const ALL: [ErrorCategory; 9] = [
            ErrorCategory::Configuration,
            ErrorCategory::Timeout,
            ErrorCategory::Network,
            ErrorCategory::Resource,
            ErrorCategory::UserInput,
            ErrorCategory::Api,
            ErrorCategory::Permission,
            ErrorCategory::Runtime,
            ErrorCategory::Cancelled,
        ];
        ALL.into_iter().find(|category| category.as_str() == name)
    }

    /// Whether such an error is about one call and what it was asked, not about its tool.
    const fn is_of_the_call(self) -> bool {
        matches!(self, Self::Resource | Self::UserInput | Self::Cancelled)
    }
}

impl fmt::Display for ErrorCategory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Outcome {
    /// The call that this answers.
    pub fn call_id(&self) -> CallId {
        match self {
            Self::ToolExecutionResult(it) => it.call_id,
            Self::ToolTimeout(it) => it.call_id,
            Self::ToolFailure(it) => it.call_id,
            Self::ToolDenied(it) => it.call_id,
            Self::ToolArtifactReference(it) => it.call_id,
        }
    }

    /// The tool that was asked for.
    pub fn tool_name(&self) -> &ToolName {
        match self {
            Self::ToolExecutionResult(it) => &it.tool_name,
            Self::ToolTimeout(it) => &it.tool_name,
            Self::ToolFailure(it) => &it.tool_name,
            Self::ToolDenied(it) => &it.tool_name,
            Self::ToolArtifactReference(it) => &it.tool_name,
        }
    }

    /// Milliseconds from the start of the call; zero for a call that never started.
    pub fn elapsed_ms(&self) -> u64 {
        match self {
            Self::ToolExecutionResult(it) => it.elapsed_ms,
            Self::ToolTimeout(it) => it.elapsed_ms,
            Self::ToolFailure(it) => it.elapsed_ms,
            Self::ToolDenied(_) => 0,
            Self::ToolArtifactReference(it) => it.elapsed_ms,
        }
    }

    /// The tool's output, whole, when it ran to its end without an error.
    pub fn output(&self) -> Option<&Arc<Json>> {
        match self {
            Self::ToolExecutionResult(it) => Some(&it.output),
            Self::ToolArtifactReference(it) => Some(&it.output),
            Self::ToolTimeout(_) | Self::ToolFailure(_) | Self::ToolDenied(_) => None,
        }
    }

    /// The outcome's kind on the wire, which predicates see as `outcome`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::ToolExecutionResult(_) => "result",
            Self::ToolTimeout(_) => "timeout",
            Self::ToolFailure(_) => "failure",
            Self::ToolDenied(_) => "denied",
            Self::ToolArtifactReference(_) => "artifact",
        }
    }

    /// Whether the call ran and ended badly: a timeout or a failure.
    pub const fn is_error(&self) -> bool {
        matches!(self, Self::ToolTimeout(_) | Self::ToolFailure(_))
    }

    /// Whether another try may succeed.
    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::ToolTimeout(it) => it.retryable,
            Self::ToolFailure(it) => it.retryable,
            Self::ToolExecutionResult(_) | Self::ToolDenied(_) | Self::ToolArtifactReference(_) => false,
        }
    }

    /// Whether the tool must not be tried again in this turn: it ended badly, for good, and that
    /// says something of the tool. A call that nobody wanted any more says nothing, nor does one
    /// that could not end well with *these* arguments: the note that does not exist must not keep
    /// the next one from being read.
    pub const fn blocks_tool(&self) -> bool {
        match self {
            Self::ToolTimeout(it) => !it.retryable,
            Self::ToolFailure(it) => !it.retryable && !it.category.is_of_the_call(),
            Self::ToolExecutionResult(_) | Self::ToolDenied(_) | Self::ToolArtifactReference(_) => false,
        }
    }

    /// What to do next about a call that brought nothing, when somebody knows.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::ToolExecutionResult(_) | Self::ToolArtifactReference(_) => None,
            Self::ToolTimeout(_) => Some("give the call more time, or a smaller task"),
            Self::ToolFailure(it) => it.suggestion.as_deref(),
            Self::ToolDenied(it) => it.hint.as_deref(),
        }
    }

    /// What went wrong, in a sentence without a full stop; `None` when nothing did.
    pub fn failure_text(&self) -> Option<String> {
        match self {
            Self::ToolExecutionResult(_) | Self::ToolArtifactReference(_) => None,
            Self::ToolTimeout(it) => Some(format!("{} did not end within {} s", it.tool_name, it.deadline_s)),
            Self::ToolFailure(it) => Some(it.error.clone()),
            Self::ToolDenied(it) if it.details.is_empty() => Some(format!("denied: {}", it.reason)),
            Self::ToolDenied(it) => Some(format!("denied ({}): {}", it.reason, it.details)),
        }
    }
}
