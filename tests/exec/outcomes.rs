//! The closed union of five, and what a model sees of each.

use std::sync::Arc;

use helve::id::CallId;
use helve::outcome::{
    DenialReason, ErrorCategory, Outcome, ToolArtifactReference, ToolDenied, ToolExecutionResult,
    ToolFailure, ToolTimeout,
};
use serde_json::{Value as Json, json};

use crate::rig::{Rig, failure};

fn result(output: Json, shown: Option<Json>) -> Outcome {
    Outcome::ToolExecutionResult(ToolExecutionResult {
        call_id: CallId(1),
        tool_name: "find".into(),
        output: Arc::new(output),
        shown: shown.map(Arc::new),
        elapsed_ms: 3,
        was_coerced: false,
    })
}

fn time_out(retryable: bool) -> Outcome {
    Outcome::ToolTimeout(ToolTimeout {
        call_id: CallId(1),
        tool_name: "find".into(),
        deadline_s: 2.5,
        elapsed_ms: 2_500,
        retryable,
    })
}

fn failed(category: ErrorCategory, retryable: bool) -> Outcome {
    Outcome::ToolFailure(ToolFailure {
        call_id: CallId(1),
        tool_name: "find".into(),
        error: "no \"host\"".into(),
        category,
        suggestion: Some("look elsewhere".into()),
        retryable,
        elapsed_ms: 3,
    })
}

fn denied(reason: DenialReason, details: &str, hint: Option<&str>) -> Outcome {
    Outcome::ToolDenied(ToolDenied {
        call_id: CallId(1),
        tool_name: "find".into(),
        reason,
        details: details.into(),
        hint: hint.map(str::to_owned),
    })
}

fn artifact() -> Outcome {
    Outcome::ToolArtifactReference(ToolArtifactReference {
        call_id: CallId(1),
        tool_name: "find".into(),
        artifact_id: "a1".into(),
        summary: "[1,2...".into(),
        size_bytes: 20_000,
        output: Arc::new(json!([1, 2])),
        elapsed_ms: 3,
    })
}

#[track_caller]
fn check(outcome: &Outcome, text: &str) {
    assert_eq!(outcome.to_model_content(), text);
}

#[test]
fn b03_a_model_sees_exactly_these_texts() {
    use DenialReason::{Blocked, Deadline, Duplicate, Loop, PreHook, Validation, WriteDenied};
    check(&result(json!({"a": [1, null], "b": "x"}), None), r#"{"a":[1,null],"b":"x"}"#);
    check(&result(json!([1, 2]), Some(json!({"output": [1]}))), r#"{"output":[1]}"#);
    let text = r#"{"status":"error","error":"find timed out after 2.5 s","timed_out":true,"retryable":true}"#;
    check(&time_out(true), text);
    let text = r#"{"status":"error","error":"no \"host\"","retryable":false}"#;
    check(&failed(ErrorCategory::Network, false), text);
    check(&denied(Duplicate, "d", Some("h")), r#"{"warning":"duplicate_tool_call","skipped":true}"#);
    check(&denied(Blocked, "d", Some("h")), r#"{"warning":"non_retryable_tool_failure","skipped":true}"#);
    let text = r#"{"error":"argument_validation_failed","details":"a: missing","hint":"find takes: a"}"#;
    check(&denied(Validation, "a: missing", Some("find takes: a")), text);
    let text = r#"{"error":"argument_validation_failed","details":"d","hint":"Correct the arguments and call again."}"#;
    check(&denied(Validation, "d", None), text);
    let text = r#"{"error":"Turn deadline expired; cannot execute tool.","timed_out":true}"#;
    check(&denied(Deadline, "d", Some("h")), text);
    for other in [PreHook, WriteDenied, Loop] {
        check(&denied(other, "not today", Some("h")), r#"{"error":"Blocked: not today","blocked":true}"#);
    }
    check(&denied(WriteDenied, "", None), r#"{"error":"Blocked: write_denied","blocked":true}"#);
    let hint = "The output has 20000 bytes; read artifact a1 for all of it.";
    check(&artifact(), &format!(r#"{{"artifact_reference":"a1","summary":"[1,2...","hint":"{hint}"}}"#));
}

#[test]
fn b02_reasons_have_their_names_on_the_wire() {
    use DenialReason::{Blocked, Deadline, Duplicate, Loop, PreHook, Validation, WriteDenied};
    let all = [Duplicate, Blocked, PreHook, Validation, Deadline, WriteDenied, Loop];
    let names = ["duplicate", "blocked", "pre_hook", "validation", "deadline", "write_denied", "loop"];
    assert_eq!(all.map(DenialReason::as_str), names);
    assert_eq!(all.map(|reason| serde_json::to_value(reason).unwrap()), names.map(Json::from));
}

#[test]
fn b04_what_is_an_error_may_be_retried_and_blocks_its_tool() {
    use ErrorCategory::{
        Api, Cancelled, Configuration, Network, Permission, Resource, Runtime, Timeout, UserInput,
    };
    let check = |outcome: &Outcome, is_error, is_retryable, blocks| {
        let found = (outcome.is_error(), outcome.is_retryable(), outcome.blocks_tool());
        assert_eq!(found, (is_error, is_retryable, blocks), "{outcome:?}");
    };
    check(&result(json!(1), None), false, false, false);
    check(&artifact(), false, false, false);
    check(&denied(DenialReason::Duplicate, "", None), false, false, false);
    check(&time_out(true), true, true, false);
    check(&time_out(false), true, false, true);
    for category in [Configuration, Timeout, Network, Api, Permission, Runtime] {
        check(&failed(category, true), true, true, false);
        check(&failed(category, false), true, false, true);
    }
    // Says something of the call, and nothing of its tool.
    for category in [Cancelled, UserInput, Resource] {
        check(&failed(category, false), true, false, false);
    }
}

#[tokio::test(start_paused = true)]
async fn b01_every_call_leaves_one_of_five() {
    let rig = Rig::new();
    let kinds = [
        rig.execute("answer", 0).await.kind(),
        rig.execute("hang", 0).await.kind(),
        rig.execute("fail", 0).await.kind(),
        rig.execute_in(
            &helve::exec::Turn::default(),
            crate::rig::call("actor", json!({})),
            Default::default(),
        )
        .await
        .kind(),
        rig.say(json!(vec!["x".repeat(2_900); 5])).await.kind(),
    ];
    assert_eq!(kinds, ["result", "timeout", "failure", "denied", "artifact"]);
}

#[tokio::test(start_paused = true)]
async fn b01_an_answer_that_is_an_error_is_a_failure() {
    let outcome = Rig::new().say(json!({"error": "no such host", "category": "network_error"})).await;
    assert_eq!(failure(&outcome), (ErrorCategory::Network, "no such host", true));
    let outcome = Rig::new().say(json!({"error": null, "rows": []})).await;
    assert!(outcome.output().is_some(), "{outcome:?}");
}
