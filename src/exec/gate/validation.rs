//! Arguments fit the tool's schema, or are made to fit, or the call is refused.

use super::{Entry, Refusal};
use crate::exec::{ArgumentFault, Fitted};
use crate::limits::ARGUMENT_FAULTS_MAX;
use crate::outcome::DenialReason;

pub(super) fn pass(entry: &Entry<'_>) -> Result<Fitted, Refusal> {
    entry.schema.fit(&entry.call.arguments).map_err(|faults| Refusal::Denied {
        reason: DenialReason::Validation,
        details: details(&faults),
        hint: Some(entry.schema.hint(&entry.manifest.name)),
    })
}

fn details(faults: &[ArgumentFault]) -> String {
    let mut shown: Vec<String> = faults.iter().take(ARGUMENT_FAULTS_MAX).map(ToString::to_string).collect();
    if let Some(more) = faults.len().checked_sub(ARGUMENT_FAULTS_MAX).filter(|&more| more > 0) {
        shown.push(format!("and {more} more"));
    }
    shown.join("; ")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::super::refusal_of;
    use super::*;
    use crate::exec::Turn;
    use crate::manifest::ToolManifest;

    #[track_caller]
    fn check(arguments: Json, expected: Option<(&str, &str)>) {
        let schema = json!({
            "type": "object",
            "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "default": 20}},
            "required": ["query"],
        });
        let found = refusal_of(ToolManifest::new("search", "", schema), arguments, &Turn::default());
        let said = found.map(|refusal| match refusal {
            Refusal::Denied { reason: DenialReason::Validation, details, hint } => {
                (details, hint.unwrap_or_default())
            }
            other => panic!("{other:?}"),
        });
        assert_eq!(said.as_ref().map(|(details, hint)| (&**details, &**hint)), expected);
    }

    #[test]
    fn b06_a_denial_names_each_fault_and_what_the_tool_takes() {
        let hint = "search takes: limit (integer, 20 when left out), query (string)";
        check(json!({"query": "it"}), None);
        check(json!({"query": "it", "limit": "5"}), None);
        check(
            json!({"limit": "many"}),
            Some(("query: missing, wanted string; limit: wanted integer, given \"many\"", hint)),
        );
    }

    #[test]
    fn many_faults_are_counted_and_not_all_told() {
        let schema = json!({"additionalProperties": {"type": "integer"}});
        let arguments: Json = (0..30).map(|n| (format!("key{n}"), json!("x"))).collect();
        let found = refusal_of(ToolManifest::new("sum", "", schema), arguments, &Turn::default());
        let Some(Refusal::Denied { details, .. }) = found else { panic!("{found:?}") };
        assert!(details.ends_with("; and 10 more"), "{details}");
    }
}
