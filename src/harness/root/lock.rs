//! One at a time, between processes too.

use std::fs::File;

use cap_std::fs::OpenOptions;

use crate::harness::root::{Root, RootError, RootPath};

/// A lock that is held until this is dropped, or until its process ends.
#[derive(Debug)]
pub struct RootLock {
    // The system lets go of the lock when the file is closed.
    _file: File,
}

impl Root {
    /// Waits until nobody else holds the lock at `path`, a file that is made for it, and holds it
    /// then. It blocks.
    ///
    /// # Errors
    /// When the file cannot be made, or its file system has no locks.
    pub fn lock(&self, path: &RootPath) -> Result<RootLock, RootError> {
        let fault = |error| RootError::io("locking", path, error);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let file = self.dir.open_with(path.for_system(), &options).map_err(fault)?.into_std();
        file.lock().map_err(fault)?;
        Ok(RootLock { _file: file })
    }
}
