//! The name of a task.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::service::InvokeRequest;

/// The name of a task: `task:TOOL:INVOCATION`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaskId(Arc<str>);

impl TaskId {
    /// The task of a request.
    pub fn of(request: &InvokeRequest) -> Self {
        Self(format!("task:{}:{}", request.tool_id, request.invocation_id).into())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for TaskId {
    fn from(name: &str) -> Self {
        Self(name.into())
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
