//! What the engine asks of the tools.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::id::CallId;

/// The arguments of a call: a JSON object.
pub type Arguments = serde_json::Map<String, serde_json::Value>;

/// The true name of a tool, before any change that XML asks for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolName(Arc<str>);

impl ToolName {
    /// The name `name`.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<&str> for ToolName {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

/// One call of one tool: everything that the executor needs to know of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The call's identity in its run.
    pub id: CallId,
    /// The tool that is called.
    pub tool: ToolName,
    /// The arguments, not yet validated.
    pub arguments: Arc<Arguments>,
    /// The caller's own bound on the call; `None` leaves it to the tool's manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
    /// Which start of its leaf this is, from 1. A retried leaf counts on.
    pub attempt: u32,
    /// Who asks: the leaf's path in its tree, for people and for traces.
    pub caller: Arc<str>,
}

impl Call {
    /// The first call of its leaf, which is the root, with no bound of the caller's own.
    pub fn new(id: CallId, tool: impl Into<ToolName>, arguments: Arguments) -> Self {
        let caller = "root".into();
        Self { id, tool: tool.into(), arguments: Arc::new(arguments), timeout: None, attempt: 1, caller }
    }
}
