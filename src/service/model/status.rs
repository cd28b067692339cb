//! How a request stands.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ToolStatus {
    /// The tool gave its result.
    Success,
    /// The request was refused, or the tool failed.
    Error,
    /// The tool did not end by its deadline.
    Timeout,
    /// The caller did not want the result any more.
    Cancelled,
    /// The request waits for a place.
    Pending,
    /// The tool runs.
    Running,
}

impl ToolStatus {
    /// The status on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "SUCCESS",
            Self::Error => "ERROR",
            Self::Timeout => "TIMEOUT",
            Self::Cancelled => "CANCELLED",
            Self::Pending => "PENDING",
            Self::Running => "RUNNING",
        }
    }

    /// Whether nothing will change any more.
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Pending | Self::Running)
    }
}

impl fmt::Display for ToolStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
