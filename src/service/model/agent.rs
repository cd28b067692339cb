//! On whose behalf a request is made.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::tool::AgentContext;

/// On whose behalf a request is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentIdentity {
    /// The agent. Calls of one agent of one tenant share their places.
    pub agent_did: Arc<str>,
    /// The tenant that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<Arc<str>>,
    /// The session that it acts in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Arc<str>>,
    /// The sandbox that the call's own lies inside of: its limits are the most that a call gets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_sandbox_id: Option<Arc<str>>,
}

impl AgentIdentity {
    /// The agent of that name, of no tenant, in no session and no sandbox.
    pub fn new(agent_did: impl Into<Arc<str>>) -> Self {
        Self { agent_did: agent_did.into(), tenant_id: None, session_id: None, parent_sandbox_id: None }
    }

    /// The same agent, whose calls lie inside of this sandbox.
    #[must_use]
    pub fn inside(mut self, sandbox: impl Into<Arc<str>>) -> Self {
        self.parent_sandbox_id = Some(sandbox.into());
        self
    }

    /// What tools are told.
    pub(in crate::service) fn context(&self) -> AgentContext {
        AgentContext {
            agent: Some(self.agent_did.clone()),
            tenant: self.tenant_id.clone(),
            session: self.session_id.clone(),
            sandbox: self.parent_sandbox_id.clone(),
        }
    }
}
