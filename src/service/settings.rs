//! The numbers of a service, and who it works with.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::exec::TurnSettings;
use crate::limits::{
    SERVICE_AGENT_CALLS, SERVICE_AGENT_QUEUE, SERVICE_CACHE_AGE, SERVICE_CACHE_BYTES, SERVICE_CACHE_ENTRIES,
    SERVICE_CALLS, SERVICE_CPU_MILLICORES, SERVICE_MEMORY_MB, SERVICE_QUEUE, SERVICE_QUEUE_WAIT,
    SERVICE_TASK_AGE, SERVICE_TASKS, SERVICE_TIMEOUT,
};
use crate::run::unix_seconds;
use crate::service::metric::Metrics;
use crate::service::{ResourceLimits, Sandboxes};

/// The numbers of a service, and who it works with.
#[derive(Clone)]
pub struct ServiceSettings {
    /// Calls of one agent that run at once.
    pub agent_calls_max: usize,
    /// Calls of all agents that run at once.
    pub calls_max: usize,
    /// Calls of one agent that may wait for a place.
    pub agent_queue_max: usize,
    /// Calls of all agents that may wait for a place.
    pub queue_max: usize,
    /// How long a call may wait for a place.
    pub queue_wait_max: Duration,
    /// Limits of a call for which neither the request nor the manifest says any.
    pub default_limits: ResourceLimits,
    /// The sandboxes that requests may name; without it nobody has a parent's limits to keep.
    pub sandboxes: Option<Arc<dyn Sandboxes>>,
    /// Tasks that are known at once, those that wait and run included.
    pub tasks_max: usize,
    /// How long the response of a task is kept.
    pub task_age_max: Duration,
    /// The cache of results; `None` for none.
    pub cache: Option<CacheSettings>,
    /// What every call's turn begins with; the agent and the limits come from the request.
    pub turn: TurnSettings,
    /// What decides the jitter of pauses between attempts: the same seed and the same request pause
    /// alike.
    pub seed: u64,
    /// The date of a response, in seconds since 1970.
    pub dated_by: fn() -> i64,
    /// What is counted.
    pub metrics: Arc<Metrics>,
}

/// How much a cache of results keeps, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheSettings {
    /// Results.
    pub entries_max: usize,
    /// Bytes of results, as JSON.
    pub bytes_max: usize,
    /// How old a result may be.
    pub age_max: Duration,
}

impl Default for CacheSettings {
    fn default() -> Self {
        Self {
            entries_max: SERVICE_CACHE_ENTRIES,
            bytes_max: SERVICE_CACHE_BYTES,
            age_max: SERVICE_CACHE_AGE,
        }
    }
}

impl Default for ServiceSettings {
    fn default() -> Self {
        let default_limits = ResourceLimits {
            cpu_millicore_limit: Some(SERVICE_CPU_MILLICORES),
            memory_mb_limit: Some(SERVICE_MEMORY_MB),
            timeout_seconds: Some(SERVICE_TIMEOUT.as_secs()),
        };
        Self {
            agent_calls_max: SERVICE_AGENT_CALLS,
            calls_max: SERVICE_CALLS,
            agent_queue_max: SERVICE_AGENT_QUEUE,
            queue_max: SERVICE_QUEUE,
            queue_wait_max: SERVICE_QUEUE_WAIT,
            default_limits,
            sandboxes: None,
            tasks_max: SERVICE_TASKS,
            task_age_max: SERVICE_TASK_AGE,
            cache: None,
            turn: TurnSettings::authored(),
            seed: fastrand::u64(..),
            dated_by: unix_seconds,
            metrics: Arc::default(),
        }
    }
}

impl fmt::Debug for ServiceSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceSettings")
            .field("agent_calls_max", &self.agent_calls_max)
            .field("calls_max", &self.calls_max)
            .field("default_limits", &self.default_limits)
            .field("cache", &self.cache)
            .finish_non_exhaustive()
    }
}
