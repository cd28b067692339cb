//! The calls of a run that are under way.
//!
//! They are polled in the run's own task. A task for each would cost more than the call: what may keep
//! a thread is the tool, and where there are several threads the executor gives it a task.

use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use ahash::RandomState;
use futures_core::Stream;
use futures_util::stream::FuturesUnordered;

use crate::call::Call;
use crate::exec::{Alarms, BoundedExecutor, Turn};
use crate::id::CallId;
use crate::outcome::{ErrorCategory, Outcome, ToolFailure};
use crate::tool::CancelToken;
use crate::tool::panic::catch;

/// The calls under way, and what stops them.
pub(super) struct Calls {
    with: Arc<With>,
    trips: FuturesUnordered<Trip>,
    tokens: HashMap<CallId, CancelToken, RandomState>,
}

/// What all of them share.
struct With {
    executor: BoundedExecutor,
    turn: Turn,
    alarms: Alarms,
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
        Self { with, trips: FuturesUnordered::new(), tokens: HashMap::default() }
    }

    pub fn start(&mut self, call: Arc<Call>) {
        let token = CancelToken::new();
        self.tokens.insert(call.id, token.clone());
        let (with, started) = (self.with.clone(), call.clone());
        let way =
            Box::pin(
                async move { with.executor.execute_among(&with.alarms, &started, &with.turn, &token).await },
            );
        self.trips.push(Trip { call, way });
    }

    /// Tells a call to end. Its outcome comes all the same.
    pub fn stop(&self, call: CallId) {
        if let Some(token) = self.tokens.get(&call) {
            token.cancel();
        }
    }

    /// The next outcome; `None` while no call is under way.
    pub async fn next(&mut self) -> Option<Outcome> {
        let outcome = poll_fn(|cx| {
            loop {
                let polled = Pin::new(&mut self.trips).poll_next(cx);
                if polled.is_ready() || self.with.alarms.poll(cx).is_pending() {
                    return polled;
                }
            }
        });
        let outcome = outcome.await?;
        self.tokens.remove(&outcome.call_id());
        Some(outcome)
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
        let polled = Pin::new(&mut trip).poll(&mut Context::from_waker(std::task::Waker::noop()));
        let Poll::Ready(Outcome::ToolFailure(failure)) = polled else { panic!("{polled:?}") };
        assert_eq!(failure.call_id, CallId(3));
        assert_eq!(failure.error, "the executor died: inside");
    }
}
