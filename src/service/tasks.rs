//! Calls that nobody waits for, and their responses, which are kept for a while.
//!
//! ```text
//! Pending --a place--> Running --its end--> Done --so old, or too many--> forgotten
//!         --cancelled, refused------------> Done
//! ```

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use uuid::Uuid;

use crate::moment::{Clock, Moment};
use crate::service::core::Core;
use crate::service::{ErrorCode, InvokeResponse, ServiceError, TaskId, ToolStatus};
use crate::tool::CancelToken;

/// The tasks of a service.
pub(super) struct Tasks {
    // A std mutex: under it are a few map steps.
    known: Mutex<Known>,
    max: usize,
    age_max: Duration,
    clock: Arc<dyn Clock>,
}

#[derive(Default)]
struct Known {
    tasks: HashMap<TaskId, Arc<Task>>,
    /// Those that are done, the oldest first.
    done: VecDeque<(Moment, TaskId)>,
}

/// One call that nobody waits for.
pub(super) struct Task {
    pub id: TaskId,
    pub cancel: CancelToken,
    invocation: Uuid,
    stage: watch::Sender<Stage>,
}

#[derive(Clone)]
enum Stage {
    Pending,
    Running,
    Done(Arc<InvokeResponse>),
}

impl Tasks {
    pub fn new(max: usize, age_max: Duration, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { known: Mutex::default(), max, age_max, clock })
    }

    /// A new task.
    ///
    /// # Errors
    /// When one of that name is known, or too many go on.
    pub fn begin(&self, id: TaskId, invocation: Uuid) -> Result<Arc<Task>, ServiceError> {
        let mut known = self.known();
        if known.tasks.contains_key(&id) {
            let message = format!("there is a task `{id}` already");
            return Err(ServiceError::new(ErrorCode::E3110, message)
                .suggest("Give every request an `invocation_id` of its own."));
        }
        if known.tasks.len() >= self.max && !known.forget_oldest() {
            let message = format!("{} tasks are under way already", known.tasks.len());
            return Err(ServiceError::new(ErrorCode::E3106, message)
                .suggest("Wait for some of them to end, then try again."));
        }
        let stage = watch::Sender::new(Stage::Pending);
        let task = Arc::new(Task { id: id.clone(), cancel: CancelToken::new(), invocation, stage });
        known.tasks.insert(id, task.clone());
        Ok(task)
    }

    /// The task of that name.
    ///
    /// # Errors
    /// [`ErrorCode::E3115`].
    pub fn get(&self, id: &TaskId) -> Result<Arc<Task>, ServiceError> {
        self.known().tasks.get(id).cloned().ok_or_else(|| {
            let message = format!("there is no task `{id}`");
            let kept = self.age_max.as_secs();
            ServiceError::new(ErrorCode::E3115, message)
                .suggest(format!("Responses are kept for {kept} s, and fewer when many tasks end."))
        })
    }

    /// The task is done, and its response is kept. Only the first response counts.
    pub fn finish(&self, task: &Task, mut response: InvokeResponse) {
        response.task_id = Some(task.id.clone());
        if task.end(response) {
            self.known().done.push_back((self.clock.now(), task.id.clone()));
        }
    }

    /// The task never began; whoever asked for it in this instant is told why.
    pub fn refuse(&self, task: &Task, response: InvokeResponse) {
        self.known().tasks.remove(&task.id);
        task.end(response);
    }

    /// Cancels all tasks that go on.
    pub fn cancel_all(&self) {
        self.known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .tasks
            .values()
            .for_each(|task| task.cancel.cancel());
    }

    /// What is known, without what is too old.
    fn known(&self) -> MutexGuard<'_, Known> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.clock.now();
        while known.done.front().is_some_and(|(at, _)| now.since(*at) >= self.age_max) {
            known.forget_oldest();
        }
        known
    }
}

impl Known {
    /// Whether there was one to forget.
    fn forget_oldest(&mut self) -> bool {
        let oldest = self.done.pop_front();
        oldest.is_some_and(|(_, id)| self.tasks.remove(&id).is_some())
    }
}

impl Task {
    /// It has its place.
    pub fn run(&self) {
        self.stage.send_if_modified(|stage| {
            let waits = matches!(stage, Stage::Pending);
            if waits {
                *stage = Stage::Running;
            }
            waits
        });
    }

    /// Whether this is its end, and not another one after it.
    fn end(&self, response: InvokeResponse) -> bool {
        self.stage.send_if_modified(|stage| {
            let goes_on = !matches!(stage, Stage::Done(_));
            if goes_on {
                *stage = Stage::Done(Arc::new(response));
            }
            goes_on
        })
    }

    fn is_done(&self) -> bool {
        matches!(*self.stage.borrow(), Stage::Done(_))
    }

    /// How it stands.
    pub fn poll(&self) -> InvokeResponse {
        let status = match &*self.stage.borrow() {
            Stage::Done(response) => return (**response).clone(),
            Stage::Pending => ToolStatus::Pending,
            Stage::Running => ToolStatus::Running,
        };
        Core::standing(self.invocation, status, self.id.clone())
    }

    /// Waits for its end.
    pub async fn done(&self) -> InvokeResponse {
        let mut stage = self.stage.subscribe();
        // Fails only when the task is gone, and it is held here.
        let _ = stage.wait_for(|stage| matches!(stage, Stage::Done(_))).await;
        self.poll()
    }
}

/// Sees to it that a task has a response, whatever becomes of the future that carries it out.
pub(super) struct Finish {
    pub tasks: Arc<Tasks>,
    pub task: Arc<Task>,
    pub core: Arc<Core>,
}

impl Drop for Finish {
    /// A task that has its response keeps it.
    fn drop(&mut self) {
        if self.task.is_done() {
            return;
        }
        let fault = ServiceError::new(ErrorCode::E3108, "the task died before it had a response")
            .suggest("This is a fault of the service, or it is going down: try again.");
        self.tasks.finish(&self.task, self.core.refused(self.task.invocation, fault));
    }
}
