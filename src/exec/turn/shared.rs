//! The turn: one thing that parallel branches share.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ahash::RandomState;

use crate::call::{Call, ToolName};
use crate::exec::TurnSettings;
use crate::exec::artifact::Pins;
use crate::exec::turn::ledger::{Ending, Ledger};
use crate::exec::turn::record::Recent;
use crate::exec::turn::trace::Traces;
use crate::exec::turn::{Fingerprint, Memory, Records, Trace, TraceView, TurnRecord};
use crate::harness::{Lease, LeaseLost};
use crate::moment::{Clock, Moment};
use crate::outcome::Outcome;
use crate::tool::{CallScope, TurnSide};

/// One turn. Clones are the same turn: parallel branches share it.
#[derive(Clone)]
pub struct Turn {
    shared: Arc<Shared>,
}

struct Shared {
    settings: TurnSettings,
    side: Arc<TurnSide>,
    pins: Arc<Pins>,
    /// What the hashes of calls and endings are keyed with.
    key: RandomState,
    // One std mutex over all that the turn learns: each look and each change is a few map steps,
    // nothing foreign runs and nothing is awaited under it.
    learnt: Mutex<Learnt>,
}

/// What a turn remembers of earlier calls when another one comes: one lock for all of it.
#[derive(Clone, Copy, Debug)]
pub(in crate::exec) struct Recollection {
    /// Whether the tool failed for good.
    pub is_blocked: bool,
    /// How the same call ended before.
    pub memory: Memory,
}

#[derive(Default)]
pub(super) struct Learnt {
    pub traces: Traces,
    blocked: BTreeSet<ToolName>,
    ledger: Ledger,
    recent: Recent,
}

impl Turn {
    /// A turn with these settings.
    pub fn new(settings: TurnSettings) -> Self {
        let pins = Arc::default();
        let side = TurnSide {
            scope: Arc::new(settings.scope.clone()),
            lease: Lease::new(),
            pins: Arc::downgrade(&pins),
        };
        let (key, learnt) = (RandomState::default(), Mutex::default());
        let shared = Shared { settings, side: Arc::new(side), pins, key, learnt };
        Self { shared: Arc::new(shared) }
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
        self.shared.side.lease.end();
    }

    /// Whether the turn goes on, so that its calls may change things.
    pub fn accepts_writes(&self) -> bool {
        self.shared.side.lease.is_alive()
    }

    /// Whether the tool failed for good earlier in the turn.
    pub fn is_blocked(&self, tool: &ToolName) -> bool {
        self.recall(tool, None).is_blocked
    }

    /// Denies the tool for the rest of the turn.
    pub fn block(&self, tool: ToolName) {
        self.learnt().blocked.insert(tool);
    }

    /// Lets a blocked tool run again: whoever mended what it failed of says so.
    pub fn unblock(&self, tool: &ToolName) {
        self.learnt().blocked.remove(tool);
    }

    /// The calls that are under way, in the order in which they started.
    pub fn traces(&self) -> Vec<TraceView> {
        self.learnt().traces.view()
    }

    /// The latest results, oldest first: what somebody who reflects on the turn reads.
    pub fn records(&self) -> Records {
        self.learnt().recent.view()
    }

    pub(in crate::exec) fn scope(&self) -> &Arc<CallScope> {
        &self.shared.side.scope
    }

    /// What each of its calls sees of it.
    pub(in crate::exec) fn side(&self) -> &Arc<TurnSide> {
        &self.shared.side
    }

    /// The artifacts that the turn's calls have stored: none is evicted before the turn is gone.
    pub(in crate::exec) fn pins(&self) -> &Arc<Pins> {
        &self.shared.pins
    }

    /// The lease of a call of this turn that must end by `deadline`.
    pub(in crate::exec) fn lease(&self, deadline: Moment, clock: &Arc<dyn Clock>) -> Lease {
        self.shared.side.lease.until(deadline, clock.clone())
    }

    /// Does what may happen only while the turn accepts writes: its end waits for it.
    pub(in crate::exec) fn write<T>(&self, effect: impl FnOnce() -> T) -> Result<T, LeaseLost> {
        self.shared.side.lease.commit(effect)
    }

    /// Opens the trace of a call; `None` when too many are under way.
    pub(in crate::exec) fn open_trace(&self, call: &Arc<Call>, now: Moment) -> Option<Trace<'_>> {
        let place = self.learnt().traces.open(call, now, self.settings().in_flight_max)?;
        Some(Trace::new(self, place))
    }

    /// What the turn remembers of this tool, and of this call with these arguments.
    pub(in crate::exec) fn recall(&self, tool: &ToolName, of: Option<Fingerprint>) -> Recollection {
        let learnt = self.learnt();
        let memory = of.map(|of| learnt.ledger.memory(of)).unwrap_or_default();
        Recollection { is_blocked: learnt.blocked.contains(tool), memory }
    }

    pub(in crate::exec) fn fingerprint(&self, call: &Call) -> Option<Fingerprint> {
        Fingerprint::of(&self.shared.key, call)
    }

    /// Learns from the outcome of a call, and closes the trace of one that was started: one lock for
    /// all of it.
    pub(in crate::exec) fn learn(
        &self,
        record: TurnRecord,
        of: Option<Fingerprint>,
        outcome: &Outcome,
        trace: Option<Trace<'_>>,
    ) {
        let learning = of.and_then(|of| Some((of, Ending::of(&self.shared.key, outcome)?)));
        let mut learnt = self.learnt();
        if self.settings().blocks_failed_tools && outcome.blocks_tool() {
            learnt.blocked.insert(outcome.tool_name().clone());
        }
        if let Some((fingerprint, ending)) = learning {
            learnt.ledger.learn(fingerprint, ending);
        }
        learnt.recent.push(record);
        let closed = trace.and_then(|trace| trace.close(&mut learnt.traces));
        drop(learnt);
        drop(closed);
    }

    pub(super) fn learnt(&self) -> MutexGuard<'_, Learnt> {
        self.shared.learnt.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Turn {
    /// A planner's turn.
    fn default() -> Self {
        Self::new(TurnSettings::default())
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("settings", self.settings())
            .field("accepts_writes", &self.accepts_writes())
            .finish_non_exhaustive()
    }
}
