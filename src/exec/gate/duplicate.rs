//! An idempotent tool is not asked again what it has answered already.

use super::{Entry, Refusal};
use crate::outcome::DenialReason;

pub(super) fn pass(entry: &Entry<'_>) -> Result<(), Refusal> {
    if !entry.is_replay_controlled() {
        return Ok(());
    }
    let memory = entry.recollection().memory;
    let Some(earlier) = memory.succeeded else { return Ok(()) };
    Err(Refusal::Denied {
        reason: DenialReason::Duplicate,
        details: format!(
            "{} answered these arguments in this turn already, as {earlier}",
            entry.manifest.name
        ),
        hint: Some(format!("use the result of {earlier}, or change the arguments")),
    })
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use serde_json::{Value as Json, json};

    use super::super::rig::{call_of, ended};
    use super::super::{denied, refusal_of};
    use super::*;
    use crate::exec::{Turn, TurnSettings};
    use crate::manifest::ToolManifest;

    /// After the call `{"a": 1}` ended well or badly.
    #[track_caller]
    fn check(settings: TurnSettings, idempotent: bool, went_well: bool, then: Json, is_denied: bool) {
        let turn = Turn::new(settings);
        let mut manifest = ToolManifest::new("find", "", json!({}));
        manifest.idempotent = idempotent;
        ended(&turn, &call_of(&manifest, json!({"a": 1})), went_well);
        let found = denied(refusal_of(manifest, then, &turn), DenialReason::Duplicate);
        let told = "find answered these arguments in this turn already, as call_1 | \
                    use the result of call_1, or change the arguments";
        assert_eq!(found.as_deref(), is_denied.then_some(told));
    }

    #[test]
    fn b05_only_an_idempotent_tool_that_succeeded_with_the_same_arguments_is_denied() {
        let same = || json!({"a": 1});
        check(TurnSettings::default(), true, true, same(), true);
        check(TurnSettings::default(), true, true, json!({"a": 2}), false);
        check(TurnSettings::default(), true, false, same(), false);
        check(TurnSettings::default(), false, true, same(), false);
        check(TurnSettings::authored(), true, true, same(), false);
        let lenient = TurnSettings { denies_duplicates: false, ..TurnSettings::default() };
        check(lenient, true, true, same(), false);
        let repeats_max = NonZeroU32::new(1);
        let strict = TurnSettings { repeats_max, ..TurnSettings::default() };
        check(strict, true, true, same(), true);
    }
}
