//! What the rules and the turn's mode make of a call.

use std::sync::Arc;

use crate::call::Arguments;
use crate::exec::Turn;
use crate::exec::collaborator::{Collaborators, DecidedBy, Decision};
use crate::exec::gate::Refusal;
use crate::manifest::{Effects, ToolManifest};
use crate::outcome::DenialReason;
use crate::tool::PermissionMode;
use crate::tool::panic::catch;

/// Why a call is not simply run.
#[derive(Debug, PartialEq)]
pub(in crate::exec) enum Care {
    /// Its files are kept.
    Keep {
        /// Who lets it run.
        by: Arc<str>,
        because: DecidedBy,
    },
    /// It runs when somebody has said yes.
    Ask { because: DecidedBy },
}

impl Care {
    /// What the rules said.
    pub fn because(&self) -> DecidedBy {
        let (Self::Keep { because, .. } | Self::Ask { because }) = self;
        because.clone()
    }
}

/// How a call is to be treated, `None` when it is simply run; a refusal for one that may not run.
///
/// A turn that takes confirmations as given turns a question into a yes and never a denial: that a
/// call must not run at all is no question.
pub(in crate::exec) fn care(
    with: &Collaborators,
    turn: &Turn,
    manifest: &ToolManifest,
    arguments: &Arguments,
) -> Result<Option<Care>, Refusal> {
    let decision = match catch(|| with.permissions.decide(manifest, arguments)) {
        Ok(decision) => decision,
        Err(words) => return Err(broken(&words)),
    };
    let keeps = manifest.effects == Effects::Writes && with.checkpoints.keeps();
    let allows = turn.scope().permission == PermissionMode::AllowWrites;
    match decision {
        Decision::Deny { by, why } => Err(Refusal::Denied {
            reason: DenialReason::WriteDenied,
            details: match why {
                Some(why) => format!("{} is denied by {by}: {why}", manifest.name),
                None => format!("{} is denied by {by}", manifest.name),
            },
            hint: Some("call with other arguments, or have the rule changed".to_owned()),
        }),
        Decision::Ask(because) if !allows => Ok(Some(Care::Ask { because })),
        Decision::Allow(_) | Decision::Ask(_) if !keeps => Ok(None),
        Decision::Allow(because) => Ok(Some(Care::Keep { by: because.to_string().into(), because })),
        Decision::Ask(because) => {
            Ok(Some(Care::Keep { by: "the turn, which allows writes".into(), because }))
        }
    }
}

/// Whoever cannot say yes has not said it.
fn broken(words: &str) -> Refusal {
    Refusal::Denied {
        reason: DenialReason::WriteDenied,
        details: format!("the rules of permissions panicked: {words}"),
        hint: Some("this is a fault in the rules, not in the call: mend it".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::exec::TurnSettings;
    use crate::exec::collaborator::Permissions;
    use crate::tool::CallScope;

    struct Says(Option<Decision>);

    impl Permissions for Says {
        fn decide(&self, _: &ToolManifest, _: &Arguments) -> Decision {
            self.0.clone().expect("a decision")
        }
    }

    #[track_caller]
    fn check(says: Option<Decision>, permission: PermissionMode, expected: &str) {
        let scope = CallScope { permission, ..CallScope::default() };
        let turn = Turn::new(TurnSettings { scope, ..TurnSettings::default() });
        let with = Collaborators { permissions: Arc::new(Says(says)), ..Collaborators::default() };
        let manifest = ToolManifest::new("edit", "", json!({})).effects(Effects::Writes);
        let found = match care(&with, &turn, &manifest, &Arguments::new()) {
            Ok(None) => "runs".to_owned(),
            Ok(Some(Care::Keep { .. })) => "keeps".to_owned(),
            Ok(Some(Care::Ask { .. })) => "asks".to_owned(),
            Err(Refusal::Denied { reason: DenialReason::WriteDenied, details, .. }) => details,
            Err(other) => panic!("{other:?}"),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn a09_the_mode_of_the_turn_answers_a_question_and_no_denial() {
        use PermissionMode::{AllowWrites, Ask};
        let by = || DecidedBy::Rule("rule 1".into());
        for (mode, asked) in [(Ask, "asks"), (AllowWrites, "runs")] {
            check(Some(Decision::Allow(by())), mode, "runs");
            check(Some(Decision::Ask(by())), mode, asked);
            check(Some(Decision::Deny { by: by(), why: None }), mode, "edit is denied by rule 1");
            let why = Some("not on a Sunday".into());
            check(Some(Decision::Deny { by: by(), why }), mode, "edit is denied by rule 1: not on a Sunday");
            check(None, mode, "the rules of permissions panicked: a decision");
        }
    }
}
