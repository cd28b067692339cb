//! A turn has so many places, and a call that is let in takes one.

use super::{Entry, Refusal};
use crate::exec::turn::Trace;
use crate::outcome::ErrorCategory;
use crate::tool::ToolError;

pub(super) fn pass<'a>(entry: &Entry<'a>) -> Result<Trace<'a>, Refusal> {
    entry.turn.open_trace(entry.call, entry.now).ok_or_else(|| {
        let message =
            format!("{} calls of this turn are under way already", entry.turn.settings().in_flight_max);
        let error = ToolError::new(ErrorCategory::Resource, message).retryable(true);
        Refusal::Failed(error.suggest("Wait for one of them to end, then call again."))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::rig::call_of;
    use super::super::{Refusal, refusal_of};
    use crate::exec::{Turn, TurnSettings};
    use crate::manifest::ToolManifest;
    use crate::moment::Moment;

    #[track_caller]
    fn check(in_flight_max: usize, in_flight: usize, passes: bool) {
        let turn = Turn::new(TurnSettings { in_flight_max, ..TurnSettings::default() });
        let manifest = ToolManifest::new("echo", "", json!({}));
        let call = call_of(&manifest, json!({}));
        let held: Vec<_> = (0..in_flight).map(|_| turn.open_trace(&call, Moment::ZERO)).collect();
        match refusal_of(manifest, json!({}), &turn) {
            None => assert!(passes),
            Some(Refusal::Failed(error)) => {
                assert!(!passes && error.is_retryable());
                assert_eq!(
                    error.message(),
                    format!("{in_flight_max} calls of this turn are under way already")
                );
            }
            Some(other) => panic!("{other:?}"),
        }
        assert_eq!(turn.traces().len(), held.len(), "a call that does not run takes no place");
    }

    #[test]
    fn a_full_turn_lets_nobody_in() {
        check(2, 0, true);
        check(2, 1, true);
        check(2, 2, false);
    }
}
