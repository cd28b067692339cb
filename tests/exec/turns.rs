//! One turn, shared by parallel branches: what it learns from its calls, and that they do not
//! corrupt it.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use helve::call::{Arguments, Call};
use helve::exec::{BoundedExecutor, Turn, TurnSettings};
use helve::id::CallId;
use helve::limits::TURN_RECORDS_MAX;
use helve::manifest::ToolManifest;
use helve::moment::Moment;
use helve::outcome::{DenialReason, Outcome};
use helve::run::RunClock;
use helve::tool::{CallContext, CancelToken, Registry, Tool, ToolError};
use serde_json::{Value as Json, json};

use crate::rig::{Rig, call};

#[track_caller]
fn denial(outcome: &Outcome) -> (DenialReason, &str) {
    match outcome {
        Outcome::ToolDenied(it) => (it.reason, &it.details),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a01_a_nearly_spent_turn_still_gives_a_call_five_seconds() {
    let rig = Rig::new();
    let deadline = Some(Moment::from_millis(1));
    let turn = Turn::new(TurnSettings { deadline, ..TurnSettings::default() });
    let outcome = rig.act(&turn, json!({"act": "ends_when_told"})).await;
    assert_eq!(outcome.elapsed_ms(), 5_000);
}

#[tokio::test(start_paused = true)]
async fn a01_no_call_takes_longer_than_the_cap() {
    let rig = Rig::new();
    let mut long = call("actor", json!({"act": "ends_when_told"}));
    long.timeout = Some(Duration::from_secs(600));
    let outcome = rig.execute_in(&Turn::default(), long, CancelToken::new()).await;
    assert_eq!(outcome.elapsed_ms(), 45_000);
}

#[tokio::test(start_paused = true)]
async fn b04_a_tool_that_failed_for_good_is_blocked_for_the_rest_of_its_turn() {
    let rig = Rig::new();
    let turn = Turn::default();
    assert!(rig.act(&turn, json!({"act": "panic"})).await.blocks_tool());
    let denied = rig.act(&turn, json!({"act": "answer"})).await;
    assert_eq!(denial(&denied).0, DenialReason::Blocked);
    assert_eq!(rig.started(), 1);
    assert!(rig.act(&Turn::default(), json!({"act": "answer"})).await.output().is_some(), "another turn");
    turn.unblock(&"actor".into());
    assert!(rig.act(&turn, json!({"act": "answer"})).await.output().is_some());
}

#[tokio::test(start_paused = true)]
async fn b04_what_is_not_the_tools_fault_does_not_block_it() {
    let rig = Rig::new();
    let turn = Turn::default();
    rig.act(&turn, json!({"act": "fail"})).await;
    rig.act(&turn, json!({"act": "no_such_act"})).await;
    rig.act(&turn, json!({"act": "hang"})).await;
    let cancel = CancelToken::new();
    let hanging = rig.execute_in(&turn, call("actor", json!({"act": "hang"})), cancel.clone());
    let cancelled = tokio::join!(hanging, async { cancel.cancel() }).0;
    assert!(cancelled.is_error() && !cancelled.is_retryable());
    assert!(!turn.is_blocked(&"actor".into()));
    // A tool that does not try again after a timeout, and one that answers late.
    for (act, ms, blocks) in [("hang", 0, true), ("hog", crate::rig::DEFAULT_MS + 1, true)] {
        let rig = Rig::with(|mut manifest| {
            manifest.retry_on_timeout = false;
            manifest
        });
        let turn = Turn::default();
        rig.act(&turn, json!({"act": act, "ms": ms})).await;
        assert_eq!(turn.is_blocked(&"actor".into()), blocks, "{act}");
    }
}

#[tokio::test(start_paused = true)]
async fn b05_an_idempotent_tool_answers_the_same_arguments_once_a_turn() {
    let rig = Rig::with(ToolManifest::idempotent);
    let turn = Turn::default();
    assert!(rig.act(&turn, json!({"act": "hang"})).await.is_error());
    assert!(rig.act(&turn, json!({"act": "hang"})).await.is_error(), "a failure may be tried again");
    assert!(rig.act(&turn, json!({"act": "answer", "ms": 1})).await.output().is_some());
    let denied = rig.act(&turn, json!({"ms": 1, "act": "answer"})).await;
    let details = "actor answered these arguments in this turn already, as call_1";
    assert_eq!(denial(&denied), (DenialReason::Duplicate, details));
    assert!(rig.act(&turn, json!({"act": "answer", "ms": 2})).await.output().is_some());
    assert_eq!(rig.started(), 4);
}

#[tokio::test(start_paused = true)]
async fn the_same_call_with_the_same_ending_is_stopped_as_a_loop() {
    let repeats_max = NonZeroU32::new(3);
    let settings = TurnSettings { repeats_max, ..TurnSettings::default() };
    let (rig, turn) = (Rig::new(), Turn::new(settings.clone()));
    for _ in 0..3 {
        assert!(rig.act(&turn, json!({"act": "fail"})).await.is_error());
    }
    let denied = rig.act(&turn, json!({"act": "fail"})).await;
    let details = "a loop: actor with these arguments ended the same way 3 times in a row";
    assert_eq!(denial(&denied), (DenialReason::Loop, details));
    assert!(rig.act(&turn, json!({"act": "answer"})).await.output().is_some(), "other arguments");
    let (polling, turn) = (Rig::with(ToolManifest::polls), Turn::new(settings));
    for _ in 0..10 {
        assert!(polling.act(&turn, json!({"act": "answer"})).await.output().is_some());
    }
}

#[tokio::test(start_paused = true)]
async fn the_turn_of_a_tree_lets_its_author_repeat_what_he_likes() {
    let rig = Rig::with(ToolManifest::idempotent);
    let turn = Turn::new(TurnSettings::authored());
    for act in ["panic", "answer", "answer", "answer"] {
        assert_ne!(rig.act(&turn, json!({"act": act})).await.kind(), "denied");
    }
    assert_eq!(rig.started(), 4);
}

#[tokio::test(start_paused = true)]
async fn a03_a_trace_is_open_while_its_call_is_under_way() {
    let rig = Arc::new(Rig::new());
    let turn = Turn::default();
    let under_way = {
        let (rig, turn) = (rig.clone(), turn.clone());
        tokio::spawn(async move { rig.act(&turn, json!({"act": "answer", "ms": 50})).await })
    };
    tokio::time::sleep(Duration::from_millis(10)).await;
    let traces = turn.traces();
    assert_eq!((traces.len(), traces[0].since, &*traces[0].caller), (1, Moment::ZERO, "root"));
    under_way.await.unwrap();
    assert_eq!(turn.traces(), []);
    // Nobody waits any more.
    let dropped =
        tokio::time::timeout(Duration::from_millis(5), rig.act(&turn, json!({"act": "hang"}))).await;
    assert!(dropped.is_err());
    assert_eq!(turn.traces(), []);
}

/// One tool whose ending its argument decides.
struct Roulette(Arc<ToolManifest>);

#[async_trait::async_trait]
impl Tool for Roulette {
    fn manifest(&self) -> &Arc<ToolManifest> {
        &self.0
    }

    async fn call(&self, arguments: &Arguments, _: &CallContext) -> Result<Json, ToolError> {
        let n = arguments["n"].as_u64().unwrap_or_default();
        for _ in 0..n % 4 {
            tokio::task::yield_now().await;
        }
        match n % 7 {
            0 => Err(ToolError::resource("missing")),
            1 => panic!("seven"),
            2 => std::future::pending().await,
            _ => Ok(json!(n)),
        }
    }
}

/// Real threads: 64 branches of 50 calls, some cancelled at once and some dropped.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a07_parallel_branches_share_a_turn_without_corrupting_it() {
    let (branches, calls) = (64, 50);
    let mut registry = Registry::new();
    let schema = json!({"properties": {"n": {"type": "integer"}}});
    for name in ["a", "b", "c"] {
        let manifest = ToolManifest::new(name, "", schema.clone()).idempotent();
        registry.add(Arc::new(Roulette(Arc::new(manifest)))).unwrap();
    }
    let executor = BoundedExecutor::new(Arc::new(registry), Arc::new(RunClock::start())).unwrap();
    let settings = TurnSettings { blocks_failed_tools: false, repeats_max: None, ..TurnSettings::default() };
    let turn = Turn::new(settings);
    let tasks: Vec<_> = (0..branches)
        .map(|branch| tokio::spawn(branch_of(executor.clone(), turn.clone(), branch, calls)))
        .collect();
    let mut kinds = std::collections::BTreeMap::<_, u64>::new();
    for task in tasks {
        for kind in task.await.unwrap() {
            *kinds.entry(kind).or_default() += 1;
        }
    }
    let outcomes: u64 = kinds.values().sum();
    let records = turn.records();
    assert_eq!(turn.traces(), [], "every place was given back");
    assert_eq!(records.latest.len(), TURN_RECORDS_MAX);
    assert_eq!(records.forgotten + TURN_RECORDS_MAX as u64, outcomes, "one record an outcome: {kinds:?}");
    // Each tool answered each argument at least once, and later on its repetition was denied.
    assert!(kinds["denied"] > 0 && kinds["failure"] > 0 && kinds["result"] > 0, "{kinds:?}");
    turn.end();
}

async fn branch_of(executor: BoundedExecutor, turn: Turn, branch: u64, calls: u64) -> Vec<&'static str> {
    let mut kinds = Vec::new();
    for n in 0..calls {
        let number = (branch * 31 + n * 17) % 97;
        let Json::Object(arguments) = json!({"n": number}) else { unreachable!() };
        let call =
            Call::new(CallId(branch * calls + n + 1), ["a", "b", "c"][(number % 3) as usize], arguments);
        let (call, cancel) = (Arc::new(call), CancelToken::new());
        let executed = executor.execute(&call, &turn, &cancel);
        if number % 7 != 2 {
            kinds.push(executed.await.kind());
        } else if n % 2 == 0 {
            // It hangs, and ends when it is told to, after the grace: dropped instead.
            drop(tokio::time::timeout(Duration::ZERO, executed).await);
        } else {
            cancel.cancel();
            kinds.push(executed.await.kind());
        }
    }
    kinds
}
