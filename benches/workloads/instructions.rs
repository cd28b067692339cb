//! Instruction counts: the gate that does not depend on what else the machine does.
//!
//! Each workload runs under callgrind N times and 2N times; the difference is N runs without their
//! setup. That needs valgrind and nothing else: a framework around callgrind (gungraun) would bring
//! a second program that must be installed in the very version of its library, and a second door to
//! the same workloads.

use std::io::{self, Write};

use crate::callgrind;
use crate::workload::{Sizes, all};

/// How many instructions a unit may take.
struct Gate {
    id: &'static str,
    max: u64,
    /// What is wanted. `max` stands up to a twentieth above what was counted.
    goal: u64,
    runs: u64,
}

const fn gate(id: &'static str, max: u64, goal: u64, runs: u64) -> Gate {
    Gate { id, max, goal, runs }
}

const GATES: [Gate; 12] = [
    gate("W1", 150, 220, 20),
    gate("W2", 176, 220, 4),
    gate("W3", 150, 150, 20),
    gate("W3n", 151, 2_500, 2_000),
    gate("W3w", 1_530, 2_500, 2_000),
    gate("W4", 327, 350, 20),
    gate("W5s", 336, 400, 200),
    gate("W5j", 333, 400, 200),
    gate("W6a", 360, 450, 20),
    gate("W6b", 406, 450, 20),
    gate("W7-1k", 4_040, 4_500, 10),
    gate("W7-10k", 3_860, 4_500, 1),
];

/// Counts all of them.
///
/// # Errors
/// When one takes more than its gate lets it.
pub fn check(out: &mut impl Write) -> io::Result<()> {
    let workloads = all(Sizes::FULL);
    let mut passed = true;
    writeln!(out, "{:8} {:>12} {:>12} {:>12}", "", "counted", "gate", "goal")?;
    for gate in &GATES {
        let workload = workloads.iter().find(|it| it.id == gate.id).expect("a gate of a workload");
        let count = callgrind::instructions(workload.id, gate.runs)? / workload.units as u64;
        let verdict = if count > gate.max { "EXCEEDED" } else { "" };
        passed &= count <= gate.max;
        writeln!(out, "{:8} {count:>12} {:>12} {:>12}  {verdict}", gate.id, gate.max, gate.goal)?;
    }
    if passed { Ok(()) } else { Err(io::Error::other("a workload takes more instructions than its gate")) }
}
