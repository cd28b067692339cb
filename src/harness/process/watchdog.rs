//! What ends processes when nobody is left to end them: when this process dies without a word.
//!
//! `PR_SET_PDEATHSIG` would be the system's own way. It can only be set between `fork` and `exec`
//! (which is unsafe code here), reaches the child and not what the child has started, and fires when
//! the *thread* that forked ends. So one small shell a host process holds the list of the groups.

use std::io::{self, Write};
use std::process::{Child, ChildStdin};
use std::sync::{Mutex, PoisonError};

use rustix::process::Pid;

use crate::harness::spawn;

// Under the lock one line is written into a pipe that never blocks; nothing is awaited.
static WATCHDOG: Mutex<Option<Watchdog>> = Mutex::new(None);

struct Watchdog {
    child: Child,
    lines: ChildStdin,
}

/// A group that is on the list until this is dropped.
pub(super) struct Watched(Pid);

/// Puts a group on the list, starting the watchdog where there is none.
pub(super) fn watch(group: Pid) -> io::Result<Watched> {
    let mut watchdog = WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(running) = watchdog.as_mut()
        && running.tell('+', group).is_ok()
    {
        return Ok(Watched(group));
    }
    // There was none yet, or somebody killed it; the groups of a killed one are not watched further.
    if let Some(mut dead) = watchdog.take() {
        let _ = dead.child.kill().and_then(|()| dead.child.wait());
    }
    let running = watchdog.insert(Watchdog::start()?);
    running.tell('+', group)?;
    Ok(Watched(group))
}

impl Watchdog {
    fn start() -> io::Result<Self> {
        let mut child = spawn::watchdog()?;
        let lines = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        // A watchdog that somebody has stopped must not stop its host.
        rustix::io::ioctl_fionbio(&lines, true)?;
        Ok(Self { child, lines })
    }

    fn tell(&mut self, act: char, group: Pid) -> io::Result<()> {
        self.lines.write_all(format!("{act} {}\n", group.as_raw_nonzero()).as_bytes())
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(running) = WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            // A watchdog that is gone has no list either.
            let _ = running.tell('-', self.0);
        }
    }
}
