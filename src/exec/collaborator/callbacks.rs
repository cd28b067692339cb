//! Who is asked before a tool runs and told when one fails.

use crate::call::Call;
use crate::manifest::ToolManifest;
use crate::outcome::Outcome;
use crate::tool::CallScope;

/// The embedder's own word on calls. It is asked in the executor's own task, so it must not block;
/// should it panic, the call is denied.
pub trait Callbacks: Send + Sync + 'static {
    /// Asked before the arguments are validated: what the caller wrote, as it was written.
    fn pre_tool_use(&self, call: &Call, manifest: &ToolManifest, scope: &CallScope) -> HookAnswer {
        let _ = (call, manifest, scope);
        HookAnswer::Allow
    }

    /// Told of a call that ran and ended in a failure or a timeout.
    fn tool_error(&self, call: &Call, outcome: &Outcome) {
        let _ = (call, outcome);
    }
}

/// What the callback before a tool says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum HookAnswer {
    /// The call goes on.
    Allow,
    /// The call is denied.
    Deny {
        /// Why.
        details: String,
        /// What to do next.
        hint: Option<String>,
    },
}

/// Allows everything and hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCallbacks;

impl Callbacks for NoCallbacks {}
