//! The short record of each result, for whoever reflects on the turn.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::call::{Call, ToolName};
use crate::id::CallId;
use crate::limits::{RECORD_ERROR_CHARS_MAX, TURN_RECORDS_MAX};
use crate::moment::Moment;
use crate::outcome::Outcome;

/// How one call ended, without its arguments and its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnRecord {
    /// The call.
    pub call_id: CallId,
    /// Its tool.
    pub tool: ToolName,
    /// Who asked.
    pub caller: Arc<str>,
    /// When it ended.
    pub at: Moment,
    /// Milliseconds from its start.
    pub elapsed_ms: u64,
    /// The outcome's kind on the wire.
    pub kind: &'static str,
    /// What went wrong, cut to [`RECORD_ERROR_CHARS_MAX`] characters.
    pub error: Option<Arc<str>>,
}

impl TurnRecord {
    pub(in crate::exec) fn new(call: &Call, outcome: &Outcome, at: Moment) -> Self {
        Self {
            call_id: call.id,
            tool: call.tool.clone(),
            caller: call.caller.clone(),
            at,
            elapsed_ms: outcome.elapsed_ms(),
            kind: outcome.kind(),
            error: outcome.failure_text().map(|text| head(&text, RECORD_ERROR_CHARS_MAX).into()),
        }
    }
}

/// The first characters of a text.
fn head(text: &str, chars_max: usize) -> &str {
    text.char_indices().nth(chars_max).map_or(text, |(end, _)| &text[..end])
}

/// The latest records of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Records {
    /// How many older ones are forgotten.
    pub forgotten: u64,
    /// The latest ones, oldest first.
    pub latest: Vec<TurnRecord>,
}

#[derive(Default)]
pub(super) struct Recent {
    forgotten: u64,
    latest: VecDeque<TurnRecord>,
}

impl Recent {
    pub fn push(&mut self, record: TurnRecord) {
        if self.latest.len() >= TURN_RECORDS_MAX {
            self.latest.pop_front();
            self.forgotten += 1;
        }
        self.latest.push_back(record);
    }

    pub fn view(&self) -> Records {
        Records { forgotten: self.forgotten, latest: self.latest.iter().cloned().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Arguments;
    use crate::outcome::{ErrorCategory, ToolFailure};

    #[test]
    fn a13_a_record_is_light_and_the_oldest_are_forgotten() {
        let call = Call::new(CallId(1), "echo", Arguments::new());
        let outcome = Outcome::ToolFailure(ToolFailure {
            call_id: call.id,
            tool_name: call.tool.clone(),
            error: "ü".repeat(500),
            category: ErrorCategory::Runtime,
            suggestion: None,
            retryable: true,
            elapsed_ms: 7,
        });
        let mut recent = Recent::default();
        for at in 0..TURN_RECORDS_MAX as u64 + 3 {
            recent.push(TurnRecord::new(&call, &outcome, Moment::from_nanos(at)));
        }
        let records = recent.view();
        assert_eq!((records.forgotten, records.latest.len()), (3, TURN_RECORDS_MAX));
        assert_eq!((records.latest[0].at, records.latest[0].elapsed_ms), (Moment::from_nanos(3), 7));
        let error = records.latest[0].error.as_deref().map(|error| error.chars().count());
        assert_eq!(error, Some(RECORD_ERROR_CHARS_MAX));
    }
}
