//! How a process ended, and what it took.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::harness::Report;

/// The end of a process and of everything that it had started.
#[derive(Clone, Debug)]
pub struct End {
    /// Its exit code or signal; `None` for a process that not even SIGKILL has ended in time.
    pub status: Option<ExitStatus>,
    /// Whether it was told to end.
    pub was_stopped: bool,
    /// How many of the processes that it had left behind were killed.
    pub swept: usize,
    /// How many of them are alive nonetheless.
    pub left: usize,
    /// What it took.
    pub used: Used,
    /// What was enforced on it.
    pub report: Report,
}

/// The resources that a process and the children that it waited for have taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// Processor time.
    pub cpu: Duration,
    /// The largest memory that it had in use, in bytes: all of its processes together where a control
    /// group counts them, otherwise the largest one.
    pub memory_bytes: u64,
}

impl End {
    /// The end as JSON, for watchers and recordings.
    pub fn to_json(&self) -> Json {
        json!({
            "exit_code": self.status.and_then(|status| status.code()),
            "signal": self.status.and_then(|status| status.signal()),
            "was_stopped": self.was_stopped,
            "swept": self.swept,
            "left": self.left,
            "used": {
                "cpu_ms": u64::try_from(self.used.cpu.as_millis()).unwrap_or(u64::MAX),
                "memory_bytes": self.used.memory_bytes,
            },
            "enforced": self.report.to_json(),
        })
    }
}
