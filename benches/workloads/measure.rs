//! Times that take turns.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::Tick;

/// How long one measurement is, about.
const ROUND: Duration = Duration::from_millis(30);
/// How many measurements; the median counts.
pub const ROUNDS: usize = 9;

/// Nanoseconds of one run.
#[derive(Clone, Copy)]
pub struct Times {
    pub median: f64,
    pub min: f64,
    pub max: f64,
}

/// Measures all of them in rounds that take turns: what else the machine does then meets all alike.
pub fn measure(ticks: &mut [Tick]) -> Vec<Times> {
    let counts: Vec<u32> = ticks.iter_mut().map(fitting).collect();
    let mut rounds = vec![Vec::new(); ticks.len()];
    for _ in 0..ROUNDS {
        for ((tick, rounds), &count) in ticks.iter_mut().zip(&mut rounds).zip(&counts) {
            rounds.push(time(tick, count).as_nanos() as f64 / f64::from(count));
        }
    }
    rounds.into_iter().map(Times::of).collect()
}

impl Times {
    fn of(mut rounds: Vec<f64>) -> Self {
        rounds.sort_by(f64::total_cmp);
        Self { median: rounds[rounds.len() / 2], min: rounds[0], max: rounds[rounds.len() - 1] }
    }
}

/// How many runs fill a round.
fn fitting(tick: &mut Tick) -> u32 {
    let mut count = 1;
    while time(tick, count) < ROUND {
        count *= 2;
    }
    count
}

fn time(tick: &mut Tick, count: u32) -> Duration {
    let start = now();
    for _ in 0..count {
        black_box(&mut *tick)();
    }
    start.elapsed()
}

#[expect(clippy::disallowed_methods, reason = "a benchmark is about the wall clock")]
pub fn now() -> Instant {
    Instant::now()
}
