//! The service: calls, tasks, tools.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::call::ToolName;
use crate::diag::Diagnostics;
use crate::exec::BoundedExecutor;
use crate::moment::Clock;
use crate::run::RunClock;
use crate::service::cache::Cache;
use crate::service::core::{Core, Step};
use crate::service::line::LineBounds;
use crate::service::metric::Metrics;
use crate::service::plan::Plan;
use crate::service::shelf::Shelf;
use crate::service::slots::{Admission, Slots};
use crate::service::tasks::{Finish, Tasks};
use crate::service::{
    InvokeRequest, InvokeResponse, ServiceError, ServiceSettings, TaskId, ToolDefinition, ToolFilter,
    ToolStatus,
};
use crate::tool::CancelToken;

/// Tools as a service. Clones are the same service; when the last one is dropped, its tasks are
/// cancelled.
#[derive(Clone)]
pub struct Service {
    face: Arc<Face>,
}

struct Face {
    core: Arc<Core>,
    tasks: Arc<Tasks>,
}

impl Drop for Face {
    /// Nothing goes on that nobody can ask for.
    fn drop(&mut self) {
        self.tasks.cancel_all();
    }
}

impl Service {
    /// A service of the tools of an executor.
    ///
    /// # Errors
    /// The tools whose result schema is none.
    pub fn new(executor: &BoundedExecutor, settings: ServiceSettings) -> Result<Self, Diagnostics> {
        Self::of_versions(&[executor], settings)
    }

    /// A service of the tools of several executors, each of which has its own versions of them.
    ///
    /// # Errors
    /// The tools whose result schema is none, and those that are there twice in one version.
    pub fn of_versions(
        executors: &[&BoundedExecutor],
        settings: ServiceSettings,
    ) -> Result<Self, Diagnostics> {
        let mut shelf = Shelf::default();
        for &executor in executors {
            shelf.add(&settings.metrics.listen_to(executor.clone()))?;
        }
        let bounds = LineBounds {
            agent_calls_max: settings.agent_calls_max,
            calls_max: settings.calls_max,
            agent_queue_max: settings.agent_queue_max,
            queue_max: settings.queue_max,
        };
        let clock: Arc<dyn Clock> = Arc::new(RunClock::start());
        let tasks = Tasks::new(settings.tasks_max, settings.task_age_max, clock.clone());
        let slots = Slots::new(bounds, settings.metrics.clone());
        let cache = settings.cache.map(Cache::new);
        let core = Arc::new(Core { shelf, settings, slots, cache, clock, calls: AtomicU64::new(0) });
        Ok(Self { face: Arc::new(Face { core, tasks }) })
    }

    /// Carries a request out and answers with what became of it; in async mode at once, with the name
    /// of a task. There is always exactly one response. Dropping the future ends the call.
    pub async fn execute(&self, request: InvokeRequest) -> InvokeResponse {
        self.execute_until(request, CancelToken::new()).await
    }

    /// The same, and `cancel` ends the call with [`ToolStatus::Cancelled`]. A task that has been begun
    /// is cancelled by its name.
    pub async fn execute_until(&self, request: InvokeRequest, cancel: CancelToken) -> InvokeResponse {
        if request.execution_options.async_mode {
            return self.submit(request);
        }
        match self.face.core.begin(request) {
            Step::Answered(response) => *response,
            Step::Admitted(plan, admission) => {
                self.face.core.carry_out(&plan, admission, &cancel, || {}).await
            }
        }
    }

    /// Begins a task and answers at once: with its name, or, when it cannot begin, with the reason. It
    /// must be called inside of a tokio runtime.
    pub fn submit(&self, request: InvokeRequest) -> InvokeResponse {
        let Face { core, tasks } = &*self.face;
        let (id, invocation) = (TaskId::of(&request), request.invocation_id);
        let task = match tasks.begin(id.clone(), invocation) {
            Ok(task) => task,
            Err(fault) => return core.refused(invocation, fault),
        };
        let finish = Finish { tasks: tasks.clone(), task: task.clone(), core: core.clone() };
        match core.begin(request) {
            // What was refused is no task: the request may be made again under its name.
            Step::Answered(response) if response.error.is_some() => {
                tasks.refuse(&task, (*response).clone());
                return *response;
            }
            Step::Answered(response) => tasks.finish(&task, *response),
            Step::Admitted(plan, admission) => {
                tokio::spawn(carry_out(finish, plan, admission));
                return Core::standing(invocation, ToolStatus::Pending, id);
            }
        }
        task.poll()
    }

    /// How a task stands.
    ///
    /// # Errors
    /// When no task of that name is known, or its response is no longer kept.
    pub fn poll(&self, task: &TaskId) -> Result<InvokeResponse, ServiceError> {
        Ok(self.face.tasks.get(task)?.poll())
    }

    /// Waits for the end of a task. Several may wait for one task.
    ///
    /// # Errors
    /// As [`poll`](Self::poll).
    pub async fn wait(&self, task: &TaskId) -> Result<InvokeResponse, ServiceError> {
        let task = self.face.tasks.get(task)?;
        Ok(task.done().await)
    }

    /// Cancels a task and waits for its end. One that has ended keeps its response.
    ///
    /// # Errors
    /// As [`poll`](Self::poll).
    pub async fn cancel(&self, task: &TaskId) -> Result<InvokeResponse, ServiceError> {
        let task = self.face.tasks.get(task)?;
        task.cancel.cancel();
        Ok(task.done().await)
    }

    /// What is said of a tool in that version, or in [`LATEST`](crate::service::LATEST).
    ///
    /// # Errors
    /// When there is no such tool, or no such version of it.
    pub fn get_tool(&self, tool: &ToolName, version: &str) -> Result<ToolDefinition, ServiceError> {
        let core = &self.face.core;
        Ok(core.shelf.define(core.shelf.get(tool, version)?, &core.settings.default_limits))
    }

    /// What is said of the tools that a filter takes, by name.
    pub fn list_tools(&self, filter: &ToolFilter) -> Vec<ToolDefinition> {
        let core = &self.face.core;
        core.shelf.list(filter).map(|item| core.shelf.define(item, &core.settings.default_limits)).collect()
    }

    /// How many calls run.
    pub fn in_flight(&self) -> usize {
        self.face.core.slots.counts().0
    }

    /// How many calls wait for a place.
    pub fn queue_depth(&self) -> usize {
        self.face.core.slots.counts().1
    }

    /// What is counted.
    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.face.core.settings.metrics
    }
}

async fn carry_out(finish: Finish, plan: Box<Plan>, admission: Admission) {
    let task = &finish.task;
    let response = finish.core.carry_out(&plan, admission, &task.cancel, || task.run()).await;
    finish.tasks.finish(task, response);
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (in_flight, queue_depth) = self.face.core.slots.counts();
        f.debug_struct("Service")
            .field("in_flight", &in_flight)
            .field("queue_depth", &queue_depth)
            .finish_non_exhaustive()
    }
}
