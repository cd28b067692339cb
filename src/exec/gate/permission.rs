//! A turn that may only look runs no tool that changes something.

use super::{Entry, Refusal};
use crate::manifest::Effects;
use crate::outcome::DenialReason;
use crate::tool::PermissionMode;

pub(super) fn pass(entry: &Entry<'_>) -> Result<(), Refusal> {
    let (manifest, scope) = (entry.manifest, entry.turn.scope());
    if scope.permission != PermissionMode::ReadOnly || manifest.effects == Effects::ReadOnly {
        return Ok(());
    }
    let does = match manifest.effects {
        Effects::External => "speaks to something outside",
        Effects::Writes | Effects::ReadOnly => "writes",
    };
    Err(Refusal::Denied {
        reason: DenialReason::WriteDenied,
        details: format!("{} {does}, and this turn may only look", manifest.name),
        hint: Some("use a tool that only reads, or let the turn write".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{denied, refusal_of};
    use super::*;
    use crate::exec::{Turn, TurnSettings};
    use crate::manifest::ToolManifest;
    use crate::tool::CallScope;

    #[track_caller]
    fn check(permission: PermissionMode, effects: Effects, expected: Option<&str>) {
        let scope = CallScope { permission, ..CallScope::default() };
        let turn = Turn::new(TurnSettings { scope, ..TurnSettings::default() });
        let manifest = ToolManifest::new("edit", "", json!({})).effects(effects);
        let found = denied(refusal_of(manifest, json!({}), &turn), DenialReason::WriteDenied);
        assert_eq!(found.as_deref().map(|told| told.split(" | ").next().unwrap_or_default()), expected);
    }

    #[test]
    fn a_turn_that_may_only_look_denies_what_writes() {
        use Effects::{External, ReadOnly, Writes};
        check(PermissionMode::ReadOnly, ReadOnly, None);
        check(PermissionMode::ReadOnly, Writes, Some("edit writes, and this turn may only look"));
        let outside = "edit speaks to something outside, and this turn may only look";
        check(PermissionMode::ReadOnly, External, Some(outside));
        for effects in [ReadOnly, Writes, External] {
            check(PermissionMode::Ask, effects, None);
            check(PermissionMode::AllowWrites, effects, None);
        }
    }
}
