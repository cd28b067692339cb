//! Who owns a child from its start to its reaping.
//!
//! ```text
//! Running --it exits-----------------------------> Ended --its family is killed--> Swept --> Reaped
//!         --told to stop--> TERM --grace--> KILL -> Ended
//!         --dropped-------> KILL ----------------> Ended
//! ```
//!
//! The child is reaped last: as long as it is not, its number, which is also its group's, belongs to
//! nobody else.

use std::os::fd::{AsFd, OwnedFd};
use std::process::Child;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;
use tempfile::TempDir;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use wait4::Wait4;

use crate::harness::Report;
use crate::harness::process::end::{End, Used};
use crate::harness::process::family::{Family, Swept};
use crate::harness::process::watchdog::Watched;
use crate::limits::PROCESS_KILL_WAIT;

/// A child that was started and not yet reaped.
pub(super) struct Warden {
    pub child: Child,
    pub handle: AsyncFd<OwnedFd>,
    pub family: Family,
    pub grace: Duration,
    pub report: Report,
    pub watched: Option<Watched>,
    /// The folder that it may fill; it goes with the process.
    pub temporary: Option<TempDir>,
    pub is_reaped: bool,
}

/// The handle of a process, which becomes readable when the process ends.
#[expect(
    deprecated,
    reason = "the newer name is unsafe because a type may lend a descriptor that it closes; an `OwnedFd` cannot"
)]
pub(super) fn exit_of(handle: OwnedFd) -> std::io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(handle, Interest::READABLE)
}

impl Warden {
    /// Waits for the end of the child, or brings it about once `stop` is cancelled.
    pub async fn run(mut self, stop: CancellationToken) -> End {
        let was_stopped = tokio::select! {
            biased;
            () = exited(&self.handle) => false,
            () = stop.cancelled() => {
                self.terminate().await;
                true
            }
        };
        let swept = self.sweep().await;
        self.reap(was_stopped, swept)
    }

    async fn terminate(&mut self) {
        let family = self.family.clone();
        // Taken while the parents live: afterwards nobody knows whose child a stray one was.
        if let Ok(mut seen) = spawn_blocking(move || family.members()).await {
            seen.sort_unstable();
            self.family.seen = seen;
        }
        self.family.signal(Signal::TERM);
        if timeout(self.grace, exited(&self.handle)).await.is_err() {
            self.family.signal(Signal::KILL);
            // A process inside a system call that cannot be interrupted outlives even this.
            let _ = timeout(PROCESS_KILL_WAIT, exited(&self.handle)).await;
        }
    }

    async fn sweep(&mut self) -> Swept {
        let (mut family, temporary) = (self.family.clone(), self.temporary.take());
        let sweep = move || {
            let swept = family.sweep();
            drop(temporary);
            swept
        };
        spawn_blocking(sweep).await.unwrap_or_default()
    }

    fn memory_peak(&self) -> u64 {
        self.family.cage.as_ref().and_then(|cage| cage.memory_peak()).unwrap_or_default()
    }

    fn reap(&mut self, was_stopped: bool, swept: Swept) -> End {
        let reaped = self.child.try_wait4().ok().flatten();
        self.is_reaped = reaped.is_some();
        if self.is_reaped {
            self.watched = None;
        }
        let used = reaped.map_or_else(Used::default, |it| Used {
            cpu: it.rusage.utime + it.rusage.stime,
            memory_bytes: it.rusage.maxrss.max(self.memory_peak()),
        });
        End {
            status: reaped.map(|it| it.status),
            was_stopped,
            swept: swept.killed,
            left: swept.left + usize::from(!self.is_reaped),
            used,
            report: self.report.clone(),
        }
    }
}

impl Drop for Warden {
    /// The runtime goes down, or the child would not die: the last try, which waits on this thread.
    fn drop(&mut self) {
        if self.is_reaped {
            return;
        }
        self.family.signal(Signal::KILL);
        let swept = self.family.sweep();
        let wait = Timespec {
            tv_sec: i64::try_from(PROCESS_KILL_WAIT.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(PROCESS_KILL_WAIT.subsec_nanos()),
        };
        let _ = poll(&mut [PollFd::from_borrowed_fd(self.handle.as_fd(), PollFlags::IN)], Some(&wait));
        let end = self.reap(true, swept);
        if end.left > 0 {
            tracing::error!(pid = self.child.id(), left = end.left, "processes of a tool outlive SIGKILL");
        }
    }
}

/// Waits for the end of the process. A fault of the reactor counts as the end: what follows looks
/// for itself whether the process is still there.
async fn exited(handle: &AsyncFd<OwnedFd>) {
    // The readiness stays set: whoever asks next is answered at once.
    let _ = handle.readable().await;
}
