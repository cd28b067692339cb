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
