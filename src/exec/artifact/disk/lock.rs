//! The lock of the store: whoever adds, pins or evicts holds it, whatever process it is in. Its file
//! also says how much there is, so that not everybody has to count.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};

use cap_std::fs::{Dir, OpenOptions};
use rustix::event::{Timespec, poll};
use serde::{Deserialize, Serialize};

use crate::exec::artifact::ArtifactError;
use crate::limits::ARTIFACTS_LOCK_TRIES_MAX;

const NAME: &str = "lock";

/// The lock, held. Dropping it, or the end of the process, lets go.
pub(super) struct Locked(File);

/// How much there is, at most: what was announced and then not stored is counted until somebody counts
/// anew, and nothing is stored that was not announced before.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct Tally {
    pub bytes: u64,
    pub count: usize,
    /// Nothing was unused for longer when it was last counted; uses since then only make it later.
    pub oldest_used_ms: u64,
}

impl Locked {
    /// Waits for the lock, for about as many milliseconds as [`ARTIFACTS_LOCK_TRIES_MAX`]. The
    /// system's own waiting has no end: a process that was stopped while it held the lock would
    /// take every thread that stores something with it.
    pub fn take(dir: &Dir) -> Result<Self, ArtifactError> {
        let fault = |error| ArtifactError::folder("locking the artifact store")(error);
        let file =
            dir.open_with(NAME, OpenOptions::new().read(true).write(true).create(true)).map_err(fault)?;
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

    /// How much there is; `None` when that is to be counted.
    pub fn tally(&mut self) -> Option<Tally> {
        let mut text = String::new();
        self.0.rewind().and_then(|()| self.0.read_to_string(&mut text)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Says how much there is.
    pub fn set_tally(&mut self, tally: Tally) -> io::Result<()> {
        let text = serde_json::to_string(&tally)?;
        self.0.set_len(0)?;
        self.0.rewind()?;
        self.0.write_all(text.as_bytes())
    }

    /// Lets the next one count.
    pub fn forget_tally(&mut self) -> io::Result<()> {
        self.0.set_len(0)
    }
}
