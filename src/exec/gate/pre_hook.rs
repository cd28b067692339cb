//! The embedder's callback before every tool may say no.

use super::{Entry, Refusal};
use crate::exec::collaborator::HookAnswer;
use crate::outcome::DenialReason;
use crate::tool::panic::catch;

pub(super) fn pass(entry: &Entry<'_>) -> Result<(), Refusal> {
    let asked = || entry.callbacks.pre_tool_use(entry.call, entry.manifest, entry.turn.scope());
    let (details, hint) = match catch(asked) {
        Ok(HookAnswer::Allow) => return Ok(()),
        Ok(HookAnswer::Deny { details, hint }) => (details, hint),
        // Whoever cannot say yes has not said it.
        Err(words) => {
            let hint = "this is a fault in the callback, not in the call: mend it".to_owned();
            (format!("the callback before tools panicked: {words}"), Some(hint))
        }
    };
    Err(Refusal::Denied { reason: DenialReason::PreHook, details, hint })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::rig::with_entry;
    use super::super::{denied, pass as pass_all};
    use super::*;
    use crate::call::Call;
    use crate::exec::Turn;
    use crate::exec::collaborator::Callbacks;
    use crate::manifest::ToolManifest;
    use crate::tool::CallScope;

    struct Says(Option<HookAnswer>);

    impl Callbacks for Says {
        fn pre_tool_use(&self, call: &Call, _: &ToolManifest, _: &CallScope) -> HookAnswer {
            // What the caller wrote, before it is made to fit.
            assert_eq!(call.arguments["a"], "1");
            self.0.clone().expect("an answer")
        }
    }

    #[track_caller]
    fn check(answer: Option<HookAnswer>, expected: Option<&str>) {
        let schema = json!({"properties": {"a": {"type": "integer"}}});
        let manifest = ToolManifest::new("echo", "", schema);
        let refusal = with_entry(manifest, json!({"a": "1"}), &Turn::default(), &Says(answer), |entry| {
            pass_all(entry).err()
        });
        assert_eq!(denied(refusal, DenialReason::PreHook).as_deref(), expected);
    }

    #[test]
    fn a14_the_callback_before_tools_decides_and_its_panic_is_a_no() {
        check(Some(HookAnswer::Allow), None);
        let no = HookAnswer::Deny { details: "not on a Sunday".into(), hint: Some("wait".into()) };
        check(Some(no), Some("not on a Sunday | wait"));
        let panicked = "the callback before tools panicked: an answer | \
                        this is a fault in the callback, not in the call: mend it";
        check(None, Some(panicked));
    }
}
