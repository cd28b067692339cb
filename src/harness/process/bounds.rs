//! The limits of a process, put upon it from outside while it waits at its gate.

use std::io;

use rustix::process::{Pid, Resource, Rlimit, prlimit};

use crate::harness::fence::Fence;
use crate::harness::process::cage::Cage;
use crate::harness::{Bound, Enforced, Report};
use crate::limits::{PROCESS_FILE_SIZE_MB, PROCESS_MEMORY_MB, PROCESS_OPEN_FILES, PROCESS_PROCESSES};
use crate::text::system_words;

/// The limits of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Private memory that a process may write to, in mebibytes.
    pub memory_mb: u64,
    /// The share of the processors, in thousandths of one; only a control group can enforce it.
    pub cpu_millicores: Option<u64>,
    /// Processes at once; only a control group can enforce it.
    pub processes: u64,
    /// Processor time that a process may take, in seconds.
    pub cpu_seconds: Option<u64>,
    /// Files that a process may hold open.
    pub open_files: u64,
    /// Largest file that a process may write, in mebibytes.
    pub file_size_mb: u64,
}

impl Default for ProcessLimits {
    fn default() -> Self {
        Self {
            memory_mb: PROCESS_MEMORY_MB,
            cpu_millicores: None,
            processes: PROCESS_PROCESSES,
            cpu_seconds: None,
            open_files: PROCESS_OPEN_FILES,
            file_size_mb: PROCESS_FILE_SIZE_MB,
        }
    }
}

impl ProcessLimits {
    /// The system's name of a limit and its value; `None` for a bound that has none.
    ///
    /// Memory is `RLIMIT_DATA` and not the customary `RLIMIT_AS`: programs with a garbage collector
    /// reserve address space by the terabyte and never touch it.
    fn resource(&self, bound: Bound) -> Option<(Resource, u64)> {
        match bound {
            Bound::Memory => Some((Resource::Data, self.memory_mb.saturating_mul(1 << 20))),
            Bound::Cpu => self.cpu_seconds.map(|seconds| (Resource::Cpu, seconds)),
            Bound::OpenFiles => Some((Resource::Nofile, self.open_files)),
            Bound::FileSize => Some((Resource::Fsize, self.file_size_mb.saturating_mul(1 << 20))),
            _ => None,
        }
    }
}

/// Puts the limits upon `pid` and says what came of it.
pub(super) fn impose(
    pid: Pid,
    limits: &ProcessLimits,
    cage: Option<&Cage>,
    fence: &Fence,
    is_watched: bool,
) -> Report {
    // A core of a crashed program is written to a place that no limit of ours knows, with its
    // secrets in it. A refusal only leaves what was there before.
    let _ = set(pid, Resource::Core, 0);
    Report::new(|bound| {
        let own = limits.resource(bound).map(|(resource, value)| set(pid, resource, value));
        match own {
            _ if cage.is_some_and(|cage| cage.enforces(bound)) => Enforced::Fully,
            _ if let Some(enforced) = fence.enforces(bound) => enforced,
            _ if bound == Bound::Descendants && cage.is_some() => Enforced::Fully,
            _ if bound == Bound::Orphans && cage.is_some() && is_watched => Enforced::Fully,
            Some(Ok(())) => reach(bound),
            Some(Err(fault)) => {
                Enforced::Not(format!("the system refused the limit: {}", system_words(&fault)).into())
            }
            None => unlimited(bound, is_watched),
        }
    })
}

/// A child never gets above the hard limit of this process, so it may be lower than asked for.
fn set(pid: Pid, resource: Resource, value: u64) -> io::Result<()> {
    let hard = rustix::process::getrlimit(resource).maximum;
    let value = hard.map_or(value, |hard| hard.min(value));
    // SIGXCPU comes at the soft limit and can be caught; SIGKILL at the hard one cannot.
    let maximum = if resource == Resource::Cpu { value.saturating_add(1) } else { value };
    let maximum = hard.map_or(maximum, |hard| hard.min(maximum));
    prlimit(Some(pid), resource, Rlimit { current: Some(value), maximum: Some(maximum) })?;
    Ok(())
}

/// How far a limit of the system reaches.
fn reach(bound: Bound) -> Enforced {
    match bound {
        Bound::FileSize => Enforced::Fully,
        _ => Enforced::Partly("each process has the limit for itself, not all of them together".into()),
    }
}

fn unlimited(bound: Bound, is_watched: bool) -> Enforced {
    match bound {
        Bound::Cpu => Enforced::Not(
            "the manifest names no `cpu_seconds`, and a share needs a control group that can be written to"
                .into(),
        ),
        // RLIMIT_NPROC counts all processes of the user, so any useful value would stop the user's
        // own programs from starting, and for root it is not looked at.
        Bound::Processes => Enforced::Not(
            "without a control group the system counts processes a user and not a program".into(),
        ),
        Bound::Descendants => Enforced::Partly(
            "found by group, session, parent and a mark in the environment; \
             a process that sheds all four outlives the call"
                .into(),
        ),
        Bound::Orphans if is_watched => {
            Enforced::Partly("its process group ends with the host, what has left the group does not".into())
        }
        Bound::Orphans => Enforced::Not("the watchdog cannot be reached".into()),
        Bound::Filesystem => Enforced::Not("it reads the files that its user reads".into()),
        Bound::Memory
        | Bound::OpenFiles
        | Bound::FileSize
        | Bound::Writes
        | Bound::Network
        | Bound::Privileges => Enforced::Not("no limit was asked for".into()),
    }
}
