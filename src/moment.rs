//! Time as the engine knows it: distance from the beginning of the run.

use std::fmt;
use std::ops::{Add, Sub};
use std::time::Duration;

/// Nanoseconds since the run began. 64 bits hold 584 years.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct Moment(u64);

impl Moment {
    /// The beginning of the run.
    pub const ZERO: Self = Self(0);

    /// The moment `ns` nanoseconds after the beginning.
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// The moment `ms` milliseconds after the beginning; the far end of time when that overflows.
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms.saturating_mul(1_000_000))
    }

    /// Nanoseconds since the beginning.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Whole milliseconds since the beginning.
    pub const fn as_millis(self) -> u64 {
        self.0 / 1_000_000
    }

    /// Time since `earlier`; zero when `earlier` is later.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Moment {
    type Output = Self;

    /// Saturates: a deadline past the end of time is the end of time.
    fn add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)))
    }
}

impl Sub for Moment {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        self.since(earlier)
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}s", self.0 / 1_000_000_000, self.0 / 1_000_000 % 1_000)
    }
}

/// Where the time comes from. The engine is told the time; tools and the executor ask.
pub trait Clock: Send + Sync + 'static {
    /// The time since this clock was started.
    fn now(&self) -> Moment;
}
