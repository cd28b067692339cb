//! What the service answers.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use uuid::Uuid;

use crate::service::{ExecutionMetadata, ServiceError, TaskId, ToolStatus};

/// What became of one request, or how it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InvokeResponse {
    /// The request that this answers.
    pub invocation_id: Uuid,
    /// How it stands.
    pub status: ToolStatus,
    /// The task that carries it out, when nobody waits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// What the tool gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<ToolResult>,
    /// Why there is no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ServiceError>,
    /// What it took.
    pub execution_metadata: ExecutionMetadata,
    /// When it ended, as RFC 3339; `None` while it goes on.
    pub completed_at: Option<String>,
}

/// What a tool gave: its result, or where that is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The tool's result, whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Arc<Json>>,
    /// Where the result is kept that was too large to be handed on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<ArtifactReference>,
    /// Whether the arguments had to be coerced before they fitted the tool's schema.
    #[serde(default)]
    pub was_coerced: bool,
}

/// A result that is kept in the artifact store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtifactReference {
    /// The key in the store.
    pub artifact_id: String,
    /// Its beginning.
    pub summary: String,
    /// Its size, in bytes.
    pub size_bytes: u64,
}

impl InvokeResponse {
    /// The tool's result; `None` without one, or when it is an artifact.
    pub fn output(&self) -> Option<&Json> {
        self.result.as_ref()?.result.as_deref()
    }

    /// The response as JSON.
    pub fn to_json(&self) -> Json {
        // Names are texts and numbers are whole: there is nothing that JSON cannot say.
        serde_json::to_value(self).expect("a response has a JSON form")
    }
}
