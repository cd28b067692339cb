//! Why a tool did not give its result.

use std::fmt;
use std::io;

use crate::harness::RootError;
use crate::outcome::ErrorCategory;

/// What a tool answers when it cannot give its result.
// In a box: a result is handed on through many hands, and should be no larger than what it mostly holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError(Box<Whole>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Whole {
    category: ErrorCategory,
    message: String,
    suggestion: Option<String>,
    retryable: bool,
}

impl ToolError {
    /// An error of this category. Network and timeout errors may be retried; others not, unless
    /// [`retryable`](Self::retryable) says so.
    pub fn new(category: ErrorCategory, message: impl Into<String>) -> Self {
        let retryable = matches!(category, ErrorCategory::Network | ErrorCategory::Timeout);
        Self(Box::new(Whole { category, message: message.into(), suggestion: None, retryable }))
    }

    /// The arguments make no sense to the tool.
    pub fn user_input(message: impl Into<String>) -> Self {
        Self::new(ErrorCategory::UserInput, message)
    }

    /// A file or another resource is missing or broken.
    pub fn resource(message: impl Into<String>) -> Self {
        Self::new(ErrorCategory::Resource, message)
    }

    /// Something is not permitted.
    pub fn permission(message: impl Into<String>) -> Self {
        Self::new(ErrorCategory::Permission, message)
    }

    /// Something unexpected.
    pub fn runtime(message: impl Into<String>) -> Self {
        Self::new(ErrorCategory::Runtime, message)
    }

    /// The call's token was cancelled, or its lease is dead.
    pub fn cancelled() -> Self {
        Self::new(ErrorCategory::Cancelled, "the call was cancelled")
    }

    /// An I/O error with what was being done, `reading notes/a.md`, and a category by its kind.
    pub fn io(doing: impl fmt::Display, error: &io::Error) -> Self {
        let category = match error.kind() {
            io::ErrorKind::PermissionDenied => ErrorCategory::Permission,
            io::ErrorKind::TimedOut => ErrorCategory::Timeout,
            io::ErrorKind::InvalidInput => ErrorCategory::UserInput,
            _ => ErrorCategory::Resource,
        };
        Self::new(category, format!("{doing}: {error}"))
    }

    /// The same error with a next step.
    #[must_use]
    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.0.suggestion = Some(suggestion.into());
        self
    }

    /// The same error, worth or not worth another try.
    #[must_use]
    pub fn retryable(mut self, retryable: bool) -> Self {
        self.0.retryable = retryable;
        self
    }

    /// Whose fault it is, coarsely.
    pub fn category(&self) -> ErrorCategory {
        self.0.category
    }

    /// What went wrong.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do next, when the tool knows.
    pub fn suggestion(&self) -> Option<&str> {
        self.0.suggestion.as_deref()
    }

    /// Whether another try may succeed.
    pub fn is_retryable(&self) -> bool {
        self.0.retryable
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for ToolError {}

impl From<RootError> for ToolError {
    fn from(fault: RootError) -> Self {
        if fault.is_lease_lost() {
            return Self::cancelled();
        }
        Self::new(fault.category(), fault.to_string()).suggest(fault.suggestion())
    }
}
