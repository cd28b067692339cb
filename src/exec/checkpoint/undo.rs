//! Bringing files back.
//!
//! Everything is looked at before anything is written: whether the checkpoint is whole, and whether
//! each file is still as the write left it. Then the files are kept as they are now, as a checkpoint
//! of its own, so that an undo can be undone; and each is written only while it still is what it was
//! looked at as.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::exec::Diff;
use crate::exec::checkpoint::entry::{Entry, EntryFile};
use crate::exec::checkpoint::folder::Folder;
use crate::exec::checkpoint::kept::Standing;
use crate::exec::collaborator::{CheckpointError, LaterChanges};
use crate::harness::{FileState, Foreseen, Lease, Root, RootError, RootPath};
use crate::limits::PREVIEW_BYTES_MAX;
use crate::tool::FileChange;

/// What restoring a checkpoint would do.
#[derive(Clone, Debug, PartialEq)]
pub struct Undo {
    pub(super) number: u64,
    /// The files that would be written, from what they are now to what they were before.
    pub changes: Vec<FileChange>,
    /// The same as a unified diff.
    pub diff: Diff,
    /// Which of them somebody changed since.
    pub changed_since: Vec<PathBuf>,
    /// The folders that the write made, the deepest first; once it is undone, those of them that were
    /// empty and are gone.
    pub folders: Vec<PathBuf>,
    roots: Vec<PathBuf>,
}

/// Why a checkpoint was not restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoError {
    /// Somebody changed these files after the write; everything is as it was.
    ChangedSince(Vec<PathBuf>),
    /// There is no such checkpoint, it is damaged, or a file could not be written.
    Failed(CheckpointError),
}

impl fmt::Display for UndoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChangedSince(files) => {
                let files: Vec<_> = files.iter().map(|file| format!("`{}`", file.display())).collect();
                write!(f, "changed after the write: {}", files.join(", "))
            }
            Self::Failed(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for UndoError {}

impl From<CheckpointError> for UndoError {
    fn from(fault: CheckpointError) -> Self {
        Self::Failed(fault)
    }
}

impl Undo {
    /// Looks at what restoring would do. Nothing is written.
    pub(super) fn plan(folder: &Folder, number: u64) -> Result<Self, CheckpointError> {
        let entry = folder.entry(number)?;
        let (mut changes, mut changed_since) = (Vec::new(), Vec::new());
        for file in &entry.files {
            match Standing::of(file) {
                Standing::Restored => continue,
                Standing::Written => {}
                Standing::Changed => changed_since.push(file.file()),
            }
            changes.push(change(folder, file)?);
        }
        let roots = entry.files.iter().map(|file| file.root.clone()).collect();
        let mut folders = entry.folders;
        folders.sort_unstable_by(|one, other| other.cmp(one));
        Ok(Self { number, diff: Diff::of(&changes), changes, changed_since, folders, roots })
    }

    pub(super) fn check(&self, over: LaterChanges) -> Result<(), UndoError> {
        if over == LaterChanges::Overwrite || self.changed_since.is_empty() {
            return Ok(());
        }
        Err(UndoError::ChangedSince(self.changed_since.clone()))
    }

    /// Writes the files back; answers which, and how each was left.
    pub(super) fn write(&self, lease: &Lease) -> Result<Arc<Foreseen>, CheckpointError> {
        let files = self.changes.iter().map(|change| (change.file(), change.state_before()));
        let foreseen = Arc::new(Foreseen::new(files));
        let lease = lease.foreseeing(foreseen.clone());
        for (at, change) in self.changes.iter().enumerate() {
            restore(change, &lease).map_err(|fault| CheckpointError {
                message: format!("{fault}; {at} of {} files were restored before", self.changes.len()),
            })?;
        }
        Ok(foreseen)
    }

    /// Removes what the write made and nobody uses. That a folder stays is no fault.
    pub(super) fn remove_folders(&mut self, lease: &Lease) {
        let roots = std::mem::take(&mut self.roots);
        self.folders.retain(|folder| remove(folder, &roots, lease).unwrap_or(false));
    }

    /// The checkpoint of the files as they are before they are restored.
    pub(super) fn entry(&self) -> Entry {
        let mut entry = entry_of(&self.changes);
        entry.tool = "helve undo".to_owned();
        entry.undoes = Some(self.number);
        entry
    }
}

/// A checkpoint of these changes.
pub(super) fn entry_of(changes: &[FileChange]) -> Entry {
    let file = |change: &FileChange| {
        let after = FileState::of(change.after.as_deref());
        let diff = Diff::of(std::slice::from_ref(change));
        let mut file = EntryFile::new(change.root.clone(), &change.path, change.state_before(), after);
        (file.added, file.removed) = (diff.added, diff.removed);
        file
    };
    Entry::new(changes.iter().map(file).collect())
}

/// From what the file is now to what it was before.
fn change(folder: &Folder, file: &EntryFile) -> Result<FileChange, CheckpointError> {
    let after = file.content().map(|hash| folder.content(hash)).transpose()?;
    let path = file.path()?;
    let before = match Root::open(&file.root).and_then(|root| root.read(&path, PREVIEW_BYTES_MAX)) {
        Ok(content) => Some(content.into()),
        Err(fault) if fault.is_not_found() => None,
        Err(fault) => return Err(fault.into()),
    };
    Ok(FileChange { root: file.root.clone(), path, before, after: after.map(Into::into) })
}

/// Below a root no link is followed out of it; the root itself, and what is above, was named by
/// whoever started the program.
fn remove(folder: &Path, roots: &[PathBuf], lease: &Lease) -> Result<bool, RootError> {
    let is_below = |root: &&PathBuf| folder.starts_with(root) && folder != root.as_path();
    let from = roots.iter().find(is_below).map(PathBuf::as_path).or_else(|| folder.parent());
    let Some(from) = from else { return Ok(false) };
    let path = folder.strip_prefix(from).ok().and_then(Path::to_str).unwrap_or_default();
    Root::open(from)?.remove_if_empty(&RootPath::parse(path)?, lease)
}

fn restore(change: &FileChange, lease: &Lease) -> Result<(), RootError> {
    match &change.after {
        Some(content) => Root::create(&change.root, lease)?.write(&change.path, content, lease),
        None if change.before.is_none() => Ok(()),
        None => Root::open(&change.root)?.remove_file(&change.path, lease),
    }
}
