//! What the sandboxes of agents may take: no call inside of one gets more.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::service::ResourceLimits;

/// Knows the sandboxes of agents.
pub trait Sandboxes: Send + Sync + 'static {
    /// What the sandbox of that name may take; `None` when there is none: then a request that names it
    /// is refused. Must not block.
    fn limits(&self, sandbox: &str) -> Option<ResourceLimits>;
}

/// Sandboxes that are known beforehand.
pub type FixedSandboxes = BTreeMap<Arc<str>, ResourceLimits>;

impl Sandboxes for FixedSandboxes {
    fn limits(&self, sandbox: &str) -> Option<ResourceLimits> {
        self.get(sandbox).copied()
    }
}
