//! The folder: opening it, its sub folders, reading.

use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File};

use crate::harness::Lease;
use crate::harness::root::{RootError, RootPath};

/// A folder, held open, that no path given to it can leave: not by `..`, not by an absolute path,
/// not by a symbolic link anywhere on the way.
///
/// Every operation resolves its path below the open folder in the same system call that acts on
/// it (cap-std; `openat2` with `RESOLVE_BENEATH` on Linux). So there is no moment between a check
/// and a use in which a folder could be swapped for a link. Links that stay inside are followed
/// for reading and never written through. Clones share the open folder.
#[derive(Clone, Debug)]
pub struct Root {
    pub(super) dir: Arc<Dir>,
    path: Arc<Path>,
}

impl Root {
    /// Opens the folder at `path`, which is trusted: it comes from whoever started the program.
    ///
    /// # Errors
    /// When there is no folder, or it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, RootError> {
        let dir = Dir::open_ambient_dir(path, ambient_authority())
            .map_err(|error| RootError::io("opening the folder", path.display(), error))?;
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Ok(Self { dir: Arc::new(dir), path: path.into() })
    }

    /// Opens the folder at `path`, making it and its parents under the lease where they are missing.
    ///
    /// # Errors
    /// As [`open`](Self::open), and when the call is over.
    pub fn create(path: &Path, lease: &Lease) -> Result<Self, RootError> {
        lease
            .commit(|| make_ambient(path, lease))
            .map_err(|_| RootError::lease_lost(path.display()))?
            .map_err(|error| RootError::io("creating the folder", path.display(), error))?;
        Self::open(path)
    }

    /// Whether files can be made in the folder at `path`, or the folder itself where it is missing.
    /// The probe is a nameless file where the system has such, so nobody ever sees it.
    ///
    /// # Errors
    /// Why not, naming the part of the path that is in the way.
    pub fn probe(path: &Path) -> Result<(), RootError> {
        let absolute =
            std::path::absolute(path).map_err(|error| RootError::io("resolving", path.display(), error))?;
        for folder in absolute.ancestors() {
            let shown = folder.display();
            match std::fs::metadata(folder) {
                Ok(found) if found.is_dir() => {
                    let probe = tempfile::tempfile_in(folder);
                    return probe.map(drop).map_err(|error| RootError::io("writing into", shown, error));
                }
                Ok(_) => return Err(RootError::not_a_folder(shown)),
                // Its parent is looked at next; one of them is the reason.
                Err(error) if is_missing(&error) => {}
                Err(error) => return Err(RootError::io("looking at", shown, error)),
            }
        }
        Err(RootError::not_a_folder(absolute.display()))
    }

    /// The folder's absolute path, for people. Nothing is opened by it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A path that leads to the open folder itself, wherever it is moved and whatever is put in its
    /// place, as long as this root lives: what a child process starts in.
    pub fn held_path(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.dir.as_raw_fd()).into()
    }

    /// The absolute path of something below, for people.
    pub fn locate(&self, path: &RootPath) -> PathBuf {
        path.parts().fold(self.path.to_path_buf(), |folder, part| folder.join(part))
    }

    /// The sub folder at `path` as a root of its own: what is in it cannot leave it either.
    ///
    /// # Errors
    /// When there is no folder, or it lies outside.
    pub fn folder(&self, path: &RootPath) -> Result<Self, RootError> {
        let dir = (self.dir.open_dir(path.for_system()))
            .map_err(|error| RootError::io("opening the folder", path, error))?;
        Ok(Self { dir: Arc::new(dir), path: self.locate(path).into() })
    }

    /// The sub folder at `path`, made under the lease where it is missing.
    ///
    /// # Errors
    /// As [`folder`](Self::folder), and when the call is over.
    pub fn create_folder(&self, path: &RootPath, lease: &Lease) -> Result<Self, RootError> {
        lease
            .commit(|| self.make_folders(path, lease))
            .map_err(|_| RootError::lease_lost(path))?
            .map_err(|error| RootError::io("creating the folder", path, error))?;
        self.folder(path)
    }

    /// Makes the folders on the way to `path` and itself, where they are missing; a lease that
    /// foresees its files learns which. To be called inside of an effect.
    pub(super) fn make_folders(&self, path: &RootPath, lease: &Lease) -> io::Result<()> {
        let Some(foreseen) = lease.foreseen() else { return self.dir.create_dir_all(path.as_str()) };
        let mut folder = RootPath::root();
        for part in path.parts() {
            folder = folder.child(part);
            match self.dir.create_dir(folder.as_str()) {
                Ok(()) => foreseen.did_make(self.locate(&folder)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads the whole file at `path`, which may have at most `bytes_max`.
    ///
    /// # Errors
    /// When there is no regular file, it lies outside, or it is larger.
    pub fn read(&self, path: &RootPath, bytes_max: usize) -> Result<Vec<u8>, RootError> {
        let file = self.open_file(path)?;
        let limit = u64::try_from(bytes_max).unwrap_or(u64::MAX);
        let mut content = Vec::new();
        (file.take(limit.saturating_add(1)).read_to_end(&mut content))
            .map_err(|error| RootError::io("reading", path, error))?;
        if content.len() > bytes_max {
            let bytes = self.dir.metadata(path.for_system()).map_or(limit + 1, |found| found.len());
            return Err(RootError::too_large(path, bytes, bytes_max));
        }
        Ok(content)
    }

    /// The path without symbolic links of what is at `path`: one file has one.
    ///
    /// # Errors
    /// When there is nothing, it lies outside, or its name is not UTF-8.
    pub fn canonical(&self, path: &RootPath) -> Result<RootPath, RootError> {
        let found = self.dir.canonicalize(path.for_system());
        let found = found.map_err(|error| RootError::io("looking at", path, error))?;
        let text = found.to_str().ok_or_else(|| RootError::not_a_file(path))?;
        if text.is_empty() { Ok(RootPath::root()) } else { RootPath::parse(text) }
    }

    /// Opens a regular file. The look before opening keeps a named pipe from blocking the open; a
    /// file that is swapped for a pipe in between costs this call its deadline and nobody else
    /// anything. The look afterwards is at the open file itself.
    fn open_file(&self, path: &RootPath) -> Result<File, RootError> {
        let found = self.dir.metadata(path.for_system());
        if !found.map_err(|error| RootError::io("reading", path, error))?.is_file() {
            return Err(RootError::not_a_file(path));
        }
        let file = self.dir.open(path.for_system());
        let file = file.map_err(|error| RootError::io("reading", path, error))?;
        match file.metadata() {
            Ok(found) if found.is_file() => Ok(file),
            Ok(_) => Err(RootError::not_a_file(path)),
            Err(error) => Err(RootError::io("reading", path, error)),
        }
    }
}

/// The same for a folder that is trusted.
fn make_ambient(path: &Path, lease: &Lease) -> io::Result<()> {
    let path = std::path::absolute(path)?;
    let mut missing: Vec<_> = path.ancestors().take_while(|folder| !folder.exists()).collect();
    while let Some(folder) = missing.pop() {
        match std::fs::create_dir(folder) {
            Ok(()) => lease.foreseen().into_iter().for_each(|it| it.did_make(folder.to_owned())),
            // Somebody else was faster, or it is a file: opening it tells.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
