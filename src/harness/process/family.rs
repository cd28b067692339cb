//! Everything that a process has started, found in `/proc`.
//!
//! A program that runs in the background in a session of its own is out of reach of its group, and a
//! process whose parent has ended belongs to init. So each process is asked four things: its group,
//! its session, its parent, and whether it carries the mark in its environment. To be the reaper of
//! orphans (`PR_SET_CHILD_SUBREAPER`) would show them too, but it belongs to the whole process: the
//! program that embeds this crate would find children that it never started.

use std::collections::BTreeSet;
use std::fs;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, pidfd_send_signal};

use crate::harness::process::cage::Cage;
use crate::limits::{PROCESS_SWEEP_WAIT, PROCESS_SWEEPS_MAX};

/// The variable that marks everything which one call has started.
pub(super) const MARK: &str = "HELVE_CALL";

/// Whom a family begins with.
#[derive(Clone, Debug)]
pub(super) struct Family {
    /// The first process, also the number of its group.
    pub leader: Pid,
    /// The value of [`MARK`].
    pub mark: String,
    /// Processes that were seen in the family before: a parent that has ended no longer shows.
    pub seen: Vec<Member>,
    /// What holds them together better than all that, where the system has it.
    pub cage: Option<Arc<Cage>>,
}

/// One process; the moment of its start tells it from a later one with the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Member {
    pid: i32,
    started: u64,
}

/// What killing a family came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Swept {
    /// How many were found besides the leader.
    pub killed: usize,
    /// How many were alive at the end.
    pub left: usize,
}

impl Family {
    /// The living members besides the leader.
    pub fn members(&self) -> Vec<Member> {
        let all = processes();
        let leader = self.leader.as_raw_nonzero().get();
        let mut inside: BTreeSet<i32> = BTreeSet::from([leader]);
        let is_seen = |it: &Stat| self.seen.binary_search(&it.member).is_ok();
        inside.extend(all.iter().filter(|it| is_seen(it)).map(|it| it.member.pid));
        inside.extend(self.cage.iter().flat_map(|cage| cage.members()));
        let since = all.iter().find(|it| it.member.pid == leader).map_or(0, |it| it.member.started);
        let own = |it: &Stat| {
            it.group == leader || it.session == leader || (it.member.started >= since && self.marks(it))
        };
        inside.extend(all.iter().filter(|it| own(it)).map(|it| it.member.pid));
        // Children of members, until no further one is found; their number bounds the rounds.
        loop {
            let before = inside.len();
            let found: Vec<_> = all.iter().filter(|it| inside.contains(&it.parent)).collect();
            inside.extend(found.into_iter().map(|it| it.member.pid));
            if inside.len() == before {
                break;
            }
        }
        inside.remove(&leader);
        all.iter().filter(|it| inside.contains(&it.member.pid) && !it.is_dead).map(|it| it.member).collect()
    }

    fn marks(&self, it: &Stat) -> bool {
        let wanted = format!("{MARK}={}", self.mark);
        let environment = fs::read(format!("/proc/{}/environ", it.member.pid)).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|variable| variable == wanted.as_bytes())
    }

    /// Sends a signal to the group and to every member outside of it.
    pub fn signal(&self, signal: Signal) {
        // A group that is empty already is what was wanted.
        let _ = kill_process_group(self.leader, signal);
        self.seen.iter().for_each(|member| drop(member.signal(signal)));
    }

    /// Kills all but the leader, who must not have been reaped yet: its number holds the group's.
    /// What starts while others are killed is found in the next round.
    pub fn sweep(&mut self) -> Swept {
        let mut killed = BTreeSet::new();
        for _ in 0..PROCESS_SWEEPS_MAX {
            let _ = kill_process_group(self.leader, Signal::KILL);
            let alive = self.members();
            if alive.is_empty() {
                return Swept { killed: killed.len(), left: 0 };
            }
            let ending: Vec<_> = alive.iter().filter_map(|member| member.signal(Signal::KILL)).collect();
            killed.extend(alive.iter().copied());
            await_ends(&ending);
            self.seen = killed.iter().copied().collect();
        }
        Swept { killed: killed.len(), left: self.members().len() }
    }
}

impl Member {
    /// Sends a signal to this process and to no later one of its number; answers its handle.
    fn signal(self, signal: Signal) -> Option<OwnedFd> {
        let handle = pidfd_open(Pid::from_raw(self.pid)?, PidfdFlags::empty()).ok()?;
        // Looked at after the handle was taken: from here on the handle is this process or nobody.
        let is_same = stat(self.pid).is_some_and(|now| now.member == self);
        (is_same && pidfd_send_signal(&handle, signal).is_ok()).then_some(handle)
    }
}

fn await_ends(handles: &[OwnedFd]) {
    let wait = Timespec { tv_sec: 0, tv_nsec: i64::from(PROCESS_SWEEP_WAIT.subsec_nanos()) };
    for handle in handles {
        let _ = poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&wait));
    }
}

/// A line of `/proc/PID/stat`, as far as it is needed.
struct Stat {
    member: Member,
    parent: i32,
    group: i32,
    session: i32,
    is_dead: bool,
}

fn processes() -> Vec<Stat> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.filter_map(|entry| stat(entry.ok()?.file_name().to_str()?.parse().ok()?)).collect()
}

fn stat(pid: i32) -> Option<Stat> {
    parse(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The name of a program may hold blanks and brackets; what follows the last bracket is numbers.
fn parse(pid: i32, line: &str) -> Option<Stat> {
    let fields: Vec<_> = line.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse().ok());
    Some(Stat {
        member: Member { pid, started: fields.get(19)?.parse().ok()? },
        parent: number(1)?,
        group: number(2)?,
        session: number(3)?,
        is_dead: matches!(*fields.first()?, "Z" | "X" | "x"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_whatever_the_program_is_called() {
        let line = "7 (a) S 1 (b)) Z 3 4 5 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 991 0 0";
        let it = parse(7, line).unwrap();
        assert_eq!((it.parent, it.group, it.session, it.is_dead), (3, 4, 5, true));
        assert_eq!(it.member, Member { pid: 7, started: 991 });
        assert!(parse(7, "7 (cut off").is_none());
    }

    #[test]
    fn this_process_is_found() {
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(processes().iter().any(|it| it.member.pid == own && !it.is_dead));
    }
}
