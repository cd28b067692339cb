//! Where files are kept as they were before a write.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;

use crate::exec::collaborator::WriteRequest;
use crate::harness::{Lease, Written};

/// Keeps files as they were, and brings them back. Each change that it makes is an effect under
/// the lease that it is given.
#[async_trait]
pub trait CheckpointStore: Send + Sync + 'static {
    /// Whether it keeps anything: whether a call that nobody is asked for is worth a preview.
    fn keeps(&self) -> bool {
        true
    }

    /// Keeps the files of `request` as it shows them; `None` for a store that keeps nothing.
    ///
    /// # Errors
    /// When they could not be kept: then the write does not happen.
    async fn snapshot(
        &self,
        request: &WriteRequest,
        approved_by: &str,
        lease: &Lease,
    ) -> Result<Option<CheckpointId>, CheckpointError>;

    /// Learns which files the call has written, how it left them, and which folders it made; no files
    /// when it wrote nothing.
    ///
    /// # Errors
    /// When it could not be noted. The checkpoint is there all the same.
    async fn seal(&self, id: &CheckpointId, written: &Written, lease: &Lease) -> Result<(), CheckpointError>;

    /// What can be restored, the latest first.
    ///
    /// # Errors
    /// What keeps the store says no.
    async fn list(&self) -> Result<Vec<Checkpoint>, CheckpointError>;

    /// Brings the files of a checkpoint back, and removes the folders that the write made and that are
    /// empty then; answers which files.
    ///
    /// # Errors
    /// When there is no such checkpoint, a file was changed after the write, or one could not be
    /// written.
    async fn restore(
        &self,
        id: &CheckpointId,
        over: LaterChanges,
        lease: &Lease,
    ) -> Result<Vec<PathBuf>, CheckpointError>;
}

/// What becomes of a file that was changed after the write that is to be undone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LaterChanges {
    /// It is left alone, and with it everything else.
    #[default]
    Keep,
    /// It is written over.
    Overwrite,
}

/// The name of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CheckpointId(pub Arc<str>);

impl fmt::Display for CheckpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

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
    fn keeps(&self) -> bool {
        false
    }

    async fn snapshot(
        &self,
        _: &WriteRequest,
        _: &str,
        _: &Lease,
    ) -> Result<Option<CheckpointId>, CheckpointError> {
        Ok(None)
    }

    async fn seal(&self, _: &CheckpointId, _: &Written, _: &Lease) -> Result<(), CheckpointError> {
        Ok(())
    }

    async fn list(&self) -> Result<Vec<Checkpoint>, CheckpointError> {
        Ok(Vec::new())
    }

    async fn restore(
        &self,
        id: &CheckpointId,
        _: LaterChanges,
        _: &Lease,
    ) -> Result<Vec<PathBuf>, CheckpointError> {
        Err(CheckpointError { message: format!("there is no checkpoint `{id}`: none are kept") })
    }
}
