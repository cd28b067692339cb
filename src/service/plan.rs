//! What a request amounts to: everything that is known before anything is done.

use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use crate::call::Arguments;
use crate::limits::{
    SERVICE_ATTEMPTS_MAX, SERVICE_PRIORITY_MAX, SERVICE_PRIORITY_MIN, SERVICE_TIMEOUT, SERVICE_TIMEOUT_MAX,
};
use crate::service::cache::Key;
use crate::service::shelf::{Item, Shelf};
use crate::service::{
    AgentIdentity, ErrorCode, ExecutionOptions, InvokeRequest, ResourceLimits, ServiceError, ServiceSettings,
    Voices, within,
};

/// A request that makes sense.
pub(super) struct Plan {
    pub invocation: Uuid,
    pub item: Arc<Item>,
    pub arguments: Arc<Arguments>,
    pub agent: AgentIdentity,
    /// Whose places the call takes: an agent of one tenant is not the agent of that name of another.
    pub lane: Arc<str>,
    pub options: ExecutionOptions,
    pub limits: ResourceLimits,
    /// Time of one attempt.
    pub timeout: Duration,
    /// Time of all attempts and pauses.
    pub budget: Duration,
    /// By what its result is kept; `None` when it is not to be.
    pub key: Option<Key>,
}

impl Plan {
    /// The plan of a request.
    ///
    /// # Errors
    /// Why it makes none, cheapest first; nothing has been done then.
    pub fn of(
        request: InvokeRequest,
        shelf: &Shelf,
        settings: &ServiceSettings,
    ) -> Result<Self, ServiceError> {
        let agent = request.agent_context.as_ref().filter(|agent| !agent.agent_did.trim().is_empty());
        let agent = agent.cloned().ok_or_else(nobody)?;
        check(&request.execution_options)?;
        let item = shelf.get(&request.tool_id, &request.tool_version)?.clone();
        let parent = parent_of(&agent, settings)?;
        let voices = Voices {
            request: request.resource_limits,
            manifest: item.limits,
            default: settings.default_limits,
            parent,
        };
        let limits = voices.resolve()?;
        let timeout = limits.timeout_seconds.map_or(SERVICE_TIMEOUT, Duration::from_secs);
        if timeout > SERVICE_TIMEOUT_MAX {
            return Err(too_long("timeout_seconds"));
        }
        let budget = match request.execution_options.retry.budget_seconds {
            Some(asked) => {
                Duration::from_secs(within("retry.budget_seconds", asked, parent.timeout_seconds)?)
            }
            None => timeout,
        };
        if budget > SERVICE_TIMEOUT_MAX {
            return Err(too_long("retry.budget_seconds"));
        }
        let key = settings.cache.and_then(|_| Key::of(&request, &item.manifest));
        Ok(Self {
            invocation: request.invocation_id,
            item,
            arguments: Arc::new(request.parameters),
            lane: lane(&agent),
            agent,
            options: request.execution_options,
            limits,
            timeout,
            budget,
            key,
        })
    }
}

fn nobody() -> ServiceError {
    ServiceError::new(ErrorCode::E3101, "the request does not say on whose behalf it is made")
        .suggest("Give it an `agent_context` with an `agent_did`.")
}

fn check(options: &ExecutionOptions) -> Result<(), ServiceError> {
    let invalid = |message: String, suggestion: String| {
        Err(ServiceError::new(ErrorCode::E3110, message).suggest(suggestion))
    };
    let (priority, attempts) = (options.priority, options.retry.max_attempts);
    if !(SERVICE_PRIORITY_MIN..=SERVICE_PRIORITY_MAX).contains(&priority) {
        return invalid(
            format!("the priority is {priority}"),
            format!("Ask for one from {SERVICE_PRIORITY_MIN} (last) to {SERVICE_PRIORITY_MAX} (first)."),
        );
    }
    if !(1..=SERVICE_ATTEMPTS_MAX).contains(&attempts) {
        return invalid(
            format!("`retry.max_attempts` is {attempts}"),
            format!("Ask for 1 to {SERVICE_ATTEMPTS_MAX} attempts, the first one included."),
        );
    }
    Ok(())
}

fn too_long(name: &str) -> ServiceError {
    let most = SERVICE_TIMEOUT_MAX.as_secs();
    ServiceError::new(ErrorCode::E3110, format!("`{name}` is longer than any call may take"))
        .suggest(format!("Ask for at most {most} seconds."))
}

fn parent_of(agent: &AgentIdentity, settings: &ServiceSettings) -> Result<ResourceLimits, ServiceError> {
    let (Some(sandbox), Some(sandboxes)) = (&agent.parent_sandbox_id, &settings.sandboxes) else {
        return Ok(ResourceLimits::default());
    };
    sandboxes.limits(sandbox).ok_or_else(|| {
        ServiceError::new(ErrorCode::E3110, format!("there is no sandbox named `{sandbox}`"))
            .suggest("Name the sandbox that the agent runs in as `parent_sandbox_id`.")
    })
}

fn lane(agent: &AgentIdentity) -> Arc<str> {
    // Length first, so that no tenant can be named into another one's lane.
    let tenant = agent.tenant_id.as_deref().unwrap_or_default();
    format!("{}:{tenant}:{}", tenant.len(), agent.agent_did).into()
}
