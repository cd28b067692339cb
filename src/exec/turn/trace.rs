//! A call under way, and the one answer to *may its result count?*
//!
//! ```text
//! Running --complete--> Completed   yes, once
//!         --time_out--> TimedOut    no, for ever
//!         --dropped---> gone        no
//! ```

use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::call::{Call, ToolName};
use crate::exec::Turn;
use crate::id::CallId;
use crate::moment::Moment;

/// The trace of one call. It is also the call's permit: however the call ends, by an answer, a
/// panic, its deadline, or because nobody waits any more, dropping this gives the place back.
pub(in crate::exec) struct Trace<'t> {
    turn: &'t Turn,
    place: usize,
    is_running: AtomicBool,
}

impl<'t> Trace<'t> {
    pub(super) const fn new(turn: &'t Turn, place: usize) -> Self {
        Self { turn, place, is_running: AtomicBool::new(true) }
    }

    /// Marks the call as timed out: from now on its result does not count.
    pub fn time_out(&self) {
        if self.complete() {
            self.turn.learnt().traces.time_out(self.place);
        }
    }

    /// Whether the result of the call counts. Yes once, and never after the deadline.
    pub fn complete(&self) -> bool {
        self.is_running.swap(false, Ordering::AcqRel)
    }

    pub const fn turn(&self) -> &'t Turn {
        self.turn
    }

    /// Gives the place back to those who hold the turn's lock already. What is answered is to be
    /// dropped outside of it: it may be the last that holds the call.
    pub(super) fn close(self, traces: &mut Traces) -> Option<Open> {
        traces.close(ManuallyDrop::new(self).place)
    }
}

impl Drop for Trace<'_> {
    fn drop(&mut self) {
        let closed = self.turn.learnt().traces.close(self.place);
        // Outside of the lock, as where it is closed under one.
        drop(closed);
    }
}

/// The calls of a turn that are under way, each at a place that is used again.
#[derive(Default)]
pub(super) struct Traces {
    // Numbers of the turn's own: two runs in one turn count their calls from 1 both.
    next: u64,
    places: Vec<Option<Open>>,
    free: Vec<usize>,
}

pub(super) struct Open {
    number: u64,
    call: Arc<Call>,
    since: Moment,
    is_timed_out: bool,
}

impl Traces {
    /// The place of one more; `None` when there are `max` already.
    pub fn open(&mut self, call: &Arc<Call>, since: Moment, max: usize) -> Option<usize> {
        if self.places.len() - self.free.len() >= max {
            return None;
        }
        self.next += 1;
        let open = Some(Open { number: self.next, call: call.clone(), since, is_timed_out: false });
        match self.free.pop() {
            Some(place) => {
                self.places[place] = open;
                Some(place)
            }
            None => {
                self.places.push(open);
                Some(self.places.len() - 1)
            }
        }
    }

    fn time_out(&mut self, place: usize) {
        if let Some(open) = &mut self.places[place] {
            open.is_timed_out = true;
        }
    }

    fn close(&mut self, place: usize) -> Option<Open> {
        self.free.push(place);
        self.places[place].take()
    }

    pub fn view(&self) -> Vec<TraceView> {
        let mut open: Vec<_> = self.places.iter().flatten().collect();
        open.sort_by_key(|open| open.number);
        let views = open.into_iter().map(|open| TraceView {
            call_id: open.call.id,
            tool: open.call.tool.clone(),
            caller: open.call.caller.clone(),
            since: open.since,
            is_timed_out: open.is_timed_out,
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
