//! A file that is being written.

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(unix)]
use cap_std::fs::OpenOptionsExt;
use cap_std::fs::{Dir, OpenOptions};

use crate::exec::artifact::disk::place::make_subfolder;
use crate::limits::TEMPORARY_NAMES_MAX;

const FOLDER: &str = "tmp";

/// A file under a name that nobody reads. It is locked as long as its writer lives, and removed
/// unless it is renamed.
pub(super) struct Temporary {
    dir: Dir,
    name: String,
    file: File,
    is_renamed: bool,
}

impl Temporary {
    /// Made under the store's lock: between being made and being locked it looks like one whose
    /// writer is dead.
    pub fn create(store: &Dir) -> io::Result<Self> {
        let dir = make_subfolder(store, FOLDER)?;
        let (name, file) = create_new(&dir)?;
        file.lock()?;
        Ok(Self { dir, name, file, is_renamed: false })
    }

    /// Writes the content and waits until the disk has it, so that a name never stands before its
    /// content, whatever happens to the machine.
    pub fn fill(&mut self, content: &[u8]) -> io::Result<()> {
        self.file.write_all(content)?;
        self.file.sync_data()
    }

    /// The file, for its dates.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Gives the file its name in `folder`, in place of what is there.
    pub fn rename(mut self, folder: &Dir, name: &str) -> io::Result<()> {
        self.dir.rename(&self.name, folder, name)?;
        self.is_renamed = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.is_renamed {
            let _ = self.dir.remove_file(&self.name);
        }
    }
}

/// A new file that only its owner may read: what tools answered is nobody else's business. Process
/// id and a counter make the name; one that is taken is stepped over.
pub(super) fn create_new(dir: &Dir) -> io::Result<(String, File)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    options.mode(0o600);
    let mut fault = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..TEMPORARY_NAMES_MAX {
        let name = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        match dir.open_with(&name, &options) {
            Ok(file) => return Ok((name, file.into_std())),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => fault = error,
            Err(error) => return Err(error),
        }
    }
    Err(fault)
}

/// Removes what writers that are dead have left. The store's lock is held.
pub(super) fn sweep(store: &Dir) -> io::Result<()> {
    let dir = match store.open_dir(FOLDER) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        dir => dir?,
    };
    for entry in dir.entries()?.flatten() {
        let name = entry.file_name();
        if entry.file_type()?.is_file()
            && let Some(file) = open_if_there(&dir, &name)?
            && !is_locked(&file)?
        {
            remove_if_there(&dir, &name)?;
        }
    }
    Ok(())
}

/// Opens a file whose owner may remove it at any moment.
pub(super) fn open_if_there(dir: &Dir, name: impl AsRef<Path>) -> io::Result<Option<File>> {
    match dir.open(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        file => file.map(|file| Some(file.into_std())),
    }
}

/// Removes a file that somebody else may have removed just before.
pub(super) fn remove_if_there(dir: &Dir, name: impl AsRef<Path>) -> io::Result<()> {
    match dir.remove_file(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Whether the process that made the file still lives.
pub(super) fn is_locked(file: &File) -> io::Result<bool> {
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
