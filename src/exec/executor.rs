//! One call from beginning to end.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;

use crate::call::{Call, ToolName};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::exec::gate::{self, Admitted, Entry, Refusal, failure};
use crate::exec::running::{Answer, End, Running};
use crate::exec::{ArgumentSchema, Turn, bound, output};
use crate::manifest::ToolManifest;
use crate::moment::{Clock, Moment};
use crate::outcome::{ErrorCategory, Outcome, ToolExecutionResult, ToolTimeout};
use crate::tool::{CallContext, CancelToken, Notices, Registry, Silent, Tool, ToolError};

/// Runs calls under their bounds. It holds nothing of a call: clones and parallel branches share it.
#[derive(Clone)]
pub struct BoundedExecutor {
    registry: Arc<Registry>,
    schemas: Arc<BTreeMap<ToolName, ArgumentSchema>>,
    clock: Arc<dyn Clock>,
    notices: Arc<dyn Notices>,
}

/// A tool with what the executor knows of it.
#[derive(Clone, Copy)]
struct Known<'a> {
    tool: &'a Arc<dyn Tool>,
    manifest: &'a Arc<ToolManifest>,
    schema: &'a ArgumentSchema,
}

/// A call that has passed the gates: what its outcome is made from.
struct Started<'a> {
    call: &'a Call,
    manifest: &'a ToolManifest,
    was_coerced: bool,
    at: Moment,
    bound: Duration,
}

impl BoundedExecutor {
    /// An executor of these tools. Their schemas are compiled here, once.
    ///
    /// # Errors
    /// All tools whose argument schema is none, as [`Code::E0501`].
    pub fn new(registry: Arc<Registry>, clock: Arc<dyn Clock>) -> Result<Self, Diagnostics> {
        let mut faults = Diagnostics::new();
        let mut schemas = BTreeMap::new();
        for manifest in registry.manifests() {
            match ArgumentSchema::new(&manifest.input_schema) {
                Ok(schema) => drop(schemas.insert(manifest.name.clone(), schema)),
                Err(fault) => faults.push(
                    Diagnostic::new(
                        Code::E0501,
                        format!("the argument schema of tool `{}` cannot be used: {fault}", manifest.name),
                    )
                    .help("give the manifest a JSON Schema of an object as its input schema"),
                ),
            }
        }
        if faults.is_empty() {
            return Ok(Self { registry, schemas: Arc::new(schemas), clock, notices: Arc::new(Silent) });
        }
        Err(faults)
    }

    /// The same executor, whose calls tell `notices` what they are doing.
    #[must_use]
    pub fn with_notices(mut self, notices: Arc<dyn Notices>) -> Self {
        self.notices = notices;
        self
    }

    /// The tools.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// Runs `call` to its one outcome: when its tool answers, when its deadline passes, or, soon
    /// after `cancel`, as a failure of category [`ErrorCategory::Cancelled`]. Once it has
    /// returned, or was dropped, no effect of the call lands.
    ///
    /// It wants a tokio runtime with its timer on, and a clock that goes as that timer goes.
    pub async fn execute(&self, call: Arc<Call>, turn: &Turn, cancel: CancelToken) -> Outcome {
        let at = self.clock.now();
        let (known, admitted) = match self.admit(&call, turn, at, &cancel) {
            Ok(admitted) => admitted,
            Err(refusal) => return refusal.into_outcome(&call),
        };
        let Admitted { arguments, was_coerced } = admitted;
        let bound = bound::bound(&call, known.manifest, turn, at);
        let deadline = at + bound;
        let lease = turn.lease(deadline, &self.clock);
        let cx = CallContext::new(call.clone(), lease, deadline, self.clock.clone())
            .with_notices(self.notices.clone());
        let running = Running::start(known.tool.clone(), arguments, cx, self.clock.clone());
        let end = running.end(bound, &cancel).await;
        let started = Started { call: &call, manifest: known.manifest, was_coerced, at, bound };
        started.outcome(end, self.clock.now())
    }

    fn admit(
        &self,
        call: &Call,
        turn: &Turn,
        now: Moment,
        cancel: &CancelToken,
    ) -> Result<(Known<'_>, Admitted), Refusal> {
        if cancel.is_cancelled() {
            return Err(Refusal::Failed(ToolError::cancelled()));
        }
        let known = self.known(&call.tool).map_err(Refusal::Failed)?;
        let entry = Entry { call, manifest: known.manifest, schema: known.schema, turn, now };
        gate::pass(&entry).map(|admitted| (known, admitted))
    }

    fn known(&self, name: &ToolName) -> Result<Known<'_>, ToolError> {
        let parts = (self.registry.get(name), self.registry.manifest(name), self.schemas.get(name));
        if let (Some(tool), Some(manifest), Some(schema)) = parts {
            return Ok(Known { tool, manifest, schema });
        }
        let error = ToolError::new(ErrorCategory::Configuration, format!("there is no tool named `{name}`"));
        Err(error.suggest(match self.registry.did_you_mean(name) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "register the tool, or name one that is registered".to_owned(),
        }))
    }
}

impl Started<'_> {
    /// The one place where the end of a call becomes its outcome.
    fn outcome(&self, end: End, now: Moment) -> Outcome {
        let elapsed_ms = u64::try_from(now.since(self.at).as_millis()).unwrap_or(u64::MAX);
        match end {
            End::Answered(answer) => self.answered(answer, elapsed_ms),
            End::Broken(error) => self.failed(&error, elapsed_ms),
            End::Cancelled => self.failed(&ToolError::cancelled(), elapsed_ms),
            End::Overdue => self.timed_out(elapsed_ms, self.manifest.retry_on_timeout),
        }
    }

    /// A late answer changes nothing, and says that the tool keeps no deadlines: such a call is
    /// not tried again.
    fn answered(&self, answer: Answer, elapsed_ms: u64) -> Outcome {
        let late = answer.at > self.at + self.bound;
        match answer.result.and_then(output::check) {
            _ if late => self.timed_out(elapsed_ms, false),
            Ok(output) => self.succeeded(output, elapsed_ms),
            Err(error) => self.failed(&error, elapsed_ms),
        }
    }

    fn succeeded(&self, output: Json, elapsed_ms: u64) -> Outcome {
        Outcome::ToolExecutionResult(ToolExecutionResult {
            call_id: self.call.id,
            tool_name: self.call.tool.clone(),
            output: Arc::new(output),
            elapsed_ms,
            was_coerced: self.was_coerced,
        })
    }

    fn failed(&self, error: &ToolError, elapsed_ms: u64) -> Outcome {
        Outcome::ToolFailure(failure(self.call, error, elapsed_ms))
    }

    fn timed_out(&self, elapsed_ms: u64, retryable: bool) -> Outcome {
        Outcome::ToolTimeout(ToolTimeout {
            call_id: self.call.id,
            tool_name: self.call.tool.clone(),
            deadline_s: self.bound.as_secs_f64(),
            elapsed_ms,
            retryable,
        })
    }
}
