//! The calls of a run that are under way.
//!
//! They are polled in the run's own task. A task for each would cost more than the call: what may keep
//! a thread is the tool, and where there are several threads the executor gives it a task.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use tokio::task::{coop, yield_now};

use crate::call::Call;
use crate::engine::Input;
use crate::exec::{Alarms, BoundedExecutor, Turn};
use crate::id::{CallId, IdMap};
use crate::limits::OUTCOMES_PER_INPUT_MAX;
use crate::outcome::{ErrorCategory, Outcome, ToolFailure};
use crate::run::bell::{Bell, Rung};
use crate::tool::panic::catch;

/// The calls under way, and what stops them.
pub(super) struct Calls {
    with: Arc<With>,
    /// One for each call under way; a place that is free is used again.
    places: Vec<Place>,
    free: Vec<usize>,
    by_call: IdMap<CallId, usize>,
    /// Those that have not begun, in the order of their starts, and some that were stopped before.
    waiting: VecDeque<(usize, CallId)>,
    /// Those that were woken, as they were found the last time somebody looked.
    woken: VecDeque<usize>,
    rung: Arc<Rung>,
}

/// What all of them share.
struct With {
    executor: BoundedExecutor,
    turn: Turn,
    alarms: Alarms,
}

/// Where a call is while it is under way.
struct Place {
    bell: Arc<Bell>,
    /// Made of the bell, once.
    waker: Waker,
    trip: Option<Trip>,
}

/// A call on its way through the executor.
struct Trip {
    call: Arc<Call>,
    way: Pin<Box<dyn Future<Output = Outcome> + Send>>,
}

impl Calls {
    /// None yet; they will be of this turn.
    pub fn new(executor: BoundedExecutor, turn: Turn) -> Self {
        let with = Arc::new(With { alarms: executor.alarms(), executor, turn });
        Self {
            with,
            places: Vec::new(),
            free: Vec::new(),
            by_call: IdMap::default(),
            waiting: VecDeque::new(),
            woken: VecDeque::new(),
            rung: Arc::default(),
        }
    }

    /// Starts a call. It begins when it is its turn.
    pub fn start(&mut self, call: Arc<Call>) {
        let place = self.free.pop().unwrap_or_else(|| self.add_place());
        let bell = self.places[place].bell.clone();
        bell.stop.set(false);
        let (with, started) = (self.with.clone(), call.clone());
        let way = Box::pin(async move {
            with.executor.execute_among(&started, &with.turn, (&bell.stop, &with.alarms)).await
        });
        self.by_call.insert(call.id, place);
        self.waiting.push_back((place, call.id));
        self.places[place].trip = Some(Trip { call, way });
    }

    fn add_place(&mut self) -> usize {
        let place = self.places.len();
        let bell = Arc::new(Bell::new(place, self.rung.clone()));
        self.places.push(Place { waker: bell.clone().into(), bell, trip: None });
        place
    }

    /// Tells a call to end. Its outcome comes all the same.
    pub fn stop(&self, call: CallId) {
        if let Some(&place) = self.by_call.get(&call) {
            let bell = &self.places[place].bell;
            bell.stop.set(true);
            bell.ring();
        }
    }

    /// What has come by now, as soon as something has; `None` while no call is under way.
    pub async fn next(&mut self) -> Option<Input> {
        poll_fn(|cx| self.poll(cx)).await
    }

    /// All calls that were woken come first, and their outcomes together. Only when there are none do
    /// others begin, and the outcome of one that answers at once goes alone: the tree may not want the
    /// next one any more, which then does nothing.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Input>> {
        if self.by_call.is_empty() {
            return Poll::Ready(None);
        }
        self.rung.listen(cx.waker());
        loop {
            self.rung.take(&mut self.woken);
            if let Some(came) = self.poll_woken() {
                return Poll::Ready(Some(came));
            }
            for _ in 0..OUTCOMES_PER_INPUT_MAX {
                let Some((place, call)) = self.waiting.pop_front() else { break };
                if self.is_there(place, call)
                    && let Poll::Ready(outcome) = self.poll_place(place)
                {
                    return Poll::Ready(Some(Input::Outcome(outcome)));
                }
            }
            if !self.woken.is_empty() || !self.waiting.is_empty() {
                // The others get their turn first, and the runtime's own timers: while it knows of none it
                // wakes itself up for each that a tool sets, with a system call.
                let _woken_later = pin!(yield_now()).poll(cx);
                return Poll::Pending;
            }
            if self.with.alarms.poll(cx).is_pending() {
                return Poll::Pending;
            }
        }
    }

    fn is_there(&self, place: usize, call: CallId) -> bool {
        self.places[place].trip.as_ref().is_some_and(|trip| trip.call.id == call)
    }

    /// What the woken calls have left.
    fn poll_woken(&mut self) -> Option<Input> {
        let first = self.next_left()?;
        let Some(second) = self.next_left() else { return Some(Input::Outcome(first)) };
        let mut outcomes = vec![first, second];
        while outcomes.len() < OUTCOMES_PER_INPUT_MAX
            && let Some(outcome) = self.next_left()
        {
            outcomes.push(outcome);
        }
        Some(Input::Outcomes(outcomes))
    }

    /// The next outcome of a woken call. It stops where tokio wants the thread for others: a timer or a
    /// channel that is asked nevertheless says that it is not ready, whatever it is.
    fn next_left(&mut self) -> Option<Arc<Outcome>> {
        while coop::has_budget_remaining()
            && let Some(place) = self.woken.pop_front()
        {
            if let Poll::Ready(outcome) = self.poll_place(place) {
                return Some(outcome);
            }
        }
        None
    }

    fn poll_place(&mut self, place: usize) -> Poll<Arc<Outcome>> {
        let Place { bell, waker, trip } = &mut self.places[place];
        bell.hear();
        // Its last call may have rung it while it ended.
        let Some(way) = trip else { return Poll::Pending };
        let polled = Pin::new(way).poll(&mut Context::from_waker(waker));
        polled.map(|outcome| {
            *trip = None;
            self.by_call.remove(&outcome.call_id());
            self.free.push(place);
            Arc::new(outcome)
        })
    }
}

impl Future for Trip {
    type Output = Outcome;

    /// The executor never panics outward; should it do so all the same, the call still leaves its one
    /// outcome, and no other call notices.
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Outcome> {
        let way = &mut self.way;
        catch(|| way.as_mut().poll(cx)).unwrap_or_else(|words| Poll::Ready(died(&self.call, &words)))
    }
}

fn died(call: &Call, words: &str) -> Outcome {
    Outcome::ToolFailure(ToolFailure {
        call_id: call.id,
        tool_name: call.tool.clone(),
        error: format!("the executor died: {words}"),
        category: ErrorCategory::Runtime,
        suggestion: None,
        retryable: false,
        elapsed_ms: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Arguments;

    #[test]
    fn a_call_whose_executor_panics_leaves_one_outcome() {
        let call = Arc::new(Call::new(CallId(3), "echo", Arguments::new()));
        let way = Box::pin(async { panic!("inside") });
        let mut trip = Trip { call, way };
        let polled = Pin::new(&mut trip).poll(&mut Context::from_waker(Waker::noop()));
        let Poll::Ready(Outcome::ToolFailure(failure)) = polled else { panic!("{polled:?}") };
        assert_eq!(failure.call_id, CallId(3));
        assert_eq!(failure.error, "the executor died: inside");
    }
}
