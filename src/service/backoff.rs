//! How long to wait before another attempt: twice as long each time, up to a bound, and of that
//! somewhere in the upper half, so that those who failed together do not come back together.

use std::time::Duration;

use crate::limits::{SERVICE_BACKOFF, SERVICE_BACKOFF_MAX};
use crate::service::RetryOptions;

/// The pauses of one request.
pub(super) struct Backoff {
    first: Duration,
    longest: Duration,
    random: fastrand::Rng,
}

impl Backoff {
    /// The pauses that the options ask for. One seed always gives the same ones.
    pub fn new(options: &RetryOptions, seed: u64) -> Self {
        Self {
            first: options.backoff_ms.map_or(SERVICE_BACKOFF, Duration::from_millis),
            longest: options.backoff_max_ms.map_or(SERVICE_BACKOFF_MAX, Duration::from_millis),
            random: fastrand::Rng::with_seed(seed),
        }
    }

    /// The pause after the `attempt`-th attempt, which counts from 1.
    pub fn after(&mut self, attempt: u32) -> Duration {
        let factor = 1_u32.checked_shl(attempt.saturating_sub(1)).unwrap_or(u32::MAX);
        let whole = self.first.saturating_mul(factor).min(self.longest);
        let half = whole / 2;
        half + (whole - half).mul_f64(self.random.f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pauses(options: RetryOptions, seed: u64) -> Vec<u128> {
        let mut backoff = Backoff::new(&options, seed);
        (1..=40).map(|attempt| backoff.after(attempt).as_millis()).collect()
    }

    #[test]
    fn c12_pauses_double_within_their_bound_and_a_seed_repeats_them() {
        let options =
            RetryOptions { backoff_ms: Some(100), backoff_max_ms: Some(1_000), ..RetryOptions::default() };
        for seed in 0..50 {
            let found = pauses(options, seed);
            for (at, &pause) in found.iter().enumerate() {
                let whole = (100_u128 << at.min(10)).min(1_000);
                assert!((whole / 2..=whole).contains(&pause), "seed {seed}, pause {at}: {pause} of {whole}");
            }
            assert_eq!(found, pauses(options, seed), "seed {seed}");
        }
        assert_ne!(pauses(options, 1), pauses(options, 2));
    }
}
