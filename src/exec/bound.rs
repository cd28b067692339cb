//! How long a call may take, and who decides.
//!
//! The rule, in this order:
//!
//! 1. *Asked for*: the call's own override, else the user's setting for the tool, else the tool's
//!    manifest (which says 30 s when its author said nothing).
//! 2. *Capped*: a call may not ask for more than the turn's cap (45 s), unless the tool itself is
//!    made for longer. A tree or a model writes the override, so it is the override that is capped;
//!    the author of a slow tool and the user at the machine are taken at their word, or else a
//!    manifest's 1200 s could never be reached.
//! 3. *Budgeted*: never longer than what is left of the turn, but where the turn is the limit, at
//!    least 5 s, or all that was asked for when that is less: a call that was let in gets a chance.

use std::time::Duration;

use crate::call::Call;
use crate::exec::Turn;
use crate::limits::TOOL_TIMEOUT_MIN;
use crate::manifest::ToolManifest;
use crate::moment::Moment;

/// The time from `now` that `call` of the tool of `manifest` gets in `turn`.
pub(super) fn bound(call: &Call, manifest: &ToolManifest, turn: &Turn, now: Moment) -> Duration {
    let settings = turn.settings();
    let vouched = settings.timeouts.get(&manifest.name).copied().unwrap_or(manifest.timeout);
    let asked = call.timeout.unwrap_or(vouched).min(settings.timeout_cap.max(vouched));
    match turn.time_left(now) {
        Some(left) => asked.min(left.max(TOOL_TIMEOUT_MIN)),
        None => asked,
    }
}

#[cfg(test)]
mod tests {

    use serde_json::json;

    use super::*;
    use crate::call::Arguments;
    use crate::exec::TurnSettings;
    use crate::id::CallId;
    use crate::limits::TOOL_TIMEOUT_CAP;

    /// Seconds, each `None` for what was not said.
    #[derive(Default)]
    struct Row {
        call: Option<u64>,
        user: Option<u64>,
        manifest: Option<u64>,
        cap: Option<u64>,
        left: Option<u64>,
    }

    #[track_caller]
    fn check(row: Row, seconds: u64) {
        let mut manifest = ToolManifest::new("slow", "takes its time", json!({}));
        if let Some(said) = row.manifest {
            manifest = manifest.timeout(Duration::from_secs(said));
        }
        let settings = TurnSettings {
            deadline: row.left.map(|left| Moment::from_millis(1_000 + left * 1_000)),
            timeout_cap: row.cap.map_or(TOOL_TIMEOUT_CAP, Duration::from_secs),
            timeouts: row.user.map(|said| ("slow".into(), Duration::from_secs(said))).into_iter().collect(),
            ..TurnSettings::default()
        };
        let call = Call {
            timeout: row.call.map(Duration::from_secs),
            ..Call::new(CallId(1), "slow", Arguments::new())
        };
        let found = bound(&call, &manifest, &Turn::new(settings), Moment::from_millis(1_000));
        assert_eq!(found, Duration::from_secs(seconds));
    }

    #[test]
    fn e03_the_nearest_word_decides() {
        let row = Row::default;
        check(row(), 30);
        check(Row { manifest: Some(12), ..row() }, 12);
        check(Row { user: Some(20), manifest: Some(12), ..row() }, 20);
        check(Row { call: Some(3), user: Some(20), manifest: Some(12), ..row() }, 3);
    }

    #[test]
    fn a_call_is_capped_but_a_tool_made_for_longer_is_not() {
        let row = Row::default;
        check(Row { call: Some(100), ..row() }, 45);
        check(Row { call: Some(100), cap: Some(60), ..row() }, 60);
        check(Row { manifest: Some(1200), ..row() }, 1200);
        check(Row { call: Some(900), manifest: Some(1200), ..row() }, 900);
        check(Row { call: Some(9000), manifest: Some(1200), ..row() }, 1200);
        check(Row { user: Some(300), ..row() }, 300);
        check(Row { call: Some(250), user: Some(300), ..row() }, 250);
        check(Row { call: Some(500), user: Some(60), manifest: Some(1200), ..row() }, 60);
    }

    #[test]
    fn a01_a_nearly_spent_budget_leaves_five_seconds_and_never_lengthens() {
        let row = Row::default;
        check(Row { left: Some(100), ..row() }, 30);
        check(Row { left: Some(20), ..row() }, 20);
        check(Row { left: Some(1), ..row() }, 5);
        check(Row { left: Some(1), call: Some(2), ..row() }, 2);
        check(Row { left: Some(0), ..row() }, 5);
    }
}
