//! The deadlines of calls that are polled together, with one timer for all of them.
//!
//! A timer of the runtime for each call costs as much as all gates together, and on a thread that also
//! waits for files and sockets a system call: and nearly none of them ever rings.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use tokio::time::Sleep;

use crate::moment::{Clock, Moment};

/// The deadlines of the calls of one task. It rings while that task polls it.
pub(crate) struct Alarms {
    clock: Arc<dyn Clock>,
    set: Mutex<Set>,
}

#[derive(Default)]
struct Set {
    /// By moment, then in the order in which they were set.
    waiting: BTreeMap<Key, Waker>,
    count: u64,
    /// The timer. It stays when its call ends earlier: to set another one costs more than to be woken
    /// for nothing once.
    timer: Option<(Moment, Pin<Box<Sleep>>)>,
}

type Key = (Moment, u64);

/// One deadline: ready when it has passed.
pub(super) struct Alarm<'a> {
    of: &'a Alarms,
    at: Moment,
    key: Option<Key>,
}

impl Alarms {
    /// None is set yet; they go by this clock.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, set: Mutex::default() }
    }

    pub(super) fn at(&self, at: Moment) -> Alarm<'_> {
        Alarm { of: self, at, key: None }
    }

    /// Wakes the calls whose deadline has passed; ready when there were any.
    pub fn poll(&self, cx: &mut Context<'_>) -> Poll<()> {
        let due = ready!(self.set().poll(cx, &*self.clock));
        due.into_values().for_each(Waker::wake);
        Poll::Ready(())
    }

    /// A panic while it is held leaves a list that is whole.
    fn set(&self) -> MutexGuard<'_, Set> {
        self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Set {
    fn poll(&mut self, cx: &mut Context<'_>, clock: &dyn Clock) -> Poll<BTreeMap<Key, Waker>> {
        while let Some((&(earliest, _), _)) = self.waiting.first_key_value() {
            let (at, timer) = match self.timer.take() {
                Some(set) if set.0 <= earliest => self.timer.insert(set),
                _ => {
                    let sleep = tokio::time::sleep(earliest.since(clock.now()));
                    self.timer.insert((earliest, Box::pin(sleep)))
                }
            };
            ready!(timer.as_mut().poll(cx));
            // By the moment that it was set to, whatever the clock says: the timer is the authority.
            let now = clock.now().max(*at);
            self.timer = None;
            let later = self.waiting.split_off(&(now, u64::MAX));
            let due = std::mem::replace(&mut self.waiting, later);
            if !due.is_empty() {
                return Poll::Ready(due);
            }
        }
        self.timer = None;
        Poll::Pending
    }
}

impl Future for Alarm<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let (of, at) = (self.of, self.at);
        let mut set = of.set();
        match self.key {
            None => {
                set.count += 1;
                let key = (at, set.count);
                set.waiting.insert(key, cx.waker().clone());
                self.key = Some(key);
                Poll::Pending
            }
            Some(key) => match set.waiting.get_mut(&key) {
                Some(waker) => {
                    waker.clone_from(cx.waker());
                    Poll::Pending
                }
                None => Poll::Ready(()),
            },
        }
    }
}

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            let waker = self.of.set().waiting.remove(&key);
            // Outside of the lock: it may be the last that holds its task.
            drop(waker);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::time::Duration;

    use futures_core::Stream;
    use futures_util::stream::FuturesUnordered;
    use proptest::prelude::*;
    use tokio::runtime::Builder;

    use super::*;
    use crate::run::RunClock;

    /// Waits for alarms at these milliseconds, each given up after `patience`; answers which rang, with
    /// the millisecond at which each was heard.
    fn rung(alarms_at: &[u64], patience: u64) -> Vec<(u64, u64)> {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let clock = Arc::new(RunClock::start());
            let alarms = Alarms::new(clock.clone());
            let mut waiting = FuturesUnordered::new();
            for &at in alarms_at {
                let (alarms, clock) = (&alarms, clock.clone());
                waiting.push(async move {
                    let alarm = alarms.at(Moment::from_millis(at));
                    let heard = tokio::time::timeout(Duration::from_millis(patience), alarm).await;
                    heard.is_ok().then(|| (at, clock.now().as_nanos() / 1_000_000))
                });
            }
            let mut rung = Vec::new();
            while let Some(heard) = poll_fn(|cx| {
                loop {
                    let polled = Pin::new(&mut waiting).poll_next(cx);
                    if polled.is_ready() || alarms.poll(cx).is_pending() {
                        return polled;
                    }
                }
            })
            .await
            {
                rung.extend(heard);
            }
            assert!(alarms.set().waiting.is_empty(), "who gives up leaves nothing behind");
            rung.sort_unstable();
            rung
        })
    }

    proptest! {
        #[test]
        fn each_alarm_rings_at_its_moment_and_no_other(at in prop::collection::vec(0u64..200, 0..40)) {
            let mut expected: Vec<_> = at.iter().filter(|&&at| at < 100).map(|&at| (at, at)).collect();
            expected.sort_unstable();
            prop_assert_eq!(rung(&at, 101).into_iter().filter(|it| it.0 < 100).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn an_alarm_that_is_given_up_does_not_ring() {
        assert_eq!(rung(&[5, 50, 7], 20), [(5, 5), (7, 7)]);
        assert_eq!(rung(&[], 20), []);
    }
}
