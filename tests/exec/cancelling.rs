//! A call that nobody wants any more.

use std::time::Duration;

use helve::exec::Turn;
use helve::limits::STOP_GRACE;
use helve::outcome::{ErrorCategory, Outcome};
use helve::tool::CancelToken;
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::rig::{Rig, call, failure, until_begun};

/// Cancels after `after_ms` a call whose tool does `act`.
async fn cancelled(act: &str, after_ms: u64) -> (Outcome, Rig) {
    let rig = Rig::new();
    let cancel = CancelToken::new();
    let canceller = cancel.clone();
    tokio::spawn(async move {
        sleep(Duration::from_millis(after_ms)).await;
        canceller.cancel();
    });
    let call = call("actor", json!({"act": act, "ms": 100}));
    (rig.execute_in(&Turn::default(), call, cancel).await, rig)
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_ends_by_itself_or_is_abandoned_after_the_grace() {
    let grace = STOP_GRACE.as_millis() as u64;
    for (act, elapsed_ms) in [("ends_when_told", 70), ("answer", 100), ("hang", 70 + grace)] {
        let (outcome, rig) = cancelled(act, 70).await;
        assert_eq!(failure(&outcome).0, ErrorCategory::Cancelled, "{act}");
        assert_eq!((outcome.elapsed_ms(), outcome.is_retryable()), (elapsed_ms, false), "{act}");
        rig.assert_no_task_is_left().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_writes_nothing_even_while_it_is_given_grace() {
    let (outcome, rig) = cancelled("write", 70).await;
    assert_eq!(failure(&outcome).0, ErrorCategory::Cancelled);
    assert_eq!(rig.note(), "before");
}

#[tokio::test(start_paused = true)]
async fn a_cancel_that_races_with_the_answer_leaves_one_of_the_two() {
    for after_ms in [99, 100, 101] {
        let (outcome, rig) = cancelled("write", after_ms).await;
        let written = rig.note() == "after";
        assert_eq!(outcome.output().is_some(), written, "{after_ms}: {outcome:?}");
        assert!(written || failure(&outcome).0 == ErrorCategory::Cancelled);
        assert_eq!((after_ms == 99 && written, after_ms == 101 && !written), (false, false));
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_cancelled_beforehand_does_not_start() {
    let rig = Rig::new();
    let cancel = CancelToken::new();
    cancel.cancel();
    let outcome = rig.execute_in(&Turn::default(), call("actor", json!({"act": "answer"})), cancel).await;
    assert_eq!((failure(&outcome).0, rig.started()), (ErrorCategory::Cancelled, 0));
}

#[tokio::test(start_paused = true)]
async fn dropping_the_future_ends_the_call() {
    let rig = Rig::new();
    assert!(timeout(Duration::from_millis(10), rig.execute("write", 100)).await.is_err());
    rig.assert_no_task_is_left().await;
    sleep(Duration::from_millis(200)).await;
    assert_eq!((rig.started(), rig.note()), (1, "before".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn dropping_the_future_fences_a_thread_that_goes_on() {
    let rig = Rig::new();
    let (turn, call) = (Turn::default(), call("actor", json!({"act": "write_late"})));
    {
        let under_way = rig.execute_in(&turn, call, CancelToken::new());
        tokio::select! {
            outcome = under_way => panic!("{outcome:?}"),
            () = until_begun(&rig) => {}
        }
    }
    rig.let_it_write_late();
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_turn_fences_its_calls() {
    let rig = Rig::new();
    let turn = Turn::default();
    let ending = turn.clone();
    tokio::spawn(async move {
        sleep(Duration::from_millis(50)).await;
        ending.end();
    });
    let write = call("actor", json!({"act": "write", "ms": 100}));
    let outcome = rig.execute_in(&turn, write.clone(), CancelToken::new()).await;
    assert!(failure(&outcome).1.contains("no longer land"), "{outcome:?}");
    assert_eq!(rig.note(), "before");
    assert!(!turn.accepts_writes());
    let outcome = rig.execute_in(&turn, write, CancelToken::new()).await;
    assert!(matches!(outcome, Outcome::ToolDenied(_)), "{outcome:?}");
}
