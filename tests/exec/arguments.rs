//! Which tool is meant, and whether its arguments fit.

use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};

use helve::diag::Code;
use helve::exec::{BoundedExecutor, Turn};
use helve::manifest::ToolManifest;
use helve::outcome::{DenialReason, ErrorCategory, Outcome};
use helve::tool::{CancelToken, Registry};
use serde_json::json;

use crate::rig::{Actor, Paused, Rig, call, failure};

#[tokio::test(start_paused = true)]
async fn an_unknown_tool_is_a_failure_that_names_the_one_that_was_meant() {
    let outcome = Rig::new().execute_in(&Turn::default(), call("acter", json!({})), CancelToken::new()).await;
    let expected = (ErrorCategory::Configuration, "there is no tool named `acter`", false);
    assert_eq!(failure(&outcome), expected);
    let Outcome::ToolFailure(it) = outcome else { unreachable!() };
    assert_eq!(it.suggestion.as_deref(), Some("Did you mean `actor`?"));
}

#[tokio::test(start_paused = true)]
async fn b06_arguments_are_coerced_or_refused_before_the_tool_starts() {
    let rig = Rig::new();
    let turn = Turn::default();
    let run = |arguments| rig.execute_in(&turn, call("actor", arguments), CancelToken::new());
    let outcome = run(json!({"act": "answer", "ms": "40"})).await;
    let Outcome::ToolExecutionResult(result) = outcome else { panic!("{outcome:?}") };
    assert!(result.was_coerced);
    assert_eq!(result.elapsed_ms, 40);
    let outcome = run(json!({"act": "answer"})).await;
    let Outcome::ToolExecutionResult(result) = outcome else { panic!("{outcome:?}") };
    assert!(!result.was_coerced);
    let outcome = run(json!({"ms": "soon"})).await;
    let Outcome::ToolDenied(denied) = outcome else { panic!("{outcome:?}") };
    assert_eq!(denied.reason, DenialReason::Validation);
    assert_eq!(rig.started(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_schema_that_is_none_is_found_when_the_executor_is_made() {
    let mut registry = Registry::new();
    for (name, schema) in [("bad", json!({"type": 7})), ("list", json!({"type": "array"}))] {
        let manifest = Arc::new(ToolManifest::new(name, "", schema));
        let (begun, _) = sync_channel(1);
        let path = PathBuf::new();
        let (started, late) = (AtomicUsize::new(0), Mutex::new(None));
        registry
            .add(Arc::new(Actor { manifest, clock: Paused::start(), started, path, late, begun }))
            .unwrap();
    }
    let faults = BoundedExecutor::new(Arc::new(registry), Paused::start()).err().unwrap();
    let told: Vec<_> = faults.iter().map(|fault| (fault.code, &*fault.message)).collect();
    assert_eq!(told.len(), 2);
    assert!(told.iter().all(|(code, _)| *code == Code::E0501));
    assert!(told[0].1.starts_with("the argument schema of tool `bad` cannot be used: at /type"), "{told:?}");
    assert!(told[1].1.contains("tool `list`"));
}
