//! What ends processes when nobody is left to end them: when this process dies without a word.
//!
//! `PR_SET_PDEATHSIG` would be the system's own way. It can only be set between `fork` and `exec`
//! (which is unsafe code here), reaches the child and not what the child has started, and fires when
//! the *thread* that forked ends. So one small shell a host process holds the list of the groups.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin};
use std::sync::{Mutex, PoisonError};

use rustix::process::Pid;

use crate::harness::spawn;
use crate::limits::WATCHDOG_UNSAID_BYTES_MAX;

// Under the lock one line is written into a pipe that never blocks; nothing is awaited.
static WATCHDOG: Mutex<Option<Watchdog>> = Mutex::new(None);

struct Watchdog {
    child: Child,
    lines: ChildStdin,
    /// What it has not been told yet, because its pipe was full: a shell on a busy machine reads more
    /// slowly than calls begin and end. It is told with the next line; that it is slow is no reason to
    /// replace it, for a new one would not know the groups of the old one.
    unsaid: Vec<u8>,
}

/// Groups that are on the list until this is dropped.
pub(super) struct Watched(Vec<String>);

/// Puts a process group, its control groups and its temporary folder on the list, starting the watchdog
/// where there is none.
pub(super) fn watch(group: Pid, rooms: &[PathBuf], temporary: Option<&Path>) -> io::Result<Watched> {
    let mut groups = vec![group.as_raw_nonzero().to_string()];
    groups.extend(rooms.iter().filter_map(|room| listed(room)).map(str::to_owned));
    groups.extend(temporary.and_then(listed).map(|folder| format!("@{folder}")));
    let mut watchdog = WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(running) = watchdog.as_mut()
        && running.tell('+', &groups).is_ok()
    {
        return Ok(Watched(groups));
    }
    // There was none yet, or somebody killed it; the groups of a killed one are not watched further.
    if let Some(mut dead) = watchdog.take() {
        let _ = dead.child.kill().and_then(|()| dead.child.wait());
    }
    let running = watchdog.insert(Watchdog::start()?);
    running.tell('+', &groups)?;
    Ok(Watched(groups))
}

/// The list is split at blanks; a path with one in it is left to the group, or where it is. So is one
/// that begins nowhere, for the watchdog stands in another folder.
fn listed(path: &Path) -> Option<&str> {
    let text = path.to_str().filter(|_| path.is_absolute())?;
    (!text.contains(char::is_whitespace)).then_some(text)
}

impl Watchdog {
    fn start() -> io::Result<Self> {
        let mut child = spawn::watchdog()?;
        let lines = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        // A watchdog that somebody has stopped must not stop its host.
        rustix::io::ioctl_fionbio(&lines, true)?;
        Ok(Self { child, lines, unsaid: Vec::new() })
    }

    fn tell(&mut self, act: char, groups: &[String]) -> io::Result<()> {
        if self.unsaid.len() > WATCHDOG_UNSAID_BYTES_MAX {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.unsaid.extend(groups.iter().flat_map(|group| format!("{act} {group}\n").into_bytes()));
        while !self.unsaid.is_empty() {
            match self.lines.write(&self.unsaid) {
                Ok(said) => drop(self.unsaid.drain(..said)),
                Err(fault) if fault.kind() == io::ErrorKind::WouldBlock => break,
                Err(fault) if fault.kind() == io::ErrorKind::Interrupted => {}
                Err(fault) => return Err(fault),
            }
        }
        Ok(())
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(running) = WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            // A watchdog that is gone has no list either.
            let _ = running.tell('-', &self.0);
        }
    }
}
