//! Changing what is below a root, under the lease.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{Dir, File, OpenOptions, Permissions};

use crate::harness::file_state::is_missing;
use crate::harness::root::{Root, RootError, RootPath};
use crate::harness::{FileState, Lease};
use crate::limits::TEMPORARY_NAMES_MAX;

impl Root {
    /// Writes the whole file at `path`, making its parent folders: to a temporary name, synced,
    /// and then, under the lease, renamed. The file is never seen half-written, and a call that is
    /// over leaves neither file nor folder behind.
    ///
    /// A link at `path` is refused when it is seen beforehand. One that is put there in the moment
    /// before the rename is replaced by the file and not followed, so still nothing outside is
    /// touched. The permissions of a file that is replaced are kept.
    ///
    /// # Errors
    /// Why not; then what was there is untouched.
    pub fn write(&self, path: &RootPath, content: &[u8], lease: &Lease) -> Result<(), RootError> {
        let fault = |error| RootError::io("writing", path, error);
        let name = path.name().ok_or_else(|| RootError::not_a_file(path))?;
        let permissions = self.replaceable(path)?;
        if !lease.is_alive() {
            return Err(RootError::lease_lost(path));
        }
        let near = self.nearest(&path.parent())?;
        let mut temporary = Temporary::create(&near).map_err(fault)?;
        temporary.fill(content, permissions).map_err(fault)?;
        let replace = || -> Result<Dir, RootError> {
            self.check_foreseen(path, lease)?;
            self.make_folders(&path.parent(), lease).map_err(fault)?;
            let folder = self.dir.open_dir(path.parent().for_system()).map_err(fault)?;
            temporary.rename(&folder, name).map_err(fault)?;
            self.did_write(path, Some(content), lease);
            Ok(folder)
        };
        let folder = lease.commit(replace).map_err(|_| RootError::lease_lost(path))??;
        sync_folder(&folder);
        Ok(())
    }

    /// Whether these files may be left so under the lease, each with its content or without one: every
    /// one of them may be written, and all together are what was shown. Who writes several asks for all of them
    /// before the first.
    ///
    /// # Errors
    /// Why not.
    pub fn may_leave<'c>(
        &self,
        files: impl Iterator<Item = (&'c RootPath, Option<&'c [u8]>)>,
        lease: &Lease,
    ) -> Result<(), RootError> {
        let mut left = BTreeMap::new();
        for (path, content) in files {
            if path.is_root() {
                return Err(RootError::not_a_file(path));
            }
            self.replaceable(path)?;
            if !lease.is_alive() {
                return Err(RootError::lease_lost(path));
            }
            self.check_foreseen(path, lease)?;
            left.insert(self.locate(path), FileState::of(content));
        }
        let shown = lease.foreseen().map_or(Ok(()), |foreseen| foreseen.check_left(&left));
        shown.map_err(|fault| RootError::unforeseen(self.path().display(), fault))
    }

    /// Gives the regular file at `from` the free name `to`, making parent folders.
    ///
    /// The system's rename would replace a file that appears at `to` in the last moment, and
    /// cap-std has no rename that refuses. So the file gets its second name first, which fails
    /// when the name is taken, and loses the first one then: both in one effect of the lease. A
    /// crash between the two leaves the file under both names, and loses nothing.
    ///
    /// # Errors
    /// When `from` is no regular file, `to` is taken, or one of them lies outside.
    pub fn move_file(&self, from: &RootPath, to: &RootPath, lease: &Lease) -> Result<(), RootError> {
        let fault = |error| RootError::io("moving to", to, error);
        if to.is_root() {
            return Err(RootError::not_a_file(to));
        }
        if self.replaceable(from)?.is_none() {
            let missing = io::Error::from(io::ErrorKind::NotFound);
            return Err(RootError::io("moving", from, missing));
        }
        let moved = lease.commit(|| -> Result<(), RootError> {
            self.check_foreseen(from, lease)?;
            self.check_foreseen(to, lease)?;
            let moved = lease.foreseen().map(|_| self.state(from)).transpose()?;
            self.make_folders(&to.parent(), lease).map_err(fault)?;
            self.dir.hard_link(from.for_system(), &self.dir, to.for_system()).map_err(fault)?;
            moved.into_iter().for_each(|state| self.note_write(to, state, lease));
            self.dir.remove_file(from.for_system()).map_err(fault)?;
            self.did_write(from, None, lease);
            Ok(())
        });
        moved.map_err(|_| RootError::lease_lost(to))?
    }

    /// Removes the regular file at `path`; a link is refused, wherever it leads.
    ///
    /// # Errors
    /// When there is no regular file, or it lies outside.
    pub fn remove_file(&self, path: &RootPath, lease: &Lease) -> Result<(), RootError> {
        let fault = |error| RootError::io("removing", path, error);
        if self.replaceable(path)?.is_none() {
            return Err(fault(io::Error::from(io::ErrorKind::NotFound)));
        }
        let removed = lease.commit(|| -> Result<(), RootError> {
            self.check_foreseen(path, lease)?;
            self.dir.remove_file(path.for_system()).map_err(fault)?;
            self.did_write(path, None, lease);
            Ok(())
        });
        removed.map_err(|_| RootError::lease_lost(path))?
    }

    /// Removes the folder at `path` when it is empty, and answers whether it did.
    ///
    /// # Errors
    /// When the call is over.
    pub fn remove_if_empty(&self, path: &RootPath, lease: &Lease) -> Result<bool, RootError> {
        let removed = lease.commit(|| self.dir.remove_dir(path.for_system()).is_ok());
        removed.map_err(|_| RootError::lease_lost(path))
    }

    /// How the file at `path` stands now. A link is not followed.
    ///
    /// # Errors
    /// When that cannot be found out.
    pub fn state(&self, path: &RootPath) -> Result<FileState, RootError> {
        let fault = |error| RootError::io("reading", path, error);
        match self.dir.symlink_metadata(path.for_system()) {
            Ok(found) if found.is_file() => {
                FileState::read(self.dir.open(path.for_system()).map_err(fault)?).map_err(fault)
            }
            Ok(_) => Ok(FileState::Other),
            Err(error) if is_missing(&error) => Ok(FileState::Absent),
            Err(error) => Err(fault(error)),
        }
    }

    /// Looks, inside of the effect, whether the file is still the one that the call may write.
    fn check_foreseen(&self, path: &RootPath, lease: &Lease) -> Result<(), RootError> {
        let Some(foreseen) = lease.foreseen() else { return Ok(()) };
        let checked = foreseen.check(&self.locate(path), self.state(path)?);
        checked.map_err(|fault| RootError::unforeseen(path, fault))
    }

    /// Nothing is hashed for a lease that foresees nothing.
    fn did_write(&self, path: &RootPath, content: Option<&[u8]>, lease: &Lease) {
        if lease.foreseen().is_some() {
            self.note_write(path, FileState::of(content), lease);
        }
    }

    fn note_write(&self, path: &RootPath, state: FileState, lease: &Lease) {
        if let Some(foreseen) = lease.foreseen() {
            foreseen.did_write(self.locate(path), state);
        }
    }

    /// The permissions of the regular file at `path`; `None` when there is nothing.
    fn replaceable(&self, path: &RootPath) -> Result<Option<Permissions>, RootError> {
        match self.dir.symlink_metadata(path.for_system()) {
            Ok(found) if found.is_symlink() => {
                // Where it leads is told apart, so that an attempt to leave is called by its name.
                let led = self.dir.metadata(path.for_system());
                let outside = led.map_err(|error| RootError::io("writing", path, error));
                Err(outside.err().filter(RootError::is_escape).unwrap_or_else(|| RootError::link(path)))
            }
            Ok(found) if found.is_file() => Ok(Some(found.permissions())),
            Ok(_) => Err(RootError::not_a_file(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(RootError::io("writing", path, error)),
        }
    }

    /// The deepest folder on the way to `folder` that exists: on the file system that the file will
    /// be on, as far as can be told before the rest is made.
    fn nearest(&self, folder: &RootPath) -> Result<Dir, RootError> {
        let mut folder = folder.clone();
        loop {
            match self.dir.open_dir(folder.for_system()) {
                Ok(dir) => return Ok(dir),
                Err(error) if error.kind() == io::ErrorKind::NotFound && !folder.is_root() => {
                    folder = folder.parent();
                }
                Err(error) => return Err(RootError::io("opening the folder", &folder, error)),
            }
        }
    }
}

/// A file under a name that nobody asked for. It is removed unless it is renamed.
struct Temporary<'d> {
    dir: &'d Dir,
    name: String,
    file: File,
}

impl<'d> Temporary<'d> {
    /// Process id and a counter make the name; `create_new` makes sure that it is nobody else's,
    /// and steps over what a crashed process with the same id has left.
    fn create(dir: &'d Dir) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut fault = io::Error::from(io::ErrorKind::AlreadyExists);
        for _ in 0..TEMPORARY_NAMES_MAX {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!(".helve-{}-{number}.tmp", std::process::id());
            match dir.open_with(&name, OpenOptions::new().write(true).create_new(true)) {
                Ok(file) => return Ok(Self { dir, name, file }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => fault = error,
                Err(error) => return Err(error),
            }
        }
        Err(fault)
    }

    fn fill(&mut self, content: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
        self.file.write_all(content)?;
        if let Some(permissions) = permissions {
            self.file.set_permissions(permissions)?;
        }
        self.file.sync_all()
    }

    fn rename(&mut self, folder: &Dir, name: &str) -> io::Result<()> {
        self.dir.rename(&self.name, folder, name)?;
        self.name.clear();
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.name.is_empty() {
            // There is nobody to tell; a left-over is hidden and never read.
            let _ = self.dir.remove_file(&self.name);
        }
    }
}

/// Makes the rename itself last through a power cut. The file is in place already, and some file
/// systems cannot sync a folder: a refusal is no failed write.
fn sync_folder(folder: &Dir) {
    let _ = folder.open(".").and_then(|handle| handle.sync_all());
}
