//! Where files are kept as they were before a confirmed write.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;

use crate::exec::collaborator::WriteRequest;
use crate::harness::Lease;

/// Keeps files as they were, and brings them back. Each change that it makes is an effect under
/// the lease that it is given.
#[async_trait]
pub trait CheckpointStore: Send + Sync + 'static {
    /// Keeps the files of `request` as they are now; `None` for a store that keeps nothing.
    ///
    /// # Errors
    /// When they could not be kept: then the write does not happen.
    async fn snapshot(
        &self,
        request: &WriteRequest,
        lease: &Lease,
    ) -> Result<Option<CheckpointId>, CheckpointError>;

    /// What can be restored, the latest first.
    ///
    /// # Errors
    /// What keeps the store says no.
    async fn list(&self) -> Result<Vec<Checkpoint>, CheckpointError>;

    /// Brings the files of a checkpoint back; answers which.
    ///
    /// # Errors
    /// When there is no such checkpoint, or a file could not be written.
    async fn restore(&self, id: &CheckpointId, lease: &Lease) -> Result<Vec<PathBuf>, CheckpointError>;
}

/// The name of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CheckpointId(pub Arc<str>);

/// Files as they were before a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Its name.
    pub id: CheckpointId,
    /// What the write was, in a few words.
    pub label: String,
    /// The files.
    pub paths: Vec<PathBuf>,
}

/// Why a checkpoint was not made, listed or restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointError {
    /// The particulars.
    pub message: String,
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CheckpointError {}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCheckpoints;

#[async_trait]
impl CheckpointStore for NoCheckpoints {
    async fn snapshot(&self, _: &WriteRequest, _: &Lease) -> Result<Option<CheckpointId>, CheckpointError> {
        Ok(None)
    }

    async fn list(&self) -> Result<Vec<Checkpoint>, CheckpointError> {
        Ok(Vec::new())
    }

    async fn restore(&self, id: &CheckpointId, _: &Lease) -> Result<Vec<PathBuf>, CheckpointError> {
        Err(CheckpointError { message: format!("there is no checkpoint `{}`: none are kept", id.0) })
    }
}
