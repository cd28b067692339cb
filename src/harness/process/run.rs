//! From a launch to a running process with its pipes.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tempfile::TempDir;
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::harness::process::cage::Cage;
use crate::harness::process::family::{Family, MARK};
use crate::harness::process::warden::{Warden, exit_of};
use crate::harness::process::{End, ProcessLimits, bounds, watchdog};
use crate::harness::spawn::{self, Launch};
use crate::harness::{Bound, Report};

/// A running process: three pipes, and the hold on its life.
pub struct Process {
    /// Its standard input.
    pub stdin: Sender,
    /// Its standard output.
    pub stdout: Receiver,
    /// Its standard error.
    pub stderr: Receiver,
    /// What keeps it alive.
    pub hold: Hold,
    /// What is enforced on it.
    pub report: Report,
}

/// Keeps a process alive. When it is dropped, the process and all that it has started are told to
/// end, killed after the grace, and reaped, by a task that outlives whoever let go.
pub struct Hold {
    stop: CancellationToken,
    end: oneshot::Receiver<End>,
}

/// Hears of the end of a process, also when nobody waits for it any more.
pub type Listener = Box<dyn FnOnce(&End) + Send>;

impl Hold {
    /// The token whose cancellation tells the process to end, and kills it after its grace.
    pub fn stopper(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// The end of the process; `None` when the runtime goes down before it.
    pub async fn end(&mut self) -> Option<End> {
        (&mut self.end).await.ok()
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Starts a process under its limits. It must be called inside a tokio runtime with I/O and time.
///
/// # Errors
/// When the system starts no process, or a bound of `required` cannot be enforced whole: then the
/// program has not begun.
pub fn run(
    launch: &Launch,
    limits: &ProcessLimits,
    required: &[Bound],
    grace: Duration,
    listener: Listener,
) -> io::Result<Process> {
    let mark = mark();
    let mut launch = launch.clone();
    launch.environment.push((MARK.into(), mark.clone().into()));
    let temporary = tempfile::Builder::new().prefix("helve-").tempdir().ok();
    if let Some(folder) = &temporary {
        launch.environment.push(("TMPDIR".into(), folder.path().into()));
        launch.writable.push(folder.path().to_owned());
    }
    let (child, fence) = spawn::gate(&launch)?;
    let mut guard = Guard { child: Some(child), cage: None };
    let child = guard.child.as_mut().ok_or(io::ErrorKind::NotFound)?;
    let leader = pid_of(child)?;
    let handle = exit_of(pidfd_open(leader, PidfdFlags::empty())?)?;
    let pipe = |end: Option<OwnedFd>| end.ok_or(io::Error::from(io::ErrorKind::BrokenPipe));
    let stdin = Sender::from_owned_fd(pipe(child.stdin.take().map(Into::into))?)?;
    let stdout = Receiver::from_owned_fd(pipe(child.stdout.take().map(Into::into))?)?;
    let stderr = Receiver::from_owned_fd(pipe(child.stderr.take().map(Into::into))?)?;
    guard.cage = Cage::build(&mark, leader, limits);
    let rooms = guard.cage.as_ref().map_or(&[][..], Cage::rooms);
    let watched = watchdog::watch(leader, rooms, temporary.as_ref().map(TempDir::path)).ok();
    let report = bounds::impose(leader, limits, guard.cage.as_ref(), &fence, watched.is_some());
    if let Some((bound, why)) = report.short_of(required).next() {
        let message = format!("`{bound}` is required and cannot be enforced: {why}");
        return Err(io::Error::new(io::ErrorKind::Unsupported, message));
    }
    let cage = guard.cage.take().map(Arc::new);
    let child = guard.child.take().ok_or(io::ErrorKind::NotFound)?;
    let family = Family { leader, mark, seen: Vec::new(), cage };
    let warden =
        Warden { child, handle, family, grace, report: report.clone(), watched, temporary, is_reaped: false };
    // The pipe is empty and takes a byte at once; tokio would first wait to be told so. Whatever
    // happens from here on, the warden ends it.
    let opened = rustix::io::write(&stdin, b"\n");
    let hold = hold(warden, listener);
    opened?;
    Ok(Process { stdin, stdout, stderr, hold, report })
}

fn hold(warden: Warden, listener: Listener) -> Hold {
    let stop = CancellationToken::new();
    let (sender, end) = oneshot::channel();
    let stopped = stop.clone();
    tokio::spawn(async move {
        let end = warden.run(stopped).await;
        listener(&end);
        // Whoever waited may be gone, which is the very case that this task is for.
        let _ = sender.send(end);
    });
    Hold { stop, end }
}

/// A child at its gate that is not yet anybody's: when something fails it is killed and reaped, and
/// then its control groups, which are empty by then, are removed.
struct Guard {
    child: Option<Child>,
    cage: Option<Cage>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill().and_then(|()| child.wait());
        }
    }
}

fn pid_of(child: &Child) -> io::Result<Pid> {
    let raw = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    raw.ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// A mark that no other call of a living process has.
fn mark() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}
