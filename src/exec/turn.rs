//! What belongs to one planner turn.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::call::ToolName;
use crate::harness::Lease;
use crate::limits::TOOL_TIMEOUT_CAP;
use crate::moment::{Clock, Moment};

/// One turn. Clones are the same turn: parallel branches share it.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    settings: TurnSettings,
    // Every call's lease hangs under this one, so that ending the turn ends them all.
    lease: Lease,
}

/// What a turn is begun with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnSettings {
    /// When the turn's budget is spent, on the executor's clock; `None` for no budget.
    pub deadline: Option<Moment>,
    /// The longest that a call may ask for on its own account. A tool's manifest or the user's
    /// setting may exceed it: see the rule in `exec/bound.rs`.
    pub timeout_cap: Duration,
    /// Whether tools that are marked as web tools may run.
    pub web: WebMode,
    /// The user's own bounds on tools, which go before what the tools' manifests say.
    pub timeouts: BTreeMap<ToolName, Duration>,
}

/// Whether web tools may run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WebMode {
    /// They are refused.
    #[default]
    Off,
    /// They run.
    On,
}

impl Default for TurnSettings {
    fn default() -> Self {
        Self {
            deadline: None,
            timeout_cap: TOOL_TIMEOUT_CAP,
            web: WebMode::default(),
            timeouts: BTreeMap::new(),
        }
    }
}

impl Turn {
    /// A turn with these settings.
    pub fn new(settings: TurnSettings) -> Self {
        Self { shared: Arc::new(Shared { settings, lease: Lease::new() }) }
    }

    /// What the turn was begun with.
    pub fn settings(&self) -> &TurnSettings {
        &self.shared.settings
    }

    /// What is left of the budget; `None` for a turn without one.
    pub fn time_left(&self, now: Moment) -> Option<Duration> {
        self.settings().deadline.map(|deadline| deadline.since(now))
    }

    /// Ends the turn: no call of it starts any more and no effect of one lands. An effect that has
    /// begun is waited for. Calls under way still leave their outcomes.
    pub fn end(&self) {
        self.shared.lease.end();
    }

    /// Whether the turn goes on, so that its calls may change things.
    pub fn accepts_writes(&self) -> bool {
        self.shared.lease.is_alive()
    }

    /// The lease of a call of this turn that must end by `deadline`.
    pub(super) fn lease(&self, deadline: Moment, clock: &Arc<dyn Clock>) -> Lease {
        self.shared.lease.until(deadline, clock.clone())
    }
}
