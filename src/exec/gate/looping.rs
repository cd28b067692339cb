//! A call that ended the same way again and again will do so once more.

use super::{Entry, Refusal};
use crate::outcome::DenialReason;

pub(super) fn pass(entry: &Entry<'_>) -> Result<(), Refusal> {
    let Some(repeats_max) = entry.repeats_max() else { return Ok(()) };
    let memory = entry.recollection().memory;
    if memory.repeats < repeats_max {
        return Ok(());
    }
    let (tool, times) = (&entry.manifest.name, memory.repeats);
    Err(Refusal::Denied {
        reason: DenialReason::Loop,
        details: format!("a loop: {tool} with these arguments ended the same way {times} times in a row"),
        hint: Some(format!(
            "change the arguments or do something else; if {tool} is meant to be asked until its answer \
             changes, say `polls` in its manifest"
        )),
    })
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use serde_json::json;

    use super::super::rig::{call_of, ended};
    use super::super::{denied, refusal_of};
    use super::*;
    use crate::exec::{Turn, TurnSettings};
    use crate::limits::REPEATS_MAX;
    use crate::manifest::ToolManifest;

    /// After calls that ended so, one letter each: `+` well, `-` badly.
    #[track_caller]
    fn check(repeats_max: Option<u32>, polls: bool, endings: &str, told: Option<&str>) {
        let repeats_max = repeats_max.and_then(NonZeroU32::new);
        let turn = Turn::new(TurnSettings { repeats_max, ..TurnSettings::default() });
        let mut manifest = ToolManifest::new("look", "", json!({}));
        manifest.polls = polls;
        for ending in endings.chars() {
            ended(&turn, &call_of(&manifest, json!({})), ending == '+');
        }
        let found = denied(refusal_of(manifest, json!({}), &turn), DenialReason::Loop);
        assert_eq!(found.as_deref().map(|found| found.split(" | ").next().unwrap_or_default()), told);
    }

    #[test]
    fn the_same_call_with_the_same_ending_is_denied_as_a_loop() {
        let loops = Some("a loop: look with these arguments ended the same way 3 times in a row");
        check(Some(3), false, "++", None);
        check(Some(3), false, "+++", loops);
        check(Some(3), false, "---", loops);
        check(Some(3), false, "++-++", None);
        check(Some(3), true, "+++", None);
        check(None, false, "+++", None);
        check(Some(REPEATS_MAX), false, "+++", None);
    }
}
