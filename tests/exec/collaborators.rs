//! Who the executor works with is told what happens, once, and can break nothing.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use helve::call::Call;
use helve::exec::{
    CallEntry, Callbacks, CheckpointStore, Collaborators, EventLog, HookAnswer, LaterChanges, NoCheckpoints,
    Turn, TurnSettings,
};
use helve::harness::Lease;
use helve::manifest::ToolManifest;
use helve::outcome::{DenialReason, Outcome};
use helve::tool::{AgentContext, CallScope, PermissionMode};
use serde_json::{Value as Json, json};
use tokio::time::sleep;

use crate::rig::Rig;

/// Writes everything down that it is told, and panics when it is told to.
#[derive(Clone, Default)]
struct Ear {
    heard: Arc<Mutex<Vec<String>>>,
    panics: bool,
}

impl Ear {
    fn hear(&self, what: String) {
        self.heard.lock().unwrap().push(what);
        assert!(!self.panics, "deaf");
    }

    fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }

    fn rig(&self) -> Rig {
        let (callbacks, event_log) = (Arc::new(self.clone()), Arc::new(self.clone()));
        Rig::new().working_with(Collaborators { callbacks, event_log, ..Collaborators::default() })
    }
}

impl Callbacks for Ear {
    fn pre_tool_use(&self, call: &Call, _: &ToolManifest, _: &CallScope) -> HookAnswer {
        if call.arguments.get("ms") == Some(&json!(666)) {
            return HookAnswer::Deny { details: "not that".into(), hint: None };
        }
        HookAnswer::Allow
    }

    fn tool_error(&self, _: &Call, outcome: &Outcome) {
        self.hear(format!("error {}", outcome.kind()));
    }
}

impl EventLog for Ear {
    fn log(&self, entry: &CallEntry<'_>) {
        let agent = entry.scope.agent.agent.as_deref().unwrap_or("nobody");
        self.hear(format!("{agent} {} {} {}", entry.call.tool, entry.at.as_millis(), entry.outcome.kind()));
    }
}

#[tokio::test(start_paused = true)]
async fn a13_every_call_leaves_one_entry_and_one_record() {
    let ear = Ear::default();
    let (rig, turn) = (ear.rig(), Turn::default());
    for act in ["answer", "fail", "hang"] {
        rig.act(&turn, json!({"act": act, "ms": 5})).await;
    }
    rig.act(&turn, json!({"act": "answer", "ms": 666})).await;
    let expected = [
        "nobody actor 0 result",
        "nobody actor 5 failure",
        "error failure",
        "nobody actor 5 timeout",
        "error timeout",
        "nobody actor 30505 denied",
    ];
    assert_eq!(ear.heard(), expected);
    let records = turn.records();
    let found: Vec<_> = records
        .latest
        .iter()
        .map(|it| (it.kind, it.elapsed_ms, it.error.as_deref().unwrap_or("-")))
        .collect();
    let expected = [
        ("result", 5, "-"),
        ("failure", 0, "no such file"),
        ("timeout", 30_500, "actor did not end within 30 s"),
        ("denied", 0, "denied (pre_hook): not that"),
    ];
    assert_eq!((records.forgotten, &found[..]), (0, &expected[..]));
}

#[tokio::test(start_paused = true)]
async fn a13_nothing_is_told_once_the_turn_accepts_no_writes() {
    let ear = Ear::default();
    let (rig, turn) = (ear.rig(), Turn::default());
    let ends = turn.clone();
    let outcome = tokio::join!(rig.act(&turn, json!({"act": "answer", "ms": 20})), async move {
        sleep(Duration::from_millis(10)).await;
        ends.end();
    });
    assert_eq!(outcome.0.kind(), "result", "the call still leaves its outcome");
    assert_eq!((ear.heard().len(), turn.records().latest.len()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a05_a_collaborator_that_panics_breaks_nothing() {
    let ear = Ear { panics: true, ..Ear::default() };
    let (rig, turn) = (ear.rig(), Turn::default());
    assert_eq!(rig.act(&turn, json!({"act": "answer"})).await.kind(), "result");
    assert_eq!(rig.act(&turn, json!({"act": "fail"})).await.kind(), "failure");
    assert_eq!(ear.heard().len(), 3);
    assert!(turn.accepts_writes() && turn.traces().is_empty());
    turn.end();
}

#[tokio::test(start_paused = true)]
async fn a14_the_callback_before_tools_denies_a_call() {
    let rig = Ear::default().rig();
    let outcome = rig.act(&Turn::default(), json!({"act": "answer", "ms": 666})).await;
    let Outcome::ToolDenied(denied) = outcome else { panic!("{outcome:?}") };
    assert_eq!((denied.reason, &*denied.details, rig.started()), (DenialReason::PreHook, "not that", 0));
}

#[tokio::test(start_paused = true)]
async fn a14_a_tool_knows_its_agent_and_what_the_embedder_tells() {
    let Json::Object(metadata) = json!({"colour": "red", "shape": "round"}) else { unreachable!() };
    let rig = Rig::new().working_with(Collaborators { metadata, ..Collaborators::default() });
    let Json::Object(metadata) = json!({"colour": "blue"}) else { unreachable!() };
    let agent = AgentContext { agent: Some("oracle".into()), ..AgentContext::default() };
    let scope =
        CallScope { agent, permission: PermissionMode::AllowWrites, metadata, ..CallScope::default() };
    let turn = Turn::new(TurnSettings { scope, ..TurnSettings::default() });
    let known = |outcome: Outcome| outcome.output().map(|output| (**output).clone());
    let expected = json!(["oracle", "blue", "round", "allow_writes"]);
    assert_eq!(known(rig.act(&turn, json!({"act": "know"})).await), Some(expected));
    let expected = json!([null, "red", "round", "ask"]);
    assert_eq!(known(rig.act(&Turn::default(), json!({"act": "know"})).await), Some(expected));
}

#[tokio::test(start_paused = true)]
async fn a14_without_collaborators_what_wants_a_yes_is_denied_and_nothing_is_kept() {
    let rig = Rig::with(ToolManifest::confirms);
    let outcome = rig.act(&Turn::default(), json!({"act": "answer"})).await;
    let Outcome::ToolDenied(denied) = outcome else { panic!("{outcome:?}") };
    let details = "not allowed by the executor, which has no approver: nobody is there who could say yes";
    assert_eq!((denied.reason, &*denied.details), (DenialReason::WriteDenied, details));
    assert_eq!(rig.started(), 0);
    assert_eq!(NoCheckpoints.list().await, Ok(vec![]));
    let missing = helve::exec::CheckpointId("c1".into());
    let error = NoCheckpoints.restore(&missing, LaterChanges::Keep, &Lease::new()).await.unwrap_err();
    assert_eq!(error.to_string(), "there is no checkpoint `c1`: none are kept");
}
