//! What a turn is begun with.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use crate::call::ToolName;
use crate::limits::{REPEATS_MAX, TOOL_TIMEOUT_CAP, TURN_CALLS_IN_FLIGHT_MAX};
use crate::moment::Moment;
use crate::tool::CallScope;

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
    /// On whose behalf the calls are made and what they may do.
    pub scope: CallScope,
    /// Most calls of the turn that are under way at once.
    pub in_flight_max: usize,
    /// Whether a tool that failed for good is denied for the rest of the turn.
    pub blocks_failed_tools: bool,
    /// Whether an idempotent tool that succeeded is denied a second call with the same arguments.
    pub denies_duplicates: bool,
    /// How often one call may end the same way before the next such call is denied; `None` for as
    /// often as it likes.
    pub repeats_max: Option<NonZeroU32>,
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
    /// A planner's turn: what calls next is a model, and it is kept from going round in circles.
    fn default() -> Self {
        Self {
            deadline: None,
            timeout_cap: TOOL_TIMEOUT_CAP,
            web: WebMode::default(),
            timeouts: BTreeMap::new(),
            scope: CallScope::default(),
            in_flight_max: TURN_CALLS_IN_FLIGHT_MAX,
            blocks_failed_tools: true,
            denies_duplicates: true,
            repeats_max: NonZeroU32::new(REPEATS_MAX),
        }
    }
}

impl TurnSettings {
    /// A turn whose calls come from a tree alone. A `Repeat` or a `Retry` in it was written down,
    /// checked and bounded by its author: to deny the second reading of one file, or the retry of
    /// a tool that failed, would change what the tree means.
    pub fn authored() -> Self {
        Self { blocks_failed_tools: false, denies_duplicates: false, repeats_max: None, ..Self::default() }
    }
}
