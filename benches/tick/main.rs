//! What a visit costs: this engine and two others of its kind on the same trees, in one run.
//!
//! `cargo bench --bench tick` prints nanoseconds a unit and, what alone can be compared between
//! machines, the ratios. `-- --test` runs everything once, small. The peers are driven as their own
//! documentation has it; where one must be reset before it can be ticked again, that is counted,
//! because whoever ticks it must do it too.

use std::hint::black_box;
use std::io::{self, Write};
use std::time::{Duration, Instant};

mod bonsai;
mod engine;
mod lite;
mod shape;

use shape::Shape;

/// One tick of a tree.
type Tick = Box<dyn FnMut()>;

/// Makes what ticks a tree.
type Build = fn(&Shape) -> Tick;

/// The three, by name.
const PEERS: [(&str, Build); 3] =
    [("helve", engine::build), ("behavior-tree-lite", lite::build), ("bonsai-bt", bonsai::build)];

/// How long one measurement is, about.
const ROUND: Duration = Duration::from_millis(30);
/// How many measurements; the median counts.
const ROUNDS: usize = 9;

fn main() -> io::Result<()> {
    let is_test = std::env::args().any(|argument| argument == "--test");
    let mut out = io::stdout().lock();
    writeln!(out, "{:44} {:>10} {:>24} {:>24}", "", PEERS[0].0, PEERS[1].0, PEERS[2].0)?;
    for workload in shape::workloads(if is_test { 10 } else { 1_000 }) {
        let mut ticks: Vec<_> = PEERS.iter().map(|(_, build)| build(&workload.shape)).collect();
        if is_test {
            ticks.iter_mut().for_each(|tick| (0..3).for_each(|_| tick()));
            continue;
        }
        let units = workload.units as f64;
        let times: Vec<_> = measure(&mut ticks).into_iter().map(|ns| ns / units).collect();
        let of = |peer: usize| format!("{:.1} ns ({:.2}x)", times[peer], times[peer] / times[0]);
        writeln!(out, "{:44} {:>7.1} ns {:>24} {:>24}", workload.name, times[0], of(1), of(2))?;
    }
    Ok(())
}

/// Nanoseconds a tick, the median of rounds that take turns: what else the machine does then meets
/// all of them alike.
fn measure(ticks: &mut [Tick]) -> Vec<f64> {
    let counts: Vec<u32> = ticks.iter_mut().map(fitting).collect();
    let mut times = vec![Vec::new(); ticks.len()];
    for _ in 0..ROUNDS {
        for ((tick, times), &count) in ticks.iter_mut().zip(&mut times).zip(&counts) {
            times.push(time(tick, count).as_nanos() as f64 / f64::from(count));
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    times.into_iter().map(|times| times[ROUNDS / 2]).collect()
}

/// How many ticks fill a round.
fn fitting(tick: &mut Tick) -> u32 {
    let mut count = 1;
    while time(tick, count) < ROUND {
        count *= 2;
    }
    count
}

#[expect(clippy::disallowed_methods, reason = "a benchmark is about the wall clock")]
fn time(tick: &mut Tick, count: u32) -> Duration {
    let start = Instant::now();
    for _ in 0..count {
        black_box(&mut *tick)();
    }
    start.elapsed()
}
