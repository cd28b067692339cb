//! The deadlines of calls that are polled together, with one timer for all of them.
//!
//! A timer of the runtime for each call costs as much as all gates together, and on a thread that also
//! waits for files and sockets a system call: and nearly none of them ever rings.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use tokio::time::Sleep;

use crate::limits::ALARMS_GIVEN_UP_MIN;
use crate::moment::{Clock, Moment};

/// The deadlines of the calls of one task. It rings while that task polls it.
pub(crate) struct Alarms {
    clock: Arc<dyn Clock>,
    set: Mutex<Set>,
}

#[derive(Default)]
struct Set {
    /// Earliest first, at one moment in the order in which they were set. One that was given up stays
    /// here until it is the earliest, or until there are too many: to find it would cost more.
    queue: BinaryHeap<Reverse<Due>>,
    /// One for each alarm; a place that is free is used again.
    places: Vec<Place>,
    free: Vec<usize>,
    count: u64,
    /// The timer. It stays when its call ends earlier: to set another one costs more than to be woken
    /// for nothing once.
    timer: Option<(Moment, Pin<Box<Sleep>>)>,
}

/// An entry of the queue; it is good while its place has its number and a waker.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    at: Moment,
    number: u64,
    place: usize,
}

#[derive(Default)]
struct Place {
    number: u64,
    /// `None` once it has rung, or was given up.
    waker: Option<Waker>,
}

/// One deadline: ready when it has passed.
pub(super) struct Alarm<'a> {
    of: &'a Alarms,
    at: Moment,
    place: Option<usize>,
}

impl Alarms {
    /// None is set yet; they go by this clock.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, set: Mutex::default() }
    }

    pub(super) fn at(&self, at: Moment) -> Alarm<'_> {
        Alarm { of: self, at, place: None }
    }

    /// Wakes the calls whose deadline has passed; ready when there were any.
    pub fn poll(&self, cx: &mut Context<'_>) -> Poll<()> {
        let due = ready!(self.set().poll(cx, &*self.clock));
        due.into_iter().for_each(Waker::wake);
        Poll::Ready(())
    }

    /// A panic while it is held leaves a list that is whole.
    fn set(&self) -> MutexGuard<'_, Set> {
        self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Set {
    fn poll(&mut self, cx: &mut Context<'_>, clock: &dyn Clock) -> Poll<Vec<Waker>> {
        while let Some(earliest) = self.earliest() {
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
            let due: Vec<_> = std::iter::from_fn(|| self.pop(now)).collect();
            if !due.is_empty() {
                return Poll::Ready(due);
            }
        }
        self.timer = None;
        Poll::Pending
    }

    /// The earliest alarm that is set.
    fn earliest(&mut self) -> Option<Moment> {
        while let Some(&Reverse(due)) = self.queue.peek() {
            if self.is_set(due) {
                return Some(due.at);
            }
            self.queue.pop();
        }
        None
    }

    /// The waker of the earliest alarm, when its moment has come.
    fn pop(&mut self, now: Moment) -> Option<Waker> {
        self.earliest().filter(|&at| at <= now)?;
        let Reverse(due) = self.queue.pop()?;
        self.places[due.place].waker.take()
    }

    fn is_set(&self, due: Due) -> bool {
        is_set(&self.places, due)
    }

    fn add(&mut self, at: Moment, waker: Waker) -> usize {
        let place = self.free.pop().unwrap_or_else(|| {
            self.places.push(Place::default());
            self.places.len() - 1
        });
        self.count += 1;
        self.places[place] = Place { number: self.count, waker: Some(waker) };
        self.queue.push(Reverse(Due { at, number: self.count, place }));
        place
    }

    /// Gives a place up; what it held is for the caller to drop.
    fn remove(&mut self, place: usize) -> Option<Waker> {
        self.free.push(place);
        let waker = self.places[place].waker.take();
        let set = self.places.len() - self.free.len();
        if self.queue.len() > 2 * set + ALARMS_GIVEN_UP_MIN {
            let places = &self.places;
            self.queue.retain(|&Reverse(due)| is_set(places, due));
        }
        waker
    }
}

fn is_set(places: &[Place], due: Due) -> bool {
    let place = &places[due.place];
    place.number == due.number && place.waker.is_some()
}

impl Future for Alarm<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let (of, at) = (self.of, self.at);
        let mut set = of.set();
        let Some(place) = self.place else {
            self.place = Some(set.add(at, cx.waker().clone()));
            return Poll::Pending;
        };
        match &mut set.places[place].waker {
            Some(waker) => {
                waker.clone_from(cx.waker());
                Poll::Pending
            }
            None => Poll::Ready(()),
        }
    }
}

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if let Some(place) = self.place {
            let waker = self.of.set().remove(place);
            // Outside of the lock: it may be the last that holds its task.
            drop(waker);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;
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
            assert_eq!(alarms.set().earliest(), None, "who gives up leaves nothing behind");
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
    fn alarms_that_were_given_up_are_forgotten() {
        let alarms = Alarms::new(Arc::new(RunClock::start()));
        let mut cx = Context::from_waker(Waker::noop());
        for at in 0..10 * ALARMS_GIVEN_UP_MIN as u64 {
            let _ = pin!(alarms.at(Moment::from_millis(1_000_000 - at))).poll(&mut cx);
        }
        let set = alarms.set();
        assert_eq!((set.places.len(), set.free.len()), (1, 1));
        assert!(set.queue.len() <= ALARMS_GIVEN_UP_MIN);
    }

    #[test]
    fn an_alarm_that_is_given_up_does_not_ring() {
        assert_eq!(rung(&[5, 50, 7], 20), [(5, 5), (7, 7)]);
        assert_eq!(rung(&[], 20), []);
    }
}
