//! What is asked of the service.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::call::{Arguments, ToolName};
use crate::service::{AgentIdentity, ErrorCode, ExecutionOptions, ResourceLimits, ServiceError};

/// The version that stands for the highest one there is.
pub const LATEST: &str = "latest";

/// One call of one tool.
///
/// # Example
/// ```
/// use helve::service::{AgentIdentity, InvokeRequest};
///
/// let request = InvokeRequest::from_json(r#"{
///     "invocation_id": "7f1c2a52-9a4e-4d6e-8f54-0c9b6a1f3d11",
///     "tool_id": "Read",
///     "parameters": {"file_path": "README.md"},
///     "agent_context": {"agent_did": "did:agent:abc123", "tenant_id": "tenant-001"},
///     "execution_options": {"priority": 7, "when_full": "queue"}
/// }"#)?;
/// assert_eq!(request.tool_version, "latest");
/// assert_eq!(request.agent_context.map(|agent| agent.agent_did), Some("did:agent:abc123".into()));
/// # Ok::<(), helve::service::ServiceError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InvokeRequest {
    /// The name of this request, chosen by whoever makes it. The response repeats it.
    pub invocation_id: Uuid,
    /// The tool.
    pub tool_id: ToolName,
    /// Its version, or [`LATEST`].
    #[serde(default = "latest")]
    pub tool_version: String,
    /// The arguments.
    #[serde(default)]
    pub parameters: Arguments,
    /// On whose behalf. A request without one is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_context: Option<AgentIdentity>,
    /// Limits that go before those of the tool's manifest.
    #[serde(default)]
    pub resource_limits: ResourceLimits,
    /// How it is to be carried out.
    #[serde(default)]
    pub execution_options: ExecutionOptions,
}

fn latest() -> String {
    LATEST.to_owned()
}

impl InvokeRequest {
    /// A request with a fresh name, for the latest version of a tool, with no argument.
    pub fn new(tool: impl Into<ToolName>, agent: AgentIdentity) -> Self {
        Self {
            invocation_id: Uuid::new_v4(),
            tool_id: tool.into(),
            tool_version: latest(),
            parameters: Arguments::new(),
            agent_context: Some(agent),
            resource_limits: ResourceLimits::default(),
            execution_options: ExecutionOptions::default(),
        }
    }

    /// The same request with one more argument.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<serde_json::Value>) -> Self {
        self.parameters.insert(name.into(), value.into());
        self
    }

    /// A request from its JSON.
    ///
    /// # Errors
    /// [`ErrorCode::E3110`] with the place of the fault.
    pub fn from_json(text: &str) -> Result<Self, ServiceError> {
        serde_json::from_str(text).map_err(|fault| {
            ServiceError::new(ErrorCode::E3110, format!("the request cannot be read: {fault}"))
                .suggest("Compare it with the fields of `InvokeRequest`.")
        })
    }
}
