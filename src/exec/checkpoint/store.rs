//! The folder as the executor's collaborator.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;

use crate::exec::checkpoint::entry::Entry;
use crate::exec::checkpoint::folder::{Bounds, Folder};
use crate::exec::checkpoint::kept::{Kept, id_of};
use crate::exec::checkpoint::undo::{Undo, UndoError, entry_of};
use crate::exec::collaborator::{
    Checkpoint, CheckpointError, CheckpointId, CheckpointStore, LaterChanges, WriteRequest,
};
use crate::harness::{Lease, Written};
use crate::limits::{CHECKPOINT_BYTES_MAX, CHECKPOINTS_MAX};
use crate::tool::FileChange;

/// Gives the date of now, as RFC 3339.
type Dates = Arc<dyn Fn() -> String + Send + Sync>;

/// Checkpoints in a folder, which is made by the first one.
#[derive(Clone)]
pub struct FolderCheckpoints {
    path: PathBuf,
    dates: Option<Dates>,
    bounds: Bounds,
}

impl FolderCheckpoints {
    /// The checkpoints in the folder `path`, which may be missing.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let bounds = Bounds { entries: CHECKPOINTS_MAX, bytes: CHECKPOINT_BYTES_MAX };
        Self { path: path.into(), dates: None, bounds }
    }

    /// The same checkpoints, dated by `now`, which gives the present as RFC 3339.
    #[must_use]
    pub fn dated_by(mut self, now: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.dates = Some(Arc::new(now));
        self
    }

    /// The same folder, which keeps at most so many checkpoints and so many bytes of contents. The
    /// newest stays, however large it is.
    #[must_use]
    pub fn keeping(mut self, checkpoints: usize, bytes: u64) -> Self {
        self.bounds = Bounds { entries: checkpoints, bytes };
        self
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is kept, the latest first, and what is to be said of those that cannot be read.
    ///
    /// # Errors
    /// When the folder cannot be looked at.
    pub fn kept(&self) -> Result<(Vec<Kept>, Vec<CheckpointError>), CheckpointError> {
        let Some(folder) = Folder::open(&self.path)? else { return Ok(Default::default()) };
        let (mut kept, mut faults) = (Vec::new(), Vec::new());
        for number in folder.numbers()?.into_iter().rev() {
            match folder.entry(number) {
                Ok(entry) => kept.push(Kept::new(number, entry)),
                Err(fault) => faults.push(fault),
            }
        }
        Ok((kept, faults))
    }

    /// Looks at what restoring a checkpoint would do; nothing is written.
    ///
    /// # Errors
    /// When there is no such checkpoint, or it is damaged.
    pub fn plan(&self, id: &CheckpointId) -> Result<Undo, CheckpointError> {
        let unknown = || CheckpointError { message: format!("there is no checkpoint `{id}`") };
        let number = id.0.parse().map_err(|_| unknown())?;
        let folder = Folder::open(&self.path)?.ok_or_else(unknown)?;
        Undo::plan(&folder, number)
    }

    /// Brings the files of a checkpoint back, and keeps them as they were until now, so that this
    /// can be undone too. Answers what was done.
    ///
    /// # Errors
    /// When there is no such checkpoint, a file was changed after the write, or one could not be
    /// written.
    pub fn undo(&self, id: &CheckpointId, over: LaterChanges, lease: &Lease) -> Result<Undo, UndoError> {
        let mut undo = self.plan(id)?;
        undo.check(over)?;
        if undo.changes.is_empty() {
            return Ok(undo);
        }
        let number = self.add(&undo.changes, undo.entry(), lease)?;
        let written = undo.write(lease);
        // A half of the way stays undoable: the checkpoint just made knows all of it.
        let written = written?.written();
        undo.remove_folders(lease);
        self.complete(number, &written, lease)?;
        Ok(undo)
    }

    /// Keeps the contents, then the entry that names them, then the bounds.
    fn add(&self, changes: &[FileChange], mut entry: Entry, lease: &Lease) -> Result<u64, CheckpointError> {
        let folder = Folder::create(&self.path, lease)?;
        let _lock = folder.lock()?;
        entry.at = self.dates.as_ref().map_or_else(String::new, |now| now());
        for content in changes.iter().filter_map(|change| change.before.as_deref()) {
            folder.keep(content, lease)?;
        }
        let number = folder.numbers()?.last().map_or(1, |last| last + 1);
        folder.write_entry(number, &entry, lease)?;
        folder.evict(self.bounds, lease)?;
        Ok(number)
    }

    /// Notes how the files were left. A call that wrote nothing needs no checkpoint.
    fn complete(&self, number: u64, written: &Written, lease: &Lease) -> Result<(), CheckpointError> {
        let folder = Folder::create(&self.path, lease)?;
        let _lock = folder.lock()?;
        if written.files.is_empty() {
            return folder.remove_entry(number, lease);
        }
        let mut entry = folder.entry(number)?;
        for file in &mut entry.files {
            file.set_after(written.files.get(&file.file()).copied().unwrap_or(file.before()));
        }
        entry.folders = written.folders.iter().cloned().collect();
        entry.sealed = true;
        folder.write_entry(number, &entry, lease)
    }

    /// Does on a thread that may block what blocks.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(Self) -> Result<T, CheckpointError> + Send + 'static,
    ) -> Result<T, CheckpointError> {
        let store = self.clone();
        let done = tokio::task::spawn_blocking(move || work(store)).await;
        done.unwrap_or_else(|fault| Err(CheckpointError { message: fault.to_string() }))
    }
}

#[async_trait]
impl CheckpointStore for FolderCheckpoints {
    async fn snapshot(
        &self,
        request: &WriteRequest,
        approved_by: &str,
        lease: &Lease,
    ) -> Result<Option<CheckpointId>, CheckpointError> {
        let Some(changes) = request.changes.clone() else { return Ok(None) };
        let (request, approved_by, lease) = (request.clone(), approved_by.to_owned(), lease.clone());
        self.blocking(move |store| {
            let mut entry = entry_of(&changes);
            entry.tool = request.call.tool.to_string();
            entry.caller = request.call.caller.to_string();
            entry.because = request.asked_by.to_string();
            entry.key = request.key.to_string();
            entry.approved_by = approved_by;
            store.add(&changes, entry, &lease).map(|number| Some(id_of(number)))
        })
        .await
    }

    async fn seal(&self, id: &CheckpointId, written: &Written, lease: &Lease) -> Result<(), CheckpointError> {
        let (id, written, lease) = (id.clone(), written.clone(), lease.clone());
        self.blocking(move |store| {
            let unknown = |_| CheckpointError { message: format!("there is no checkpoint `{id}`") };
            store.complete(id.0.parse().map_err(unknown)?, &written, &lease)
        })
        .await
    }

    async fn list(&self) -> Result<Vec<Checkpoint>, CheckpointError> {
        let checkpoint = |kept: Kept| Checkpoint {
            label: kept.label(),
            paths: kept.files.iter().map(|file| file.file.clone()).collect(),
            id: kept.id,
        };
        self.blocking(|store| store.kept()).await.map(|(kept, _)| kept.into_iter().map(checkpoint).collect())
    }

    async fn restore(
        &self,
        id: &CheckpointId,
        over: LaterChanges,
        lease: &Lease,
    ) -> Result<Vec<PathBuf>, CheckpointError> {
        let (id, lease) = (id.clone(), lease.clone());
        self.blocking(move |store| {
            let undone = store.undo(&id, over, &lease);
            let undone = undone.map_err(|fault| CheckpointError { message: fault.to_string() })?;
            Ok(undone.changes.iter().map(FileChange::file).collect())
        })
        .await
    }
}

impl fmt::Debug for FolderCheckpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FolderCheckpoints({})", self.path.display())
    }
}
