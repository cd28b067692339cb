//! Whose call it is and what it may do: what a tool can know of the turn around it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::call::Arguments;
use crate::tool::Account;

/// What all calls of a turn share and every tool may see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallScope {
    /// On whose behalf.
    pub agent: AgentContext,
    /// What the calls may do to the world.
    pub permission: PermissionMode,
    /// Whatever else the embedder wants its tools to know, by name.
    pub metadata: Arguments,
    /// What the calls may take of the machine, and the book of what they took.
    pub account: Account,
}

/// On whose behalf a call is made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentContext {
    /// The agent.
    pub agent: Option<Arc<str>>,
    /// The tenant that it belongs to.
    pub tenant: Option<Arc<str>>,
    /// The session that it acts in.
    pub session: Option<Arc<str>>,
    /// The sandbox that the call's own must lie inside.
    pub sandbox: Option<Arc<str>>,
}

/// What the calls of a turn may do to the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PermissionMode {
    /// Look only: a tool that writes or speaks to the outside is denied.
    ReadOnly,
    /// Do what the tools do; a write that asks for confirmation goes to the approver.
    #[default]
    Ask,
    /// Do what the tools do, and take every confirmation as given.
    AllowWrites,
}

impl CallScope {
    /// What the embedder told under that name.
    pub fn metadata(&self, name: &str) -> Option<&Json> {
        self.metadata.get(name)
    }
}
