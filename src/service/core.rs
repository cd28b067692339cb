//! What becomes of a request: cache, line, attempts, response.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use uuid::Uuid;

use crate::id::CallId;
use crate::moment::Clock;
use crate::service::attempt::{Attempts, Ended, millis, status_of};
use crate::service::cache::Cache;
use crate::service::plan::Plan;
use crate::service::shelf::Shelf;
use crate::service::slots::{Admission, Slots};
use crate::service::{
    ExecutionMetadata, InvokeRequest, InvokeResponse, ServiceError, ServiceSettings, TaskId, ToolResult,
    ToolStatus,
};
use crate::tool::CancelToken;
use crate::tools::vault::rfc3339;

/// What all calls of a service share. Tasks hold it, and it holds no task.
pub(super) struct Core {
    pub shelf: Shelf,
    pub settings: ServiceSettings,
    pub slots: Arc<Slots>,
    pub cache: Option<Cache>,
    pub clock: Arc<dyn Clock>,
    pub calls: AtomicU64,
}

/// A request on its way.
pub(super) enum Step {
    /// It has its answer.
    Answered(Box<InvokeResponse>),
    /// It has a place, or a place in line.
    Admitted(Box<Plan>, Admission),
}

impl Core {
    /// Everything that is done at once: the plan, a look into the cache, a place or a place in line.
    pub fn begin(&self, request: InvokeRequest) -> Step {
        let invocation = request.invocation_id;
        let admitted = self.plan(request).and_then(|plan| {
            if let Some(kept) = self.kept(&plan) {
                return Ok(Step::Answered(Box::new(kept)));
            }
            let options = &plan.options;
            let admission = self.slots.enter(&plan.lane, options.priority, options.when_full)?;
            Ok(Step::Admitted(Box::new(plan), admission))
        });
        admitted.unwrap_or_else(|fault| Step::Answered(Box::new(self.refused(invocation, fault))))
    }

    fn plan(&self, request: InvokeRequest) -> Result<Plan, ServiceError> {
        Plan::of(request, &self.shelf, &self.settings)
    }

    fn kept(&self, plan: &Plan) -> Option<InvokeResponse> {
        let result = self.cache.as_ref()?.get(plan.key?, self.clock.now())?;
        self.settings.metrics.cached();
        let metadata = ExecutionMetadata {
            tool_version: Some(plan.item.manifest.version.to_string()),
            from_cache: true,
            limits: plan.limits,
            ..ExecutionMetadata::default()
        };
        Some(
            self.response(
                plan.invocation,
                Ended { status: ToolStatus::Success, result: Ok(result), metadata },
            ),
        )
    }

    /// Waits for the place, tells `started`, and calls the tool. Dropping the future at any point gives
    /// the place back and ends the call.
    pub async fn carry_out(
        &self,
        plan: &Plan,
        admission: Admission,
        cancel: &CancelToken,
        started: impl FnOnce(),
    ) -> InvokeResponse {
        let asked = self.clock.now();
        let slot = match admission.slot(self.settings.queue_wait_max, cancel).await {
            Ok(slot) => slot,
            Err(fault) => return self.refused(plan.invocation, fault),
        };
        let queued = self.clock.now().since(asked);
        started();
        let number = CallId(self.calls.fetch_add(1, Ordering::Relaxed) + 1);
        let attempts = Attempts {
            plan,
            turn: &self.settings.turn,
            clock: &*self.clock,
            metrics: &self.settings.metrics,
            number,
            seed: self.seed(plan.invocation),
            cancel,
        };
        let mut ended = attempts.make().await;
        drop(slot);
        ended.metadata.queued_ms = millis(queued);
        if let (Some(cache), Some(key), Ok(result)) = (&self.cache, plan.key, &ended.result) {
            cache.keep(key, result, self.clock.now());
        }
        self.response(plan.invocation, ended)
    }

    fn seed(&self, invocation: Uuid) -> u64 {
        // Keyed with nothing, so that a seed means the same in every process.
        let mut hasher = DefaultHasher::new();
        (self.settings.seed, invocation).hash(&mut hasher);
        hasher.finish()
    }

    /// The response to a request that came to nothing.
    pub fn refused(&self, invocation: Uuid, fault: ServiceError) -> InvokeResponse {
        self.settings.metrics.refused(fault.code);
        let result: Result<ToolResult, _> = Err(fault);
        let metadata = ExecutionMetadata::default();
        self.response(invocation, Ended { status: status_of(&result), result, metadata })
    }

    fn response(&self, invocation_id: Uuid, ended: Ended) -> InvokeResponse {
        let (result, error) = match ended.result {
            Ok(result) => (Some(result), None),
            Err(fault) => (None, Some(fault)),
        };
        InvokeResponse {
            invocation_id,
            status: ended.status,
            task_id: None,
            result,
            error,
            execution_metadata: ended.metadata,
            completed_at: Some(rfc3339((self.settings.dated_by)())),
        }
    }

    /// How a request stands that goes on.
    pub fn standing(invocation_id: Uuid, status: ToolStatus, task: TaskId) -> InvokeResponse {
        InvokeResponse {
            invocation_id,
            status,
            task_id: Some(task),
            result: None,
            error: None,
            execution_metadata: ExecutionMetadata::default(),
            completed_at: None,
        }
    }
}
