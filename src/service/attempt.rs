//! One call after the other, until one is the answer.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::call::Call;
use crate::exec::{Turn, TurnSettings};
use crate::id::CallId;
use crate::limits::SERVICE_SETTLE_MAX;
use crate::moment::{Clock, Moment};
use crate::outcome::{ErrorCategory, Outcome};
use crate::service::backoff::Backoff;
use crate::service::metric::Metrics;
use crate::service::plan::Plan;
use crate::service::{ArtifactReference, ErrorCode, ExecutionMetadata, ServiceError, ToolResult, ToolStatus};
use crate::tool::{Account, Allowance, CallScope, CancelToken};

/// What became of a plan.
pub(super) struct Ended {
    pub status: ToolStatus,
    pub result: Result<ToolResult, ServiceError>,
    pub metadata: ExecutionMetadata,
}

/// What attempts are made with.
pub(super) struct Attempts<'a> {
    pub plan: &'a Plan,
    pub turn: &'a TurnSettings,
    pub clock: &'a dyn Clock,
    pub metrics: &'a Metrics,
    pub number: CallId,
    pub seed: u64,
    pub cancel: &'a CancelToken,
}

impl Attempts<'_> {
    /// Calls the tool until it answers, until another try is of no use, or until the budget is spent.
    pub async fn make(&self) -> Ended {
        let began = self.clock.now();
        let account = self.account();
        let turn = self.turn(&account);
        let mut backoff = Backoff::new(&self.plan.options.retry, self.seed);
        let mut attempt = 1;
        let result = loop {
            let outcome = self.once(attempt, began, &turn).await;
            // Nothing that the attempt started is alive when the next one begins, or the response is told.
            if timeout(SERVICE_SETTLE_MAX, account.settled()).await.is_err() {
                tracing::error!(call = %self.number, "a sandbox of a call outlives it");
            }
            let read = self.read(outcome);
            let Err(fault) = &read else { break read };
            let Some(pause) = self.pause(fault, attempt, began, &mut backoff) else { break read };
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => break Err(ServiceError::cancelled()),
                () = sleep(pause) => {}
            }
            attempt += 1;
        };
        let metadata = ExecutionMetadata {
            tool_version: Some(self.plan.item.manifest.version.to_string()),
            duration_ms: millis(self.clock.now().since(began)),
            attempts: attempt,
            limits: self.plan.limits,
            ..ExecutionMetadata::default()
        };
        let metadata = metadata.with_spent(account.spent().as_ref());
        Ended { status: status_of(&result), result, metadata }
    }

    async fn once(&self, attempt: u32, began: Moment, turn: &Turn) -> Outcome {
        let plan = self.plan;
        let left = plan.budget.saturating_sub(self.clock.now().since(began));
        let call = Call {
            id: self.number,
            tool: plan.item.manifest.name.clone(),
            arguments: plan.arguments.clone(),
            timeout: Some(plan.timeout.min(left)),
            attempt,
            caller: plan.agent.agent_did.clone(),
        };
        let in_flight = self.metrics.enter(&plan.item.manifest.name);
        let outcome = plan.item.executor.execute(&Arc::new(call), turn, self.cancel).await;
        in_flight.leave();
        outcome
    }

    fn account(&self) -> Account {
        Account::kept(Allowance {
            cpu_millicores: self.plan.limits.cpu_millicore_limit,
            memory_mb: self.plan.limits.memory_mb_limit,
        })
    }

    /// A turn for this request alone. Its cap is the limit that was resolved, and nothing else.
    fn turn(&self, account: &Account) -> Turn {
        let base = &self.turn.scope;
        let scope = CallScope {
            agent: self.plan.agent.context(),
            permission: base.permission,
            metadata: base.metadata.clone(),
            account: account.clone(),
        };
        Turn::new(TurnSettings { scope, timeout_cap: self.plan.timeout, ..self.turn.clone() })
    }

    /// How long to wait before the next attempt; `None` when there is to be none. A tool that failed or
    /// timed out may have run, and only an idempotent one is called again after that. A next attempt
    /// that the budget leaves no time for is not begun.
    fn pause(
        &self,
        fault: &ServiceError,
        attempt: u32,
        began: Moment,
        backoff: &mut Backoff,
    ) -> Option<Duration> {
        let plan = self.plan;
        let is_wanted = fault.retryable && attempt < plan.options.retry.max_attempts;
        if !is_wanted || !plan.item.manifest.idempotent || self.cancel.is_cancelled() {
            return None;
        }
        let pause = backoff.after(attempt);
        (self.clock.now().since(began) + pause < plan.budget).then_some(pause)
    }

    /// An outcome as a result or an error; a result that does not fit its schema is one.
    fn read(&self, outcome: Outcome) -> Result<ToolResult, ServiceError> {
        if let (Some(schema), Some(output)) = (&self.plan.item.result, outcome.output()) {
            schema.check(output).map_err(|faults| {
                ServiceError::new(ErrorCode::E3114, faults)
                    .suggest("Correct the tool, or the result schema of its manifest.")
            })?;
        }
        read(outcome)
    }
}

fn read(outcome: Outcome) -> Result<ToolResult, ServiceError> {
    let words = outcome.failure_text().unwrap_or_default();
    match outcome {
        Outcome::ToolExecutionResult(it) => {
            Ok(ToolResult { result: Some(it.output), artifact: None, was_coerced: it.was_coerced })
        }
        Outcome::ToolArtifactReference(it) => {
            let artifact = ArtifactReference {
                artifact_id: it.artifact_id,
                summary: it.summary,
                size_bytes: it.size_bytes,
            };
            Ok(ToolResult { result: None, artifact: Some(artifact), was_coerced: false })
        }
        Outcome::ToolTimeout(it) => Err(ServiceError {
            category: None,
            retryable: it.retryable,
            ..ServiceError::new(ErrorCode::E3103, words)
        }
        .suggest("Ask for a larger `timeout_seconds`.")),
        Outcome::ToolFailure(it) if it.category == ErrorCategory::Cancelled => Err(ServiceError::cancelled()),
        Outcome::ToolFailure(it) => Err(ServiceError {
            code: ErrorCode::E3108,
            message: words,
            category: Some(it.category.to_string()),
            suggestion: it.suggestion,
            retryable: it.retryable,
        }),
        Outcome::ToolDenied(it) => Err(ServiceError {
            code: ErrorCode::E3112,
            message: it.details,
            category: Some(it.reason.to_string()),
            suggestion: it.hint,
            retryable: false,
        }),
    }
}

pub(super) fn status_of<T>(result: &Result<T, ServiceError>) -> ToolStatus {
    match result {
        Ok(_) => ToolStatus::Success,
        Err(fault) => match fault.code {
            ErrorCode::E3103 => ToolStatus::Timeout,
            ErrorCode::E3113 => ToolStatus::Cancelled,
            _ => ToolStatus::Error,
        },
    }
}

pub(super) fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}
