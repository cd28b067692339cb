//! What the kernel says of this process.

use std::fs;
use std::io;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Processor time of all threads.
pub fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// How often a thread of this process has gone to sleep by itself: each such time it was woken.
pub fn switches() -> io::Result<u64> {
    let mut sum = 0;
    for thread in fs::read_dir("/proc/self/task")? {
        sum += number(&fs::read_to_string(thread?.path().join("status"))?, "voluntary_ctxt_switches:");
    }
    Ok(sum)
}

/// Bytes of memory that are resident now, and the most that ever were.
pub fn resident() -> io::Result<(u64, u64)> {
    let status = fs::read_to_string("/proc/self/status")?;
    Ok((number(&status, "VmRSS:") << 10, number(&status, "VmHWM:") << 10))
}

fn number(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
