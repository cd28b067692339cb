//! The one door to the clock.

use crate::moment::{Clock, Moment};

/// Time since this clock was made. Under tokio's paused time it is virtual, like every timer.
#[derive(Clone, Copy, Debug)]
pub struct RunClock {
    start: tokio::time::Instant,
}

impl RunClock {
    /// A clock that begins now.
    #[expect(clippy::disallowed_methods, reason = "this is the door")]
    pub fn start() -> Self {
        Self { start: tokio::time::Instant::now() }
    }

    /// Sleeps until a moment of this clock.
    pub async fn sleep_until(&self, moment: Moment) {
        let span = std::time::Duration::from_nanos(moment.as_nanos());
        match self.start.checked_add(span) {
            Some(instant) => tokio::time::sleep_until(instant).await,
            // A moment that no timer reaches never comes.
            None => std::future::pending().await,
        }
    }
}

impl Clock for RunClock {
    #[expect(clippy::disallowed_methods, reason = "this is the door")]
    fn now(&self) -> Moment {
        Moment::ZERO + (tokio::time::Instant::now() - self.start)
    }
}

/// Seconds since 1970 on the machine's own clock: for dates in notes and recordings, never for a
/// deadline. 0 on a machine whose clock stands before that.
#[expect(clippy::disallowed_methods, reason = "this is the door")]
pub fn unix_seconds() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |span| i64::try_from(span.as_secs()).unwrap_or(i64::MAX))
}

/// Milliseconds since 1970 on the machine's own clock: for the dates of artifacts, never for a
/// deadline. 0 on a machine whose clock stands before that.
#[expect(clippy::disallowed_methods, reason = "this is the door")]
pub fn unix_millis() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |span| u64::try_from(span.as_millis()).unwrap_or(u64::MAX))
}
