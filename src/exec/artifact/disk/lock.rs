//! The lock of the store: whoever adds, pins or evicts holds it, whatever process it is in.

use std::fs::{File, TryLockError};

use cap_std::fs::{Dir, OpenOptions};
use rustix::event::{Timespec, poll};

use crate::exec::artifact::ArtifactError;
use crate::limits::ARTIFACTS_LOCK_TRIES_MAX;

const NAME: &str = "lock";

/// The lock, held. Dropping it, or the end of the process, lets go.
pub(super) struct Locked(#[expect(dead_code, reason = "the open file is the lock")] File);

impl Locked {
    /// Waits for the lock, for about as many milliseconds as [`ARTIFACTS_LOCK_TRIES_MAX`]. The
    /// system's own waiting has no end: a process that was stopped while it held the lock would
    /// take every thread that stores something with it.
    pub fn take(dir: &Dir) -> Result<Self, ArtifactError> {
        let fault = |error| ArtifactError::folder("locking the artifact store")(error);
        let file = dir.open_with(NAME, OpenOptions::new().write(true).create(true)).map_err(fault)?;
        let file = file.into_std();
        let moment = Timespec { tv_sec: 0, tv_nsec: 1_000_000 };
        for _ in 0..ARTIFACTS_LOCK_TRIES_MAX {
            match file.try_lock() {
                Ok(()) => return Ok(Self(file)),
                Err(TryLockError::WouldBlock) => {
                    let _ = poll(&mut [], Some(&moment));
                }
                Err(TryLockError::Error(error)) => return Err(fault(error)),
            }
        }
        Err(ArtifactError::Busy)
    }
}
