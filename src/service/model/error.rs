//! What went wrong, as codes that a program can act on.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! codes {
    ($($(#[$doc:meta])* $id:ident $slug:literal $retryable:literal)*) => {
        /// The code of an error on the wire. The number never changes its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum ErrorCode { $($(#[$doc])* $id,)* }

        impl ErrorCode {
            /// Every code, in order.
            pub const ALL: &[Self] = &[$(Self::$id),*];

            /// The code as it is written: `E3106`.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$id => stringify!($id),)* }
            }

            /// The code's name in words: `concurrency_limit`.
            pub const fn slug(self) -> &'static str {
                match self { $(Self::$id => $slug,)* }
            }

            /// Whether another try may succeed, where the tool or its outcome does not know better.
            pub const fn is_retryable(self) -> bool {
                match self { $(Self::$id => $retryable,)* }
            }
        }
    };
}

codes! {
    /// There is no such tool, or no such version of it.
    E3001 "tool_not_found" false
    /// The request does not say on whose behalf it is made.
    E3101 "agent_context_required" false
    /// The tool did not end by its deadline.
    E3103 "execution_timeout" true
    /// The agent has too many calls under way, or the queue is full, or the wait for a place was too
    /// long.
    E3106 "concurrency_limit" true
    /// The tool failed. Whether another try may succeed is the tool's word.
    E3108 "execution_failed" false
    /// The request makes no sense.
    E3110 "request_invalid" false
    /// The request asks for more than the sandbox that it lies inside of has.
    E3111 "limit_above_parent" false
    /// A rule refused the call before its tool ran.
    E3112 "call_denied" false
    /// The caller did not want the result any more.
    E3113 "cancelled" false
    /// The tool's result does not fit the schema that its manifest gives.
    E3114 "result_invalid" false
    /// No task of that name is known, or its response is no longer kept.
    E3115 "task_unknown" false
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceError {
    /// What kind of fault.
    pub code: ErrorCode,
    /// What is wrong: a lowercase sentence without a full stop.
    pub message: String,
    /// The rule that refused a call, or the category of a tool's failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// Whether another try may succeed.
    pub retryable: bool,
}

impl ServiceError {
    /// An error of this code, as retryable as the code is.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            category: None,
            suggestion: None,
            retryable: code.is_retryable(),
        }
    }

    /// The same error with a next step.
    #[must_use]
    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// The caller did not want the result any more.
    pub(in crate::service) fn cancelled() -> Self {
        Self::new(ErrorCode::E3113, "the call was cancelled")
    }
}

impl fmt::Display for ServiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code, self.message)?;
        match &self.suggestion {
            Some(suggestion) => write!(f, " ({suggestion})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ServiceError {}
