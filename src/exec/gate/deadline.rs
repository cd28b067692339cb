//! A turn whose time is up starts nothing.

use super::{Entry, Refusal};
use crate::outcome::DenialReason;

pub(super) fn pass(entry: &Entry<'_>) -> Result<(), Refusal> {
    let details = if !entry.turn.accepts_writes() {
        "the turn has ended"
    } else if entry.turn.time_left(entry.now).is_some_and(|left| left.is_zero()) {
        "the turn's time budget is spent"
    } else {
        return Ok(());
    };
    Err(Refusal::Denied {
        reason: DenialReason::Deadline,
        details: details.to_owned(),
        hint: Some("start another turn, or give this one a larger time budget".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::refusal_of;
    use super::*;
    use crate::exec::{Turn, TurnSettings};
    use crate::manifest::ToolManifest;
    use crate::moment::Moment;

    /// The gates are passed at 1,000 ms.
    #[track_caller]
    fn check(deadline_ms: Option<u64>, ended: bool, details: Option<&str>) {
        let deadline = deadline_ms.map(Moment::from_millis);
        let turn = Turn::new(TurnSettings { deadline, ..TurnSettings::default() });
        if ended {
            turn.end();
        }
        let found = refusal_of(ToolManifest::new("echo", "", json!({})), json!({}), &turn);
        let said = found.map(|refusal| match refusal {
            Refusal::Denied { reason: DenialReason::Deadline, details, .. } => details,
            other => panic!("{other:?}"),
        });
        assert_eq!(said.as_deref(), details);
    }

    #[test]
    fn a02_an_expired_budget_or_an_ended_turn_denies() {
        check(None, false, None);
        check(Some(1_001), false, None);
        check(Some(1_000), false, Some("the turn's time budget is spent"));
        check(Some(0), false, Some("the turn's time budget is spent"));
        check(None, true, Some("the turn has ended"));
    }
}
