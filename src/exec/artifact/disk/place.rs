//! Where the folder of a store is, and opening it.

use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

/// Where artifacts lie below a folder of somebody's work.
const HOME: [&str; 2] = [".helve", "artifacts"];

/// Where the folder of a store is. It need not be there yet.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Trusted: it comes from whoever started the program.
    base: PathBuf,
    /// Not trusted: a repository may have come with links in the place of these.
    below: &'static [&'static str],
}

impl Place {
    /// The folder itself.
    pub fn at(folder: PathBuf) -> Self {
        Self { base: folder, below: &[] }
    }

    /// Below a folder, in `.helve/artifacts`.
    pub fn within(folder: PathBuf) -> Self {
        Self { base: folder, below: &HOME }
    }

    pub fn path(&self) -> PathBuf {
        if self.base == Path::new(".") && !self.below.is_empty() {
            return self.below.iter().collect();
        }
        self.below.iter().fold(self.base.clone(), |path, part| path.join(part))
    }

    /// Opens the folder; `None` when it is not there.
    pub fn open(&self) -> io::Result<Option<Dir>> {
        let opened = Dir::open_ambient_dir(&self.base, ambient_authority())
            .and_then(|base| self.below.iter().try_fold(base, |dir, part| subfolder(&dir, part)));
        match opened {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            opened => opened.map(Some),
        }
    }

    /// Opens the folder, making it where it is missing.
    pub fn make(&self) -> io::Result<Dir> {
        Dir::create_ambient_dir_all(&self.base, ambient_authority())?;
        let base = Dir::open_ambient_dir(&self.base, ambient_authority())?;
        self.below.iter().try_fold(base, |dir, part| make_subfolder(&dir, part))
    }
}

/// Opens a folder of the store's own. A symbolic link in its place is refused, also one that stays
/// inside.
pub(super) fn subfolder(dir: &Dir, name: &str) -> io::Result<Dir> {
    if dir.symlink_metadata(name)?.is_symlink() {
        let why = format!("`{name}` is a symbolic link, and artifacts are not kept behind one");
        return Err(io::Error::other(why));
    }
    dir.open_dir(name)
}

/// The same, made where it is missing.
pub(super) fn make_subfolder(dir: &Dir, name: &str) -> io::Result<Dir> {
    match subfolder(dir, name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    match dir.create_dir(name) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => subfolder(dir, name),
    }
}
