//! A tool that answers with an error has failed, though it did not say so in Rust.
//!
//! `{"error": "no such host"}` and `{"status": "error", ...}` are how tools that speak JSON say
//! it. Their `category`, `suggestion` (or `hint`) and `retryable` are taken at their word; such an
//! error may be tried again unless it says otherwise.

use serde_json::Value as Json;

use crate::outcome::ErrorCategory;
use crate::tool::ToolError;

/// The error that an answer is; `None` for a result.
pub(super) fn find(answer: &Json) -> Option<ToolError> {
    let members = answer.as_object()?;
    let text = |name: &str| members.get(name).and_then(Json::as_str);
    let error = members.get("error").filter(|error| is_said(error));
    if error.is_none() && text("status") != Some("error") {
        return None;
    }
    let message = error.and_then(words).or_else(|| text("message").map(str::to_owned));
    let category = text("category").and_then(ErrorCategory::named).unwrap_or(ErrorCategory::Runtime);
    let retryable = members.get("retryable").and_then(Json::as_bool).unwrap_or(true);
    let found =
        ToolError::new(category, message.unwrap_or_else(|| "the tool answered with an error".to_owned()));
    let found = found.retryable(retryable);
    Some(match text("suggestion").or_else(|| text("hint")) {
        Some(suggestion) => found.suggest(suggestion),
        None => found,
    })
}

/// Whether a member named `error` says that there was one.
fn is_said(error: &Json) -> bool {
    match error {
        Json::Null | Json::Bool(false) => false,
        Json::String(text) => !text.is_empty(),
        Json::Array(items) => !items.is_empty(),
        Json::Object(members) => !members.is_empty(),
        Json::Bool(true) | Json::Number(_) => true,
    }
}

/// The error in words; `None` for `true`.
fn words(error: &Json) -> Option<String> {
    match error {
        Json::Bool(_) => None,
        Json::String(text) => Some(text.clone()),
        other => {
            Some(other.get("message").and_then(Json::as_str).map_or_else(|| other.to_string(), str::to_owned))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(answer: Json, expected: Option<&str>) {
        let found = find(&answer).map(|it| {
            let suggestion = it.suggestion().unwrap_or("-");
            format!("{}: {} ({suggestion}, {})", it.category(), it.message(), it.is_retryable())
        });
        assert_eq!(found.as_deref(), expected, "{answer}");
    }

    #[test]
    fn b01_an_answer_that_says_error_is_a_failure() {
        check(json!({"error": "no host"}), Some("runtime_error: no host (-, true)"));
        check(json!({"error": {"message": "no host", "code": 7}}), Some("runtime_error: no host (-, true)"));
        check(json!({"error": {"code": 7}}), Some("runtime_error: {\"code\":7} (-, true)"));
        check(json!({"error": 7}), Some("runtime_error: 7 (-, true)"));
        check(json!({"error": true, "message": "m"}), Some("runtime_error: m (-, true)"));
        check(json!({"status": "error", "message": "m"}), Some("runtime_error: m (-, true)"));
        check(json!({"status": "error"}), Some("runtime_error: the tool answered with an error (-, true)"));
        let whole = json!({"error": "e", "category": "network_error", "hint": "wait", "retryable": false});
        check(whole, Some("network_error: e (wait, false)"));
    }

    #[test]
    fn an_answer_that_only_has_room_for_an_error_is_none() {
        for quiet in [json!(null), json!(""), json!(false), json!([]), json!({})] {
            check(json!({"error": quiet, "rows": [1]}), None);
        }
        check(json!({"status": "ok"}), None);
        check(json!("error"), None);
        check(json!([{"error": "inside"}]), None);
        check(json!({"result": {"error": "inside"}}), None);
    }
}
