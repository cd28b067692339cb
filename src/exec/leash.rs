//! What ends a call from outside.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use crate::exec::alarm::Alarms;
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

impl Leash<'_> {
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

    /// Waits for the deadline.
    pub async fn overdue(self, deadline: Moment, clock: &dyn Clock) {
        match self {
            Self::Alone(_) => tokio::time::sleep(deadline.since(clock.now())).await,
            Self::Among(_, alarms) => alarms.at(deadline).await,
        }
    }
}
