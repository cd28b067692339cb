//! Web tools run in web mode only.

use super::{Entry, Refusal};
use crate::exec::WebMode;
use crate::outcome::ErrorCategory;
use crate::tool::ToolError;

pub(super) fn pass(entry: &Entry<'_>) -> Result<(), Refusal> {
    if !entry.manifest.web || entry.turn.settings().web == WebMode::On {
        return Ok(());
    }
    let message = format!("{} is disabled: web mode is off", entry.manifest.name);
    let error = ToolError::new(ErrorCategory::Configuration, message);
    Err(Refusal::Failed(
        error.suggest("Turn web mode on for the turn (`helve run --web`), or do without the web."),
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::refusal_of;
    use super::*;
    use crate::exec::{Turn, TurnSettings};
    use crate::manifest::ToolManifest;

    #[track_caller]
    fn check(marked: bool, web: WebMode, passes: bool) {
        let mut manifest = ToolManifest::new("web_search", "", json!({}));
        manifest.web = marked;
        let turn = Turn::new(TurnSettings { web, ..TurnSettings::default() });
        match refusal_of(manifest, json!({}), &turn) {
            None => assert!(passes),
            Some(Refusal::Failed(error)) => {
                assert!(!passes);
                assert_eq!(error.message(), "web_search is disabled: web mode is off");
            }
            Some(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn a08_a_web_tool_fails_with_web_mode_off() {
        check(false, WebMode::Off, true);
        check(false, WebMode::On, true);
        check(true, WebMode::On, true);
        check(true, WebMode::Off, false);
    }
}
