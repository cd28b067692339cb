//! All who the executor works with, as it is given them.

use std::fmt;
use std::sync::Arc;

use crate::call::Arguments;
use crate::exec::artifact::{ArtifactStore, MemoryArtifacts};
use crate::exec::collaborator::{
    Approver, Callbacks, CheckpointStore, DeniesWrites, EventLog, NoCallbacks, NoCheckpoints, NoEventLog,
    Permissions, ToolsOwnWord,
};

/// Who the executor works with. The defaults do nothing, but for the artifacts, which are kept in
/// memory.
///
/// # Example
/// ```
/// use std::sync::Arc;
/// use helve::exec::{Callbacks, Collaborators};
///
/// struct Loud;
/// impl Callbacks for Loud {}
///
/// let with_callbacks = Collaborators { callbacks: Arc::new(Loud), ..Collaborators::default() };
/// ```
#[derive(Clone)]
pub struct Collaborators {
    /// Asked before a tool runs, told when one fails.
    pub callbacks: Arc<dyn Callbacks>,
    /// What is allowed, asked for and denied.
    pub permissions: Arc<dyn Permissions>,
    /// Says yes or no to a call that is asked for.
    pub approver: Arc<dyn Approver>,
    /// Keeps files as they were before a confirmed write.
    pub checkpoints: Arc<dyn CheckpointStore>,
    /// Hears of every call.
    pub event_log: Arc<dyn EventLog>,
    /// Keeps large outputs.
    pub artifacts: Arc<dyn ArtifactStore>,
    /// What tools may know of the run, by name. What a turn says under the same name goes before.
    pub metadata: Arguments,
}

impl Default for Collaborators {
    fn default() -> Self {
        Self {
            callbacks: Arc::new(NoCallbacks),
            permissions: Arc::new(ToolsOwnWord),
            approver: Arc::new(DeniesWrites),
            checkpoints: Arc::new(NoCheckpoints),
            event_log: Arc::new(NoEventLog),
            artifacts: Arc::new(MemoryArtifacts::default()),
            metadata: Arguments::new(),
        }
    }
}

impl fmt::Debug for Collaborators {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collaborators").field("metadata", &self.metadata).finish_non_exhaustive()
    }
}
