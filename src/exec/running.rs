//! A call under way, and the four ways in which it ends.
//!
//! ```text
//! Running --the tool answers--------> Answered  (in time or late, by the moment it finished)
//!         --nobody wants the result-> fenced -> Cancelled --token, grace--> gone | abandoned
//!         --the deadline------------> fenced -> Overdue   --token, grace--> gone | abandoned
//!         --the future is dropped---> fenced, token, abandoned
//! ```
//!
//! *Fenced* always comes first: the lease ends before anybody is told that the call is over. The
//! tool is gone when its future has ended or was dropped; the outcome waits for that, so that of a
//! tool that heeds its token nothing is alive when its outcome is told, its processes included.
//! A tool that does not is *abandoned* after the grace: it can change nothing any more, and that it
//! may still be at work is reported.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::task::{JoinError, JoinHandle};

use crate::call::Arguments;
use crate::harness::Lease;
use crate::id::CallId;
use crate::limits::{EFFECT_GRACE, STOP_GRACE};
use crate::moment::{Clock, Moment};
use crate::tool::panic::task_error;
use crate::tool::{CallContext, CancelToken, Tool, ToolError};

/// A started call.
pub(super) struct Running {
    task: JoinHandle<Answer>,
    call: CallId,
    lease: Lease,
    token: CancelToken,
    fenced: bool,
}

/// What a tool answered, and when: taken in the tool's own task, so that an executor that was kept
/// waiting for a thread does not mistake a punctual answer for a late one.
pub(super) struct Answer {
    pub result: Result<Json, ToolError>,
    pub at: Moment,
}

/// How a call ended.
pub(super) enum End {
    Answered(Answer),
    Broken(ToolError),
    Cancelled,
    Overdue,
}

impl Running {
    /// Starts the tool in a task of its own.
    pub fn start(tool: Arc<dyn Tool>, arguments: Arguments, cx: CallContext, clock: Arc<dyn Clock>) -> Self {
        let (call, lease, token) = (cx.call().id, cx.lease().clone(), cx.token().clone());
        let task = tokio::spawn(async move {
            let result = tool.call(arguments, &cx).await;
            Answer { result, at: clock.now() }
        });
        Self { task, call, lease, token, fenced: false }
    }

    /// Waits for the first of the answer, `cancel` and the end of `bound`. Then the call is fenced.
    pub async fn end(&mut self, bound: Duration, cancel: &CancelToken) -> End {
        if let Some(answer) = self.at_once().await {
            self.fence().await;
            return answered(answer);
        }
        tokio::select! {
            // What has been answered counts, even when it is cancelled or due at the same time:
            // its effects have landed, and to deny them would be a lie.
            biased;
            answer = &mut self.task => {
                self.fence().await;
                answered(answer)
            }
            () = cancel.cancelled() => {
                self.fence().await;
                End::Cancelled
            }
            () = tokio::time::sleep(bound) => self.overdue().await,
        }
    }

    /// The answer of a tool that does not wait for anything. Most of what a call costs beyond its
    /// tool would be a timer that is set and never rings and a place in the queue of the token;
    /// both are saved by looking once more, after the scheduler has been once around.
    async fn at_once(&mut self) -> Option<Result<Answer, JoinError>> {
        let mut has_looked = false;
        poll_fn(|cx| match Pin::new(&mut self.task).poll(cx) {
            Poll::Ready(answer) => Poll::Ready(Some(answer)),
            Poll::Pending if has_looked => Poll::Ready(None),
            Poll::Pending => {
                has_looked = true;
                cx.waker().wake_by_ref();
                Poll::Pending
            }
        })
        .await
    }

    async fn overdue(&mut self) -> End {
        self.fence().await;
        // The tool may have answered in the instant in which its lease ended.
        if self.task.is_finished() {
            return answered((&mut self.task).await);
        }
        End::Overdue
    }

    /// Lets go of a call that has ended so: a tool that has not answered is told to end, and waited
    /// for until it is gone, but no longer than the grace. What it may still answer is of no use to
    /// anybody.
    pub async fn leave(mut self, end: &End) {
        if matches!(end, End::Answered(_) | End::Broken(_)) {
            return;
        }
        self.token.cancel();
        if tokio::time::timeout(STOP_GRACE, &mut self.task).await.is_err() {
            tracing::warn!(
                call = %self.call,
                grace_ms = STOP_GRACE.as_millis() as u64,
                "a tool did not end when it was told to and is abandoned: it can change nothing any more"
            );
        }
    }

    /// After this no effect of the call lands. An effect that has begun is waited for on a thread
    /// that may wait, so that it holds up this call only.
    async fn fence(&mut self) {
        if !self.lease.revoke() {
            let lease = self.lease.clone();
            let ended = tokio::task::spawn_blocking(move || lease.end_within(EFFECT_GRACE)).await;
            report(ended.unwrap_or(false));
        }
        self.fenced = true;
    }
}

impl Drop for Running {
    /// The one place that lets go of a call, however it ended: what the tool started and left
    /// behind loses its lease and hears its token too.
    fn drop(&mut self) {
        if !self.fenced {
            report(self.lease.end_within(EFFECT_GRACE));
        }
        self.token.cancel();
        self.task.abort();
    }
}

fn answered(answer: Result<Answer, JoinError>) -> End {
    answer.map_or_else(|fault| End::Broken(task_error(fault)), End::Answered)
}

fn report(ended: bool) {
    if !ended {
        tracing::error!(
            grace_ms = EFFECT_GRACE.as_millis() as u64,
            "a tool's effect outlives its call: only short work may stand inside `Lease::commit`"
        );
    }
}
