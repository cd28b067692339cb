//! How a request is to be carried out.

use serde::{Deserialize, Serialize};

use crate::limits::SERVICE_PRIORITY;

/// How a request is to be carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExecutionOptions {
    /// Whether to answer at once with the name of a task.
    pub async_mode: bool,
    /// Who goes first when places are few: 1 is last, 10 first.
    pub priority: u8,
    /// What to do when the agent has no place free.
    pub when_full: WhenFull,
    /// Whether and how to try again.
    pub retry: RetryOptions,
    /// Whether a kept result may be the answer, where the service keeps any.
    pub use_cache: bool,
}

impl Default for ExecutionOptions {
    fn default() -> Self {
        Self {
            async_mode: false,
            priority: SERVICE_PRIORITY,
            when_full: WhenFull::default(),
            retry: RetryOptions::default(),
            use_cache: true,
        }
    }
}

/// What to do when the agent has no place free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenFull {
    /// Answer with E3106.
    #[default]
    Reject,
    /// Wait in line, by priority.
    Queue,
}

/// Whether and how to try again. A tool that is not idempotent is never called a second time once it
/// may have run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetryOptions {
    /// Attempts, the first one included.
    pub max_attempts: u32,
    /// The pause before the second attempt, in milliseconds; it doubles from one to the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff_ms: Option<u64>,
    /// The longest pause, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff_max_ms: Option<u64>,
    /// Time for all attempts and pauses together, in seconds; as much as one attempt has when it is
    /// left out. Like every limit it is at most the parent's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_seconds: Option<u64>,
}

impl Default for RetryOptions {
    fn default() -> Self {
        Self { max_attempts: 1, backoff_ms: None, backoff_max_ms: None, budget_seconds: None }
    }
}
