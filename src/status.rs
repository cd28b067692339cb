//! What a node answers when it is ticked.

use std::fmt;

/// The status of a node. The words are those of BehaviorTree.CPP v4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Status {
    /// Not visited since it was last reset.
    #[default]
    Idle,
    /// Begun and not finished.
    Running,
    /// Finished as wanted.
    Success,
    /// Finished otherwise.
    Failure,
    /// Passed over by a condition. Returned, and never a verdict.
    Skipped,
}

impl Status {
    /// Whether the node reached a verdict: Success or Failure.
    pub const fn is_completed(self) -> bool {
        matches!(self, Self::Success | Self::Failure)
    }

    /// The word in the dialect's capitals, as `NodeStatus` ports write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "IDLE",
            Self::Running => "RUNNING",
            Self::Success => "SUCCESS",
            Self::Failure => "FAILURE",
            Self::Skipped => "SKIPPED",
        }
    }

    /// The status that a word in the dialect's capitals names.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Idle, Self::Running, Self::Success, Self::Failure, Self::Skipped]
            .into_iter()
            .find(|status| status.as_str() == text)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
