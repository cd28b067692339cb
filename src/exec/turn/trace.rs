//! A call under way, and the one answer to *may its result count?*
//!
//! ```text
//! Running --complete--> Completed   yes, once
//!         --time_out--> TimedOut    no, for ever
//!         --dropped---> gone        no
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::call::{Call, ToolName};
use crate::exec::Turn;
use crate::id::CallId;
use crate::moment::Moment;

/// How a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TraceState {
    Running,
    Completed,
    TimedOut,
}

/// The trace of one call. It is also the call's permit: however the call ends, by an answer, a
/// panic, its deadline, or because nobody waits any more, dropping this gives the place back.
pub(in crate::exec) struct Trace {
    turn: Turn,
    id: u64,
}

impl Trace {
    pub(super) fn new(turn: Turn, id: u64) -> Self {
        Self { turn, id }
    }

    /// Marks the call as timed out: from now on its result does not count.
    pub fn time_out(&self) {
        self.turn.learnt().traces.shift(self.id, TraceState::TimedOut);
    }

    /// Whether the result of the call counts. Yes once, and never after the deadline.
    pub fn complete(&self) -> bool {
        self.turn.learnt().traces.shift(self.id, TraceState::Completed)
    }

    pub fn turn(&self) -> &Turn {
        &self.turn
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        self.turn.learnt().traces.close(self.id);
    }
}

/// The calls of a turn that are under way.
#[derive(Default)]
pub(super) struct Traces {
    // Numbers of the turn's own: two runs in one turn count their calls from 1 both.
    next: u64,
    open: BTreeMap<u64, Open>,
}

struct Open {
    call: Arc<Call>,
    since: Moment,
    state: TraceState,
}

impl Traces {
    pub fn open(&mut self, call: &Arc<Call>, since: Moment, max: usize) -> Option<u64> {
        if self.open.len() >= max {
            return None;
        }
        self.next += 1;
        self.open.insert(self.next, Open { call: call.clone(), since, state: TraceState::Running });
        Some(self.next)
    }

    /// Leaves *running* for another state; answers whether the call was running.
    fn shift(&mut self, id: u64, to: TraceState) -> bool {
        let Some(open) = self.open.get_mut(&id).filter(|open| open.state == TraceState::Running) else {
            return false;
        };
        open.state = to;
        true
    }

    fn close(&mut self, id: u64) {
        self.open.remove(&id);
    }

    pub fn view(&self) -> Vec<TraceView> {
        let views = self.open.values().map(|open| TraceView {
            call_id: open.call.id,
            tool: open.call.tool.clone(),
            caller: open.call.caller.clone(),
            since: open.since,
            is_timed_out: open.state == TraceState::TimedOut,
        });
        views.collect()
    }
}

/// A call that is under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceView {
    /// The call.
    pub call_id: CallId,
    /// Its tool.
    pub tool: ToolName,
    /// Who asked.
    pub caller: Arc<str>,
    /// When it was let in.
    pub since: Moment,
    /// Whether its deadline has passed, so that its result does not count any more.
    pub is_timed_out: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Arguments;
    use crate::exec::TurnSettings;

    fn call(id: u64) -> Arc<Call> {
        Arc::new(Call::new(CallId(id), "echo", Arguments::new()))
    }

    #[test]
    fn a03_a_trace_is_completed_once_and_never_after_it_was_timed_out() {
        let turn = Turn::default();
        let first = turn.open_trace(&call(1), Moment::ZERO).unwrap();
        assert!(first.complete());
        assert!(!first.complete(), "once");
        let second = turn.open_trace(&call(2), Moment::from_millis(3)).unwrap();
        second.time_out();
        assert!(turn.traces()[1].is_timed_out && !turn.traces()[0].is_timed_out);
        assert!(!second.complete(), "too late");
    }

    #[test]
    fn a_dropped_trace_gives_its_place_back() {
        let turn = Turn::new(TurnSettings { in_flight_max: 2, ..TurnSettings::default() });
        // Two runs in one turn may both have a call 1.
        let (first, second) =
            (turn.open_trace(&call(1), Moment::ZERO), turn.open_trace(&call(1), Moment::ZERO));
        assert!(first.is_some() && second.is_some());
        assert!(turn.open_trace(&call(3), Moment::ZERO).is_none());
        drop(first);
        assert_eq!(turn.traces().len(), 1);
        assert!(turn.open_trace(&call(3), Moment::ZERO).is_some());
    }
}
