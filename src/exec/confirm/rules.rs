//! What the rules and the turn's mode make of a call.

use std::sync::Arc;

use crate::call::{Arguments, Call};
use crate::exec::Turn;
use crate::exec::collaborator::{Collaborators, DecidedBy, Decision};
use crate::exec::gate::Refusal;
use crate::manifest::{Effects, ToolManifest};
use crate::outcome::DenialReason;
use crate::tool::panic::{catch, task_error};
use crate::tool::{FileChange, PermissionMode, Preview};

/// Why a call is not simply run.
#[derive(Debug, PartialEq)]
pub(in crate::exec) enum Care {
    /// The rules have to see first which files it would write.
    Look,
    Treat(Treatment),
}

/// How a call is treated.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::exec) enum Treatment {
    /// Its files are kept.
    Keep {
        /// Who lets it run.
        by: Arc<str>,
        because: DecidedBy,
    },
    /// It runs when somebody has said yes.
    Ask { because: DecidedBy },
}

impl Treatment {
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
    let writes = manifest.effects == Effects::Writes;
    if writes && !matches!(decision, Decision::Deny { .. }) {
        let looks = catch(|| with.permissions.looks_at_files(manifest, arguments));
        if looks.map_err(|words| broken(&words))? {
            return Ok(Some(Care::Look));
        }
    }
    let keeps = writes && with.checkpoints.keeps();
    let runs = match &decision {
        Decision::Allow(_) => true,
        Decision::Ask(_) => allows_writes(turn),
        Decision::Deny { .. } => false,
    };
    // Most calls: nothing is asked, nothing is kept, and nothing is said of why.
    if runs && !keeps {
        return Ok(None);
    }
    treatment(turn, manifest, decision).map(|treatment| Some(Care::Treat(treatment)))
}

fn allows_writes(turn: &Turn) -> bool {
    turn.scope().permission == PermissionMode::AllowWrites
}

/// The same for a call whose files the rules want to see.
pub(super) async fn judge(
    with: &Collaborators,
    turn: &Turn,
    manifest: &Arc<ToolManifest>,
    call: &Arc<Call>,
    preview: Option<&Preview>,
) -> Result<Treatment, Refusal> {
    let files: Option<Vec<_>> = preview.map(|it| it.changes.iter().map(FileChange::file).collect());
    let (rules, tool, called) = (with.permissions.clone(), manifest.clone(), call.clone());
    let decide = move || rules.decide_files(&tool, &called.arguments, files.as_deref());
    let decided = tokio::task::spawn_blocking(decide).await;
    let decision = decided.map_err(|fault| broken(task_error(fault).message()))?;
    treatment(turn, manifest, decision)
}

fn treatment(turn: &Turn, manifest: &ToolManifest, decision: Decision) -> Result<Treatment, Refusal> {
    match decision {
        Decision::Deny { by, why } => Err(Refusal::Denied {
            reason: DenialReason::WriteDenied,
            details: match why {
                Some(why) => format!("{} is denied by {by}: {why}", manifest.name),
                None => format!("{} is denied by {by}", manifest.name),
            },
            hint: Some("call with other arguments, or have the rule changed".to_owned()),
        }),
        Decision::Ask(because) if !allows_writes(turn) => Ok(Treatment::Ask { because }),
        Decision::Allow(because) => Ok(Treatment::Keep { by: because.to_string().into(), because }),
        Decision::Ask(because) => Ok(Treatment::Keep { by: "the turn, which allows writes".into(), because }),
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
            Ok(Some(Care::Look)) => "looks".to_owned(),
            Ok(Some(Care::Treat(Treatment::Keep { .. }))) => "keeps".to_owned(),
            Ok(Some(Care::Treat(Treatment::Ask { .. }))) => "asks".to_owned(),
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
