//! A tool that failed for good is not tried again in its turn.

use super::{Entry, Refusal};
use crate::outcome::DenialReason;

pub(super) fn pass(entry: &Entry<'_>) -> Result<(), Refusal> {
    let tool = &entry.manifest.name;
    if !entry.recollection().is_blocked {
        return Ok(());
    }
    Err(Refusal::Denied {
        reason: DenialReason::Blocked,
        details: format!("{tool} failed earlier in this turn, and trying again cannot help"),
        hint: Some("use another tool, or mend what it failed of and start another turn".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{denied, refusal_of};
    use super::*;
    use crate::exec::Turn;
    use crate::manifest::ToolManifest;

    #[track_caller]
    fn check(blocked: &str, unblocked: &str, expected: Option<&str>) {
        let turn = Turn::default();
        turn.block(blocked.into());
        turn.unblock(&unblocked.into());
        let found = refusal_of(ToolManifest::new("echo", "", json!({})), json!({}), &turn);
        assert_eq!(denied(found, DenialReason::Blocked).as_deref(), expected);
    }

    #[test]
    fn b04_a_blocked_tool_is_denied_and_no_other() {
        let told = "echo failed earlier in this turn, and trying again cannot help | \
                    use another tool, or mend what it failed of and start another turn";
        check("echo", "other", Some(told));
        check("other", "", None);
        check("echo", "echo", None);
    }
}
