//! The permission to change things, which dies with its call.
//!
//! A tool that ignores its token goes on running after its deadline; nobody can stop a thread.
//! So an effect does not ask whether the call is still wanted and then acts: it acts *under* the
//! lease, and ending the lease waits for an effect that has begun. After [`Lease::end`] returns,
//! no effect of the call lands any more.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The permission of one call to change things. Clones are the same permission.
#[derive(Clone, Debug)]
pub struct Lease {
    // A std mutex and not an async one: what happens under it is one short effect, a rename or a
    // statement, and never an await.
    alive: Arc<Mutex<bool>>,
}

impl Lease {
    /// A lease that is alive.
    pub fn new() -> Self {
        Self { alive: Arc::new(Mutex::new(true)) }
    }

    /// Ends the lease. An effect that has begun is waited for; none begins afterwards.
    pub fn end(&self) {
        *self.alive.lock().unwrap_or_else(PoisonError::into_inner) = false;
    }

    /// Whether effects are still permitted. Only good for leaving early: by the time the answer is
    /// read it may be wrong. An effect goes through [`commit`](Self::commit).
    pub fn is_alive(&self) -> bool {
        *self.alive.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does one short effect under the lease. What takes long is prepared before: the file is
    /// written under a temporary name and only the rename happens here.
    ///
    /// # Errors
    /// [`LeaseLost`] when the call is over; then `effect` was not run.
    pub fn commit<T>(&self, effect: impl FnOnce() -> T) -> Result<T, LeaseLost> {
        let alive = self.alive.lock().unwrap_or_else(PoisonError::into_inner);
        if *alive { Ok(effect()) } else { Err(LeaseLost) }
    }

    /// Writes a whole file under the lease: to a temporary name beside it, synced, then renamed.
    /// The file is never seen half-written.
    ///
    /// # Errors
    /// An I/O error, or one that wraps [`LeaseLost`]; then the old file is untouched.
    pub fn write_file(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::Builder::new().prefix(".helve-").tempfile_in(folder)?;
        file.write_all(content)?;
        file.as_file().sync_all()?;
        self.commit(|| file.persist(path)).map_err(io::Error::other)??;
        Ok(())
    }
}

impl Default for Lease {
    fn default() -> Self {
        Self::new()
    }
}

/// The call is over: its effects no longer land.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseLost;

impl fmt::Display for LeaseLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the call is over; its effects no longer land")
    }
}

impl std::error::Error for LeaseLost {}
