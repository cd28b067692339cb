//! A control group of the system's: what a process starts stays inside of it, whatever it does to its
//! group, its session and its environment, and limits hold for all of it together.
//!
//! It is made below the control group of this process, where that may be written to: as root, in a
//! container that permits it, under `systemd-run --user -p Delegate=yes`. Beside our own group would
//! often do too, but there the limits that somebody has put upon this process would not hold.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::event::{Timespec, poll};
use rustix::process::Pid;

use crate::harness::{Bound, ProcessLimits};
use crate::limits::{CAGE_REMOVALS_MAX, CPU_PERIOD_US};

/// The control groups of one process, one in each hierarchy that there is.
#[derive(Debug)]
pub(super) struct Cage {
    rooms: Vec<PathBuf>,
    enforced: Vec<Bound>,
}

/// A file of a control group that holds a limit. Each has another name in the two versions.
struct Setting {
    bound: Bound,
    file: &'static str,
    value: fn(&ProcessLimits) -> Option<String>,
}

const SETTINGS: [Setting; 5] = [
    Setting { bound: Bound::Memory, file: "memory.max", value: memory },
    Setting { bound: Bound::Memory, file: "memory.limit_in_bytes", value: memory },
    Setting { bound: Bound::Processes, file: "pids.max", value: |it| Some(it.processes.to_string()) },
    Setting {
        bound: Bound::Cpu,
        file: "cpu.max",
        value: |it| Some(format!("{} {CPU_PERIOD_US}", quota(it)?)),
    },
    Setting { bound: Bound::Cpu, file: "cpu.cfs_quota_us", value: |it| Some(quota(it)?.to_string()) },
];

/// The hierarchies of version 1 that can limit something; in each, our process is a member already.
const CONTROLLERS: [&str; 3] = ["memory", "pids", "cpu"];
/// Where the largest memory that was in use stands.
const PEAKS: [&str; 2] = ["memory.peak", "memory.max_usage_in_bytes"];

fn memory(limits: &ProcessLimits) -> Option<String> {
    Some(limits.memory_mb.saturating_mul(1 << 20).to_string())
}

fn quota(limits: &ProcessLimits) -> Option<u64> {
    Some(limits.cpu_millicores?.saturating_mul(CPU_PERIOD_US) / 1_000)
}

impl Cage {
    /// Puts `pid` into groups of this name; `None` where the system lets us make none.
    pub fn build(name: &str, pid: Pid, limits: &ProcessLimits) -> Option<Self> {
        let mut cage = Self { rooms: Vec::new(), enforced: Vec::new() };
        for parent in own_groups() {
            // Where one cannot be made, another one may.
            let _ = cage.add(&parent.join(format!("helve-{name}")), pid, limits);
        }
        (!cage.rooms.is_empty()).then_some(cage)
    }

    fn add(&mut self, room: &Path, pid: Pid, limits: &ProcessLimits) -> io::Result<()> {
        // What a host that was killed has left behind under the same number is empty, or not ours.
        let _ = fs::remove_dir(room);
        fs::create_dir(room)?;
        let set: Vec<_> = SETTINGS.iter().filter(|it| it.write(room, limits)).map(|it| it.bound).collect();
        let joined = fs::write(room.join("cgroup.procs"), pid.as_raw_nonzero().to_string());
        if joined.is_err() {
            let _ = fs::remove_dir(room);
            return joined;
        }
        self.rooms.push(room.to_owned());
        self.enforced.extend(set);
        Ok(())
    }

    /// Whether the limit of `bound` holds for everything inside.
    pub fn enforces(&self, bound: Bound) -> bool {
        self.enforced.contains(&bound)
    }

    /// The folders of the groups.
    pub fn rooms(&self) -> &[PathBuf] {
        &self.rooms
    }

    /// The processes inside.
    pub fn members(&self) -> Vec<i32> {
        let lists = self.rooms.iter().filter_map(|room| fs::read_to_string(room.join("cgroup.procs")).ok());
        lists.flat_map(|list| list.lines().filter_map(|line| line.parse().ok()).collect::<Vec<_>>()).collect()
    }

    /// The largest memory that everything inside had in use together.
    pub fn memory_peak(&self) -> Option<u64> {
        let files = self.rooms.iter().flat_map(|room| PEAKS.map(|file| room.join(file)));
        files.filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok()).max()
    }
}

impl Setting {
    fn write(&self, room: &Path, limits: &ProcessLimits) -> bool {
        let file = room.join(self.file);
        (self.value)(limits).is_some_and(|value| file.exists() && fs::write(file, value).is_ok())
    }
}

impl Drop for Cage {
    /// A group whose last process has only just ended is busy for a moment longer.
    fn drop(&mut self) {
        let moment = Timespec { tv_sec: 0, tv_nsec: 1_000_000 };
        for _ in 0..CAGE_REMOVALS_MAX {
            self.rooms.retain(|room| fs::remove_dir(room).is_err() && room.exists());
            if self.rooms.is_empty() {
                return;
            }
            let _ = poll(&mut [], Some(&moment));
        }
        tracing::warn!(rooms = ?self.rooms, "control groups of a tool cannot be removed");
    }
}

/// The folders of the control groups that this process is in.
fn own_groups() -> Vec<PathBuf> {
    let read = |file| fs::read_to_string(file).unwrap_or_default();
    groups(&read("/proc/self/cgroup"), &read("/proc/self/mountinfo"))
}

/// The same from the texts: a line of `memberships` is `4:memory:/a/b`, of version 2 `0::/a/b`.
fn groups(memberships: &str, mounts: &str) -> Vec<PathBuf> {
    let group = |line: &str| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        let is_useful = controllers.is_empty() || controllers.split(',').any(|it| CONTROLLERS.contains(&it));
        is_useful.then(|| mounts.lines().find_map(|mount| folder(mount, controllers, path)))?
    };
    memberships.lines().filter_map(group).collect()
}

/// The folder of the group at `path`, when this line of `mountinfo` is where its hierarchy stands:
/// `36 35 0:3 /root /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory`.
fn folder(mount: &str, controllers: &str, path: &str) -> Option<PathBuf> {
    let (place, kind) = mount.split_once(" - ")?;
    let mut kind = kind.split(' ');
    let is_it = match (kind.next()?, controllers) {
        ("cgroup2", "") => true,
        ("cgroup", controllers) if !controllers.is_empty() => {
            let options: Vec<_> = kind.nth(1)?.split(',').collect();
            controllers.split(',').all(|controller| options.contains(&controller))
        }
        _ => false,
    };
    let mut place = place.split(' ').skip(3);
    let (root, point) = (place.next()?, place.next()?);
    let below = Path::new(path).strip_prefix(root).ok()?;
    is_it.then(|| Path::new(point).join(below))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_groups_are_found_in_both_versions() {
        let mounts = "\
            30 20 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n\
            31 20 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
            32 20 0:28 /box /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n\
            33 20 0:29 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer\n";
        let memberships = "5:freezer:/\n4:memory:/box/own\n3:pids:/\n2:cpu,cpuacct:/a\n0::/user.slice\n";
        let found = groups(memberships, mounts);
        let expected = [
            "/sys/fs/cgroup/memory/own",
            "/sys/fs/cgroup/cpu,cpuacct/a",
            "/sys/fs/cgroup/unified/user.slice",
        ];
        assert_eq!(found, expected.map(PathBuf::from));
        assert!(groups("", "").is_empty() && groups("nonsense", "more - nonsense").is_empty());
    }
}
