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

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use serde_json::Value as Json;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::{JoinError, JoinHandle};

use crate::call::Arguments;
use crate::harness::Lease;
use crate::id::CallId;
use crate::limits::{CALLS_IN_PLACE_DEPTH_MAX, EFFECT_GRACE, STOP_GRACE};
use crate::moment::{Clock, Moment};
use crate::tool::panic::{catch, panic_error, task_error};
use crate::tool::{CallContext, CancelToken, Tool, ToolError};

/// A tool at work on one call.
pub(super) type Work = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// A started call.
pub(super) struct Running {
    task: Task,
    call: CallId,
    lease: Lease,
    token: CancelToken,
    fenced: bool,
}

/// Where the tool is.
enum Task {
    /// Not begun.
    Work(Work),
    /// In a task of its own.
    Spawned(JoinHandle<Answer>),
    /// Gone.
    Ended,
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

/// The tool's work, not yet begun.
pub(super) fn work(
    tool: Arc<dyn Tool>,
    arguments: Arguments,
    cx: CallContext,
    clock: Arc<dyn Clock>,
) -> Work {
    Box::pin(async move {
        let result = tool.call(arguments, &cx).await;
        Answer { result, at: clock.now() }
    })
}

thread_local! {
    /// How many tools are at work in place on this thread, one inside of another.
    static IN_PLACE: Cell<usize> = const { Cell::new(0) };
}

impl Running {
    /// The work as a call of this context.
    pub fn new(work: Work, cx: &CallContext) -> Self {
        let (call, lease, token) = (cx.call().id, cx.lease().clone(), cx.token().clone());
        Self { task: Task::Work(work), call, lease, token, fenced: false }
    }

    /// Lets the tool work and waits for the first of its answer, `cancel` and the end of `bound`. Then
    /// the call is fenced.
    pub async fn end(&mut self, bound: Duration, cancel: &CancelToken) -> End {
        if let Some(end) = self.at_once().await {
            self.fence().await;
            return end;
        }
        tokio::select! {
            // What has been answered counts, even when it is cancelled or due at the same time:
            // its effects have landed, and to deny them would be a lie.
            biased;
            end = gone(&mut self.task) => {
                self.fence().await;
                end
            }
            () = cancel.cancelled() => {
                self.fence().await;
                End::Cancelled
            }
            () = tokio::time::sleep(bound) => self.overdue().await,
        }
    }

    /// The answer of a tool that does not wait for anything. Most of what a call costs beyond its
    /// tool would be a task, a timer that is set and never rings, and a place in the queue of the
    /// token; all are saved where that is possible.
    async fn at_once(&mut self) -> Option<End> {
        let mut has_looked = false;
        poll_fn(|cx| {
            if let Some(end) = self.begin(cx) {
                return Poll::Ready(Some(end));
            }
            match self.task.poll(cx) {
                Poll::Ready(end) => Poll::Ready(Some(end)),
                Poll::Pending if has_looked => Poll::Ready(None),
                // Once more, after the scheduler has been once around.
                Poll::Pending => {
                    has_looked = true;
                    cx.waker().wake_by_ref();
                    Poll::Pending
                }
            }
        })
        .await
    }

    /// Begins the work, if it has not begun: in place as far as its first wait, where it may, and
    /// from there on in a task of its own. Answers how it ended, when it did.
    ///
    /// A tool that keeps its thread must not keep this call from ending by its deadline. Where there
    /// are several threads the work therefore goes to a task at once, which this one does not wait
    /// for on its thread. Where there is only one, nothing could be done about such a tool from a
    /// task either, and the task would only cost.
    fn begin(&mut self, cx: &mut Context<'_>) -> Option<End> {
        let work = self.task.take_work()?;
        let depth = IN_PLACE.get();
        // A tool may call tools: their work in place nests on one stack.
        let is_alone = Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread;
        if !is_alone || depth >= CALLS_IN_PLACE_DEPTH_MAX {
            self.task = Task::Spawned(tokio::spawn(work));
            return None;
        }
        IN_PLACE.set(depth + 1);
        let polled = poll_once(work, cx);
        IN_PLACE.set(depth);
        match polled {
            Ok(end) => Some(end),
            Err(work) => {
                self.task = Task::Spawned(tokio::spawn(work));
                None
            }
        }
    }

    async fn overdue(&mut self) -> End {
        self.fence().await;
        // The tool may have answered in the instant in which its lease ended.
        match &self.task {
            Task::Spawned(task) if task.is_finished() => gone(&mut self.task).await,
            _ => End::Overdue,
        }
    }

    /// Lets go of a call that has ended so: a tool that has not answered is told to end, and waited
    /// for until it is gone, but no longer than the grace. What it may still answer is of no use to
    /// anybody.
    pub async fn leave(mut self, end: &End) {
        if matches!(end, End::Answered(_) | End::Broken(_)) {
            return;
        }
        self.token.cancel();
        if tokio::time::timeout(STOP_GRACE, gone(&mut self.task)).await.is_err() {
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
        if let Task::Spawned(task) = &self.task {
            task.abort();
        }
    }
}

impl Task {
    fn take_work(&mut self) -> Option<Work> {
        match std::mem::replace(self, Self::Ended) {
            Self::Work(work) => Some(work),
            other => {
                *self = other;
                None
            }
        }
    }

    /// How the tool ended, once it has.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<End> {
        match self {
            Self::Spawned(task) => Pin::new(task).poll(cx).map(answered),
            // Asked for again: it has told how it ended.
            Self::Work(_) | Self::Ended => Poll::Pending,
        }
    }
}

async fn gone(task: &mut Task) -> End {
    let end = poll_fn(|cx| task.poll(cx)).await;
    *task = Task::Ended;
    end
}

/// Polls the work on this stack; the work again when it has to wait.
fn poll_once(mut work: Work, cx: &mut Context<'_>) -> Result<End, Work> {
    match catch(|| work.as_mut().poll(cx)) {
        Ok(Poll::Ready(answer)) => Ok(End::Answered(answer)),
        Ok(Poll::Pending) => Err(work),
        Err(words) => {
            // What is left of the tool may panic once more while it is dropped.
            let _words = catch(|| drop(work));
            Ok(End::Broken(panic_error(&words)))
        }
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
