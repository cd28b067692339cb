//! A call ends by its deadline, and nothing of it lands afterwards.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use helve::exec::{Turn, TurnSettings};
use helve::limits::{STOP_GRACE, TOOL_TIMEOUT_DEFAULT};
use helve::moment::Moment;
use helve::outcome::{DenialReason, ErrorCategory, Outcome};
use helve::tool::CancelToken;
use serde_json::json;
use tokio::time::advance;

use crate::rig::{DEFAULT_MS, Rig, call, failure, pass_deadline, time_out, until_begun};

const GRACE_MS: u64 = STOP_GRACE.as_millis() as u64;

#[tokio::test(start_paused = true)]
async fn a_tool_that_answers_leaves_its_output_and_the_time_it_took() {
    let rig = Rig::new();
    let outcome = rig.execute("answer", 250).await;
    assert_eq!(outcome.output().map(|output| &**output), Some(&json!({"done": "answer"})));
    assert_eq!(outcome.elapsed_ms(), 250);
    rig.assert_no_task_is_left().await;
}

#[tokio::test(start_paused = true)]
async fn a_tools_error_is_a_failure_with_its_category_and_next_step() {
    let outcome = Rig::new().execute("fail", 0).await;
    assert_eq!(failure(&outcome), (ErrorCategory::Resource, "no such file", false));
    let Outcome::ToolFailure(it) = outcome else { unreachable!() };
    assert_eq!(it.suggestion.as_deref(), Some("look elsewhere"));
}

#[tokio::test(start_paused = true)]
async fn a02_an_expired_budget_denies_before_anything_starts() {
    let rig = Rig::new();
    let turn = Turn::new(TurnSettings { deadline: Some(Moment::ZERO), ..TurnSettings::default() });
    let outcome = rig.execute_in(&turn, call("actor", json!({"act": "answer"})), CancelToken::new()).await;
    let Outcome::ToolDenied(denied) = outcome else { panic!("{outcome:?}") };
    assert_eq!(denied.reason, DenialReason::Deadline);
    assert_eq!(rig.started(), 0);
}

#[tokio::test(start_paused = true)]
async fn a03_the_deadline_ends_a_tool_that_hangs() {
    for retry in [true, false] {
        let rig = Rig::with(|mut manifest| {
            manifest.retry_on_timeout = retry;
            manifest
        });
        let outcome = rig.execute("hang", 0).await;
        assert_eq!(time_out(&outcome), (30.0, DEFAULT_MS + GRACE_MS, retry), "deaf to its token");
        rig.assert_no_task_is_left().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a03_the_outcome_waits_for_the_end_of_the_work_and_no_longer() {
    for (act, ms, waited_ms) in [
        ("ends_when_told", 0, 0),
        ("winds_down", 40, 40),
        ("winds_down", 9_000, GRACE_MS),
        ("hang", 0, GRACE_MS),
    ] {
        let rig = Rig::new();
        let outcome = rig.execute(act, ms).await;
        assert_eq!(time_out(&outcome), (30.0, DEFAULT_MS + waited_ms, true), "{act}");
        assert_eq!(rig.actor.unwound.load(Ordering::SeqCst), waited_ms == 40, "{act}");
        rig.assert_no_task_is_left().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a03_a_call_shows_as_timed_out_while_its_tool_is_given_grace() {
    let (rig, turn) = (Rig::new(), Turn::default());
    let calling = rig.execute_in(&turn, call("actor", json!({"act": "hang"})), CancelToken::new());
    let looking = async {
        tokio::time::sleep(TOOL_TIMEOUT_DEFAULT + STOP_GRACE / 2).await;
        turn.traces()
    };
    let (outcome, traces) = tokio::join!(calling, looking);
    assert!(traces.len() == 1 && traces[0].is_timed_out, "{traces:?}");
    assert!(outcome.is_error() && turn.traces().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a04_a_late_write_from_a_thread_lands_nowhere() {
    let rig = Arc::new(Rig::new());
    let (turn, cancel) = (Turn::default(), CancelToken::new());
    let call = Arc::new(call("actor", json!({"act": "write_late"})));
    let executor = rig.executor.clone();
    let under_way = tokio::spawn(async move { executor.execute(&call, &turn, &cancel).await });
    until_begun(&rig).await;
    pass_deadline(TOOL_TIMEOUT_DEFAULT).await;
    assert_eq!(time_out(&under_way.await.unwrap()), (30.0, DEFAULT_MS + GRACE_MS, true));
    rig.let_it_write_late();
}

#[tokio::test(start_paused = true)]
async fn an_effect_that_has_begun_is_waited_for_and_holds_up_nobody_else() {
    // The first is overdue while its effect is under way, the second has answered.
    for (act, ms) in [("effect", DEFAULT_MS), ("effect_behind", 10)] {
        let rig = Arc::new(Rig::new());
        let waiting = {
            let rig = rig.clone();
            tokio::spawn(async move { (rig.execute(act, ms).await, rig.note()) })
        };
        until_begun(&rig).await;
        advance(Duration::from_millis(ms + 1)).await;
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert!(!waiting.is_finished(), "{act}: its effect is still to land");
        rig.release.send(()).unwrap();
        let (outcome, note) = waiting.await.unwrap();
        assert_eq!((outcome.is_error(), &*note), (act == "effect", "after"));
    }
}

#[tokio::test(start_paused = true)]
async fn a04_a_thread_left_behind_by_a_finished_call_writes_nothing() {
    let rig = Rig::new();
    assert!(rig.execute("write_behind", 0).await.output().is_some());
    rig.let_it_write_late();
}

#[tokio::test(start_paused = true)]
async fn a04_a_late_answer_changes_nothing_and_is_not_tried_again() {
    let rig = Rig::new();
    // The tool keeps the executor's own thread until past the deadline.
    let outcome = rig.execute("hog", DEFAULT_MS + 1).await;
    assert_eq!(time_out(&outcome), (30.0, DEFAULT_MS + 1, false));
}

#[tokio::test(start_paused = true)]
async fn a04_the_clock_fences_a_tool_that_keeps_the_executor_from_ending_its_lease() {
    let rig = Rig::new();
    assert!(matches!(rig.execute("hog_and_write", DEFAULT_MS + 1).await, Outcome::ToolTimeout(_)));
    assert_eq!(rig.note(), "before");
    let rig = Rig::new();
    assert!(rig.execute("hog_and_write", 10).await.output().is_some());
    assert_eq!(rig.note(), "after");
}

#[tokio::test(start_paused = true)]
async fn an_answer_at_the_deadline_and_its_effect_agree() {
    for ms in [DEFAULT_MS - 1, DEFAULT_MS, DEFAULT_MS + 1] {
        let rig = Rig::new();
        let outcome = rig.execute("write", ms).await;
        let written = rig.note() == "after";
        assert_eq!(outcome.output().is_some(), written, "{ms}: {outcome:?}");
        assert_eq!(outcome.is_error(), !written);
        assert!(written || ms >= DEFAULT_MS);
        assert!(!written || ms <= DEFAULT_MS);
    }
}

#[tokio::test(start_paused = true)]
async fn a05_every_panic_is_a_failure() {
    for act in ["panic", "panic_later", "panic_blocking"] {
        let rig = Rig::new();
        let outcome = rig.execute(act, 5).await;
        let expected = (ErrorCategory::Runtime, "the tool panicked: out of ideas", false);
        assert_eq!(failure(&outcome), expected, "{act}");
    }
    let outcome = Rig::new().execute("panic_odd", 0).await;
    assert_eq!(failure(&outcome).1, "the tool panicked: no message");
}

#[tokio::test(start_paused = true)]
async fn a05_a_panic_while_the_call_is_dropped_hurts_nobody() {
    let rig = Rig::new();
    assert_eq!(time_out(&rig.execute("panic_dropped", 0).await).1, DEFAULT_MS + GRACE_MS);
    rig.assert_no_task_is_left().await;
}

#[tokio::test(start_paused = true)]
async fn a05_an_output_too_deep_to_walk_is_a_failure() {
    let outcome = Rig::new().execute("deep", 0).await;
    assert_eq!(failure(&outcome).1, "the output is nested deeper than 127 levels");
}

#[tokio::test(start_paused = true)]
async fn a06_a_tool_sees_its_own_deadline_and_not_the_turns() {
    let rig = Rig::new();
    let deadline = Some(Moment::from_millis(20_000));
    let turn = Turn::new(TurnSettings { deadline, ..TurnSettings::default() });
    let mut own = call("actor", json!({"act": "left_ms"}));
    let shared = rig.execute_in(&turn, own.clone(), CancelToken::new()).await;
    assert_eq!(shared.output().map(|left| &**left), Some(&json!(20_000)));
    own.timeout = Some(Duration::from_secs(3));
    let shorter = rig.execute_in(&turn, own, CancelToken::new()).await;
    assert_eq!(shorter.output().map(|left| &**left), Some(&json!(3_000)));
}

#[tokio::test(start_paused = true)]
async fn a07_one_executor_serves_many_calls_at_once() {
    let rig = Arc::new(Rig::new());
    let calls: Vec<_> = (0..100)
        .map(|_| {
            let rig = rig.clone();
            tokio::spawn(async move { rig.execute("answer", 1_000).await.elapsed_ms() })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), 1_000);
    }
}

/// Real threads and real time, of which it takes as much as its deadline has.
#[test]
fn a03_a_tool_that_never_gives_its_thread_back_is_timed_out_all_the_same() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    runtime.block_on(async {
        let rig = Arc::new(Rig::new());
        let mut sits = call("actor", json!({"act": "sit"}));
        sits.timeout = Some(Duration::from_millis(20));
        let (executor, turn) = (rig.executor.clone(), Turn::default());
        let outcome =
            tokio::spawn(async move { executor.execute(&Arc::new(sits), &turn, &CancelToken::new()).await });
        let outcome = outcome.await.unwrap();
        assert!(matches!(outcome, Outcome::ToolTimeout(_)), "{outcome:?}");
        rig.let_it_write_late();
    });
}
