//! What ends a call from outside.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use crate::exec::alarm::{Alarm, Alarms};
use crate::moment::{Clock, Moment};
use crate::tool::CancelToken;

/// Who may end a call before its tool does: somebody who does not want the result any more, and the
/// deadline.
#[derive(Clone, Copy)]
pub(super) enum Leash<'a> {
    /// Of a call with a token, and a timer of its own.
    Alone(&'a CancelToken),
    /// Of one of many calls that are polled together.
    Among(&'a StopFlag, &'a Alarms),
}

/// Says that nobody wants the result of a call any more. It wakes nobody: whoever sets it polls the call.
/// A token, with its place in a queue, costs ten times as much.
#[derive(Debug, Default)]
pub(crate) struct StopFlag(AtomicBool);

impl StopFlag {
    pub fn set(&self, is_stopped: bool) {
        self.0.store(is_stopped, Ordering::Release);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// How a call was ended from outside.
#[derive(Clone, Copy)]
pub(super) enum Cut {
    /// Nobody wants the result any more.
    Unwanted,
    /// Its deadline has passed.
    Overdue,
}

/// The waiting for either.
pub(super) enum Watch<'a> {
    // In a box: a timer and a place in a queue are more than all else that a call which waits holds.
    Alone(Pin<Box<dyn Future<Output = Cut> + Send + 'a>>),
    Among(&'a StopFlag, Alarm<'a>),
}

impl<'a> Leash<'a> {
    /// Whether nobody wants the result any more.
    pub fn is_cancelled(self) -> bool {
        match self {
            Self::Alone(token) => token.is_cancelled(),
            Self::Among(flag, _) => flag.is_set(),
        }
    }

    /// Waits until nobody wants the result any more.
    pub async fn cancelled(self) {
        match self {
            Self::Alone(token) => token.cancelled().await,
            Self::Among(flag, _) => {
                poll_fn(|_| if flag.is_set() { Poll::Ready(()) } else { Poll::Pending }).await;
            }
        }
    }

    /// Begins to wait for the first of that and the deadline.
    pub fn watch(self, deadline: Moment, clock: &dyn Clock) -> Watch<'a> {
        match self {
            Self::Alone(token) => {
                let left = deadline.since(clock.now());
                Watch::Alone(Box::pin(async move {
                    tokio::select! {
                        biased;
                        () = token.cancelled() => Cut::Unwanted,
                        () = tokio::time::sleep(left) => Cut::Overdue,
                    }
                }))
            }
            Self::Among(flag, alarms) => Watch::Among(flag, alarms.at(deadline)),
        }
    }
}

impl Watch<'_> {
    pub fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Cut> {
        match self {
            Self::Alone(waiting) => waiting.as_mut().poll(cx),
            Self::Among(flag, _) if flag.is_set() => Poll::Ready(Cut::Unwanted),
            Self::Among(_, alarm) => Pin::new(alarm).poll(cx).map(|()| Cut::Overdue),
        }
    }
}
