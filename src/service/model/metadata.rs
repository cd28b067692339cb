//! What carrying a request out took, and what was enforced on it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::harness::{Bound, Enforced};
use crate::service::ResourceLimits;
use crate::tool::Spent;

/// What carrying a request out took.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutionMetadata {
    /// The version of the tool that was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
    /// Milliseconds from the admission to the end, pauses between attempts included.
    pub duration_ms: u64,
    /// Milliseconds in line before that.
    pub queued_ms: u64,
    /// How often the tool was called.
    pub attempts: u32,
    /// Whether the result is one that was kept.
    pub from_cache: bool,
    /// The limits that the call had, once they were known.
    pub limits: ResourceLimits,
    /// What was enforced, by the name of the bound; empty when nothing ran.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub enforced: BTreeMap<String, Enforcement>,
    /// What was taken, where a backend could measure it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources_used: Option<ResourcesUsed>,
}

/// How far one bound was enforced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enforcement {
    /// `enforced`, `partly_enforced` or `not_enforced`.
    pub state: String,
    /// What is missing, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What a call has taken of the machine, all attempts together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourcesUsed {
    /// Processor time, in milliseconds.
    pub cpu_ms: u64,
    /// The most memory that was in use at once, in bytes.
    pub memory_bytes: u64,
}

/// The bound that the executor itself keeps, whatever the tool is made of.
const WALL: &str = "wall_time";

impl ExecutionMetadata {
    /// The same, with what a backend wrote into the call's account; `None` is a tool that runs inside
    /// of this process, which nothing but its deadline can bound.
    #[must_use]
    pub(in crate::service) fn with_spent(mut self, spent: Option<&Spent>) -> Self {
        let inside = Enforced::Not("the tool runs inside of the service's process".into());
        let row = |bound: Bound, enforced: &Enforced| (bound.to_string(), Enforcement::from(enforced));
        self.enforced = match spent {
            Some(spent) => spent.report.iter().map(|(bound, enforced)| row(bound, enforced)).collect(),
            None => [Bound::Cpu, Bound::Memory].map(|bound| row(bound, &inside)).into(),
        };
        self.enforced.insert(WALL.to_owned(), Enforcement::from(&Enforced::Fully));
        self.resources_used = spent.map(|spent| ResourcesUsed {
            cpu_ms: u64::try_from(spent.used.cpu.as_millis()).unwrap_or(u64::MAX),
            memory_bytes: spent.used.memory_bytes,
        });
        self
    }
}

impl From<&Enforced> for Enforcement {
    fn from(enforced: &Enforced) -> Self {
        Self { state: enforced.as_str().to_owned(), why: enforced.why().map(str::to_owned) }
    }
}
