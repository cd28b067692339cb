//! What the tools of manifests are given by whoever loads them.

use std::fmt;
use std::sync::Arc;

use crate::harness::{End, Root};
use crate::id::CallId;

/// Where programs run, and what they are given.
#[derive(Clone)]
pub struct Surroundings {
    /// The folder that programs start in, or below it.
    pub root: Root,
    environment: Environment,
    pub(super) reports: Option<Arc<dyn Reports>>,
}

/// The value of a variable, by its name.
type Environment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Hears of the end of every process, of calls that were over before it too.
pub trait Reports: Send + Sync + 'static {
    /// The process of `call` has ended so. Must not block.
    fn ended(&self, call: CallId, end: &End);
}

impl Surroundings {
    /// Programs run below `root`, and variables come from this process's own environment.
    pub fn new(root: Root) -> Self {
        Self { root, environment: Arc::new(|name| std::env::var(name).ok()), reports: None }
    }

    /// The same, with variables from somewhere else.
    #[must_use]
    pub fn with_environment(
        mut self,
        environment: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.environment = Arc::new(environment);
        self
    }

    /// The same, and `reports` hears of every end.
    #[must_use]
    pub fn with_reports(mut self, reports: Arc<dyn Reports>) -> Self {
        self.reports = Some(reports);
        self
    }

    /// The value of a variable.
    pub fn variable(&self, name: &str) -> Option<String> {
        (self.environment)(name)
    }
}

impl fmt::Debug for Surroundings {
    /// No value of the environment is ever shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings").field("root", &self.root).finish_non_exhaustive()
    }
}
