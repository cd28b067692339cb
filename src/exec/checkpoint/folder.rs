//! The folder: entries and contents, and its bounds.

use std::collections::BTreeSet;
use std::path::Path;

use crate::exec::checkpoint::entry::Entry;
use crate::exec::collaborator::CheckpointError;
use crate::harness::{Lease, Root, RootError, RootLock, RootPath};
use crate::limits::{CHECKPOINT_ENTRY_BYTES_MAX, CHECKPOINT_NAMES_MAX, PREVIEW_BYTES_MAX};

/// What a folder keeps at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub entries: usize,
    pub bytes: u64,
}

/// The folder, open. Whoever changes something holds its lock.
pub(super) struct Folder {
    root: Root,
}

impl Folder {
    /// Opens the folder; `None` when nothing was ever kept.
    pub fn open(path: &Path) -> Result<Option<Self>, CheckpointError> {
        match Root::open(path) {
            Ok(root) => Ok(Some(Self { root })),
            Err(fault) if fault.is_not_found() => Ok(None),
            Err(fault) => Err(fault.into()),
        }
    }

    /// Opens the folder, making it where it is missing, readable by its owner alone: what files
    /// held is nobody else's business.
    pub fn create(path: &Path, lease: &Lease) -> Result<Self, CheckpointError> {
        if let Some(folder) = Self::open(path)? {
            return Ok(folder);
        }
        let root = Root::create(path, lease)?;
        make_private(path).map_err(|fault| CheckpointError { message: fault.to_string() })?;
        Ok(Self { root })
    }

    pub fn lock(&self) -> Result<RootLock, CheckpointError> {
        Ok(self.root.lock(&named("lock")?)?)
    }

    /// The numbers of the entries, the oldest first.
    pub fn numbers(&self) -> Result<Vec<u64>, CheckpointError> {
        let names = match self.root.names(&named("entries")?, CHECKPOINT_NAMES_MAX) {
            Ok(names) => names,
            Err(fault) if fault.is_not_found() => Vec::new(),
            Err(fault) => return Err(fault.into()),
        };
        let number = |name: &String| name.strip_suffix(".json")?.parse().ok();
        let mut numbers: Vec<u64> = names.iter().filter_map(number).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    pub fn entry(&self, number: u64) -> Result<Entry, CheckpointError> {
        let about = |why: String| CheckpointError { message: format!("checkpoint {number}: {why}") };
        let bytes = self.root.read(&entry_path(number)?, CHECKPOINT_ENTRY_BYTES_MAX);
        match bytes {
            Ok(bytes) => Entry::read(&bytes).map_err(about),
            Err(fault) if fault.is_not_found() => {
                Err(CheckpointError { message: format!("there is no checkpoint `{number}`") })
            }
            Err(fault) => Err(about(fault.to_string())),
        }
    }

    pub fn write_entry(&self, number: u64, entry: &Entry, lease: &Lease) -> Result<(), CheckpointError> {
        Ok(self.root.write(&entry_path(number)?, &entry.write(), lease)?)
    }

    pub fn remove_entry(&self, number: u64, lease: &Lease) -> Result<(), CheckpointError> {
        Ok(self.root.remove_file(&entry_path(number)?, lease)?)
    }

    /// Keeps a content; one that is kept already is not written again.
    pub fn keep(&self, content: &[u8], lease: &Lease) -> Result<(), CheckpointError> {
        let path = content_path(blake3::hash(content))?;
        let is_kept = self.root.read(&path, content.len()).is_ok_and(|found| found == content);
        if is_kept { Ok(()) } else { Ok(self.root.write(&path, content, lease)?) }
    }

    /// A content that was kept. One that is not what its name says is not given out.
    pub fn content(&self, hash: blake3::Hash) -> Result<Vec<u8>, CheckpointError> {
        let lost =
            |why: &str| CheckpointError { message: format!("a content of the checkpoint {why}: {hash}") };
        let bytes = self.root.read(&content_path(hash)?, PREVIEW_BYTES_MAX);
        let bytes = bytes.map_err(|_| lost("cannot be read any more"))?;
        if blake3::hash(&bytes) == hash { Ok(bytes) } else { Err(lost("was changed")) }
    }

    /// Removes the oldest entries until the folder keeps its bounds, and what no entry names any
    /// more. The newest entry stays.
    pub fn evict(&self, bounds: Bounds, lease: &Lease) -> Result<(), CheckpointError> {
        let mut numbers = self.numbers()?;
        let mut has_changed = false;
        while numbers.len() > 1 && (numbers.len() > bounds.entries.max(1) || self.bytes()? > bounds.bytes) {
            self.remove_entry(numbers.remove(0), lease)?;
            self.sweep(&numbers, lease)?;
            has_changed = true;
        }
        if !has_changed && self.bytes()? > bounds.bytes {
            self.sweep(&numbers, lease)?;
        }
        Ok(())
    }

    /// Removes the contents that none of these entries names. An entry that cannot be read may name
    /// any: then nothing is removed but itself.
    fn sweep(&self, numbers: &[u64], lease: &Lease) -> Result<(), CheckpointError> {
        let mut named_contents = BTreeSet::new();
        for &number in numbers {
            let Ok(entry) = self.entry(number) else { return self.remove_entry(number, lease) };
            named_contents
                .extend(entry.files.iter().filter_map(|file| Some(file.content()?.to_hex().to_string())));
        }
        for found in self.contents()? {
            if found.path.name().is_none_or(|name| !named_contents.contains(name)) {
                self.root.remove_file(&found.path, lease)?;
            }
        }
        Ok(())
    }

    fn bytes(&self) -> Result<u64, CheckpointError> {
        Ok(self.contents()?.iter().map(|found| found.bytes).sum())
    }

    fn contents(&self) -> Result<Vec<crate::harness::Found>, CheckpointError> {
        match self.root.files(&named("content")?, |_| true) {
            Ok(listing) => Ok(listing.files),
            Err(fault) if fault.is_not_found() => Ok(Vec::new()),
            Err(fault) => Err(fault.into()),
        }
    }
}

#[cfg(unix)]
fn make_private(path: &Path) -> std::io::Result<()> {
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o700))
}

#[cfg(not(unix))]
fn make_private(_: &Path) -> std::io::Result<()> {
    Ok(())
}

fn entry_path(number: u64) -> Result<RootPath, CheckpointError> {
    named(&format!("entries/{number:06}.json"))
}

fn content_path(hash: blake3::Hash) -> Result<RootPath, CheckpointError> {
    named(&format!("content/{}", hash.to_hex()))
}

fn named(path: &str) -> Result<RootPath, CheckpointError> {
    Ok(RootPath::parse(path)?)
}

impl From<RootError> for CheckpointError {
    fn from(fault: RootError) -> Self {
        Self { message: fault.to_string() }
    }
}
