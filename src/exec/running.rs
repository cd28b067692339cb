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

use serde_json::Value as Json;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::{JoinError, JoinHandle};

use crate::call::Arguments;
use crate::exec::leash::{Cut, Leash};
use crate::limits::{CALLS_IN_PLACE_DEPTH_MAX, EFFECT_GRACE, STOP_GRACE};
use crate::moment::Moment;
use crate::tool::panic::{catch, panic_error, task_error};
use crate::tool::{CallContext, Tool, ToolError};

/// A started call.
pub(super) struct Running<'a> {
    tool: &'a Arc<dyn Tool>,
    arguments: &'a Arc<Arguments>,
    cx: &'a CallContext,
    task: Task<'a>,
    fenced: bool,
}

/// Where the tool is.
enum Task<'a> {
    /// Not begun.
    Waiting,
    /// At work in the task that waits for it.
    InPlace(Work<'a>),
    /// In a task of its own.
    Spawned(JoinHandle<Answer>),
    /// Gone.
    Ended,
}

/// A tool at work.
type Work<'a> = Pin<Box<dyn Future<Output = Result<Json, ToolError>> + Send + 'a>>;

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

impl End {
    /// Whether the tool is at work still.
    pub const fn is_early(&self) -> bool {
        matches!(self, Self::Cancelled | Self::Overdue)
    }
}

impl From<Cut> for End {
    fn from(cut: Cut) -> Self {
        match cut {
            Cut::Unwanted => Self::Cancelled,
            Cut::Overdue => Self::Overdue,
        }
    }
}

thread_local! {
    /// How many tools are at work in place on this thread, one inside of another.
    static IN_PLACE: Cell<usize> = const { Cell::new(0) };
}

impl<'a> Running<'a> {
    /// A call of this context, not yet begun.
    pub fn new(tool: &'a Arc<dyn Tool>, arguments: &'a Arc<Arguments>, cx: &'a CallContext) -> Self {
        Self { tool, arguments, cx, task: Task::Waiting, fenced: false }
    }

    /// Lets the tool work and waits for the first of its answer, the deadline and somebody who does not
    /// want it any more. Then the call is fenced.
    pub fn end(&mut self, deadline: Moment, leash: Leash<'a>) -> impl Future<Output = End> + Send {
        // Most of what a call costs beyond its tool would be a timer that is set and never rings, and a
        // place in the queue of the token: a tool that does not wait for anything gets by without.
        let mut watch = None;
        async move {
            let end = poll_fn(|waker| {
                if let Err(broken) = self.begin() {
                    return Poll::Ready(broken);
                }
                // What has been answered counts, even when it is cancelled or due at the same time: its
                // effects have landed, and to deny them would be a lie.
                if let Poll::Ready(end) = self.task.poll(self.cx, waker) {
                    return Poll::Ready(end);
                }
                let watch = watch.get_or_insert_with(|| leash.watch(deadline, self.cx.clock()));
                watch.poll(waker).map(End::from)
            });
            let end = end.await;
            self.fence().await;
            match end {
                End::Overdue => self.overdue().await,
                end => end,
            }
        }
    }

    /// Lets the tool begin: here, in the task that waits for it, or in one of its own.
    ///
    /// A tool that keeps its thread must not keep this call from ending by its deadline. Where there
    /// are several threads the work therefore goes to a task at once, which this one does not wait
    /// for on its thread. Where there is only one, nothing could be done about such a tool from a
    /// task either, and the task would only cost.
    fn begin(&mut self) -> Result<(), End> {
        let Task::Waiting = self.task else { return Ok(()) };
        let (tool, arguments, cx) = (self.tool, self.arguments, self.cx);
        // A tool may call tools: their work in place nests on one stack.
        let is_alone = Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread;
        if is_alone && IN_PLACE.get() < CALLS_IN_PLACE_DEPTH_MAX {
            self.task = Task::Ended;
            self.task = Task::InPlace(catch(|| tool.call(arguments, cx)).map_err(broken)?);
        } else {
            let (tool, arguments, cx) = (tool.clone(), arguments.clone(), cx.clone());
            self.task = Task::Spawned(tokio::spawn(async move {
                let result = tool.call(&arguments, &cx).await;
                answer(result, &cx)
            }));
        }
        Ok(())
    }

    /// The tool may have answered in the instant in which its lease ended.
    async fn overdue(&mut self) -> End {
        match &self.task {
            Task::Spawned(task) if task.is_finished() => gone(&mut self.task, self.cx).await,
            _ => End::Overdue,
        }
    }

    /// Lets go of a call whose tool is at work: it is told to end, and waited for until it is gone, but no
    /// longer than the grace. What it may still answer is of no use to anybody.
    pub async fn leave(mut self) {
        self.cx.cancel();
        if tokio::time::timeout(STOP_GRACE, gone(&mut self.task, self.cx)).await.is_err() {
            tracing::warn!(
                call = %self.cx.call().id,
                grace_ms = STOP_GRACE.as_millis() as u64,
                "a tool did not end when it was told to and is abandoned: it can change nothing any more"
            );
        }
    }

    /// After this no effect of the call lands. An effect that has begun is waited for on a thread
    /// that may wait, so that it holds up this call only.
    async fn fence(&mut self) {
        if let Some(lease) = self.cx.revoke() {
            let lease = lease.clone();
            let ended = tokio::task::spawn_blocking(move || lease.end_within(EFFECT_GRACE)).await;
            report(ended.unwrap_or(false));
        }
        self.fenced = true;
    }
}

impl Drop for Running<'_> {
    /// The one place that lets go of a call, however it ended: what the tool started and left
    /// behind loses its lease and hears its token too.
    fn drop(&mut self) {
        if !self.fenced
            && let Some(lease) = self.cx.revoke()
        {
            report(lease.end_within(EFFECT_GRACE));
        }
        self.cx.cancel();
        self.task.drop_work();
    }
}

impl Task<'_> {
    /// How the tool ended, once it has.
    fn poll(&mut self, cx: &CallContext, waker: &mut Context<'_>) -> Poll<End> {
        let end = match self {
            Self::Spawned(task) => Pin::new(task).poll(waker).map(answered),
            Self::InPlace(work) => poll_in_place(work, waker).map(|ended| match ended {
                Ok(result) => End::Answered(answer(result, cx)),
                Err(words) => broken(words),
            }),
            // Asked for again: it has told how it ended.
            Self::Waiting | Self::Ended => Poll::Pending,
        };
        if end.is_ready() {
            self.drop_work();
        }
        end
    }

    /// What is left of the tool goes. It may panic while it is dropped, as it may elsewhere.
    fn drop_work(&mut self) {
        match std::mem::replace(self, Self::Ended) {
            Self::InPlace(work) => drop(catch(|| drop(work))),
            Self::Spawned(task) => task.abort(),
            Self::Waiting | Self::Ended => {}
        }
    }
}

fn gone(task: &mut Task<'_>, cx: &CallContext) -> impl Future<Output = End> {
    poll_fn(|waker| task.poll(cx, waker))
}

/// Polls the work on this stack; the panic's words when it panicked.
fn poll_in_place(
    work: &mut Work<'_>,
    waker: &mut Context<'_>,
) -> Poll<Result<Result<Json, ToolError>, String>> {
    let depth = IN_PLACE.replace(IN_PLACE.get() + 1);
    let polled = catch(|| work.as_mut().poll(waker));
    IN_PLACE.set(depth);
    match polled {
        Ok(polled) => polled.map(Ok),
        Err(words) => Poll::Ready(Err(words)),
    }
}

fn answer(result: Result<Json, ToolError>, cx: &CallContext) -> Answer {
    Answer { result, at: cx.clock().now() }
}

fn broken(words: String) -> End {
    End::Broken(panic_error(&words))
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
