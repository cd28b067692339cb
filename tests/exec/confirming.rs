//! A write that wants a yes shows what it would change, and the yes holds for exactly that.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use helve::exec::{Approval, Turn, TurnSettings};
use helve::limits::{APPROVAL_ROUNDS_MAX, APPROVAL_WAIT_MAX};
use helve::outcome::{DenialReason, Outcome};
use helve::tool::{CallScope, CancelToken, PermissionMode};
use serde_json::{Value as Json, json};
use tokio::time::sleep;

use crate::pen::{Desk, Setup, no, yes};
use crate::rig::{call, failure};

fn answers(answers: Vec<Approval>) -> Setup {
    Setup { answers, ..Setup::default() }
}

#[track_caller]
fn denied(outcome: &Outcome) -> (DenialReason, &str) {
    match outcome {
        Outcome::ToolDenied(denied) => (denied.reason, &denied.details),
        other => panic!("not denied: {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a09_a_yes_writes_and_what_was_shown_is_what_happens() {
    let desk = Desk::with(answers(vec![yes()]));
    fs::write(desk.file("a"), "one\ntwo\n").unwrap();
    let outcome = desk.write(json!({"write": {"a": "one\n2\n"}})).await;
    assert_eq!(outcome.kind(), "result", "{outcome:?}");
    assert_eq!(desk.text("a").as_deref(), Some("one\n2\n"));
    let asked = desk.script.asked.lock().unwrap()[0].clone();
    let diff = asked.diff.unwrap();
    assert_eq!(diff.lines[2..], ["@@ -1,2 +1,2 @@", " one", "-two", "+2"]);
    assert_eq!((asked.round, asked.asked_by.to_string().as_str()), (1, "the tool wants a confirmation"));
    let heard = desk.heard.0.lock().unwrap();
    let (name, payload) = heard.first().unwrap();
    assert_eq!(
        (*name, &payload["by"], &payload["key"]),
        ("tool.permission.granted", &json!("the tester"), &json!(asked.key.to_string()))
    );
}

#[tokio::test(start_paused = true)]
async fn a09_a_no_changes_nothing_and_says_who_said_it() {
    let desk = Desk::with(answers(vec![no()]));
    fs::write(desk.file("a"), "one").unwrap();
    let outcome = desk.write(json!({"write": {"a": "two", "b": "three"}})).await;
    assert_eq!(denied(&outcome), (DenialReason::WriteDenied, "not allowed by the tester: not today"));
    assert_eq!((desk.text("a").as_deref(), desk.text("b"), desk.runs()), (Some("one"), None, 0));
    assert!(!desk.checkpoints.path().exists(), "nothing was kept for a write that did not happen");
    assert_eq!(desk.heard.0.lock().unwrap()[0].0, "tool.permission.denied");
}

#[tokio::test(start_paused = true)]
async fn a09_a_file_that_changes_while_it_is_asked_for_is_asked_for_again() {
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let file = folder.path().join("files/a");
    let while_asked: crate::pen::Meanwhile = Box::new(move |asked| {
        if asked == 1 {
            fs::write(&file, "somebody else").unwrap();
        }
    });
    let desk = Desk::new(folder, Setup { while_asked, ..answers(vec![yes(), yes()]) });
    fs::write(desk.file("a"), "one").unwrap();
    assert_eq!(desk.write(json!({"write": {"a": "two"}})).await.kind(), "result");
    let asked = desk.script.asked.lock().unwrap();
    assert_eq!((asked.len(), asked[1].round, desk.runs()), (2, 2, 1));
    assert_ne!(asked[0].key, asked[1].key);
    assert!(asked[1].diff.as_ref().unwrap().lines.contains(&"-somebody else".to_owned()));
    assert_eq!(desk.text("a").as_deref(), Some("two"));
}

#[tokio::test(start_paused = true)]
async fn a09_a_file_that_changes_between_the_yes_and_the_write_is_asked_for_again() {
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let file = folder.path().join("files/a");
    let before_write: crate::pen::Meanwhile = Box::new(move |run| {
        if run == 1 {
            fs::write(&file, "somebody else").unwrap();
        }
    });
    let desk = Desk::new(folder, Setup { before_write, ..answers(vec![yes(), no()]) });
    fs::write(desk.file("a"), "one").unwrap();
    let outcome = desk.write(json!({"write": {"a": "two"}})).await;
    assert_eq!(denied(&outcome).0, DenialReason::WriteDenied);
    assert_eq!((desk.asked(), desk.runs()), (2, 1));
    assert_eq!(desk.text("a").as_deref(), Some("somebody else"), "the yes was for another file");
    assert!(desk.checkpoints.kept().unwrap().0.is_empty(), "nothing was written, so nothing is kept");
}

#[tokio::test(start_paused = true)]
async fn a09_a_file_that_never_stands_still_ends_in_a_denial() {
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let file = folder.path().join("files/a");
    let while_asked: crate::pen::Meanwhile =
        Box::new(move |asked| fs::write(&file, asked.to_string()).unwrap());
    let rounds = APPROVAL_ROUNDS_MAX as usize;
    let desk = Desk::new(folder, Setup { while_asked, ..answers(vec![yes(); rounds]) });
    let outcome = desk.write(json!({"write": {"a": "two"}})).await;
    let details = "its files changed each of the 3 times that it was about to run";
    assert_eq!(denied(&outcome), (DenialReason::WriteDenied, details));
    assert_eq!((desk.asked(), desk.runs(), desk.text("a")), (rounds, 0, Some("3".into())));
}

#[tokio::test(start_paused = true)]
async fn a09_a_call_writes_no_other_file_than_it_had_shown() {
    let desk = Desk::with(answers(vec![yes()]));
    let outcome = desk.write(json!({"write": {"a": "two"}, "preview": "lies"})).await;
    assert!(failure(&outcome).1.contains("does not name it"), "{outcome:?}");
    assert_eq!((desk.runs(), desk.text("a")), (1, None));
}

#[tokio::test(start_paused = true)]
async fn a09_a_tool_that_cannot_say_is_asked_for_with_its_arguments() {
    let desk = Desk::with(answers(vec![yes()]));
    let outcome = desk.write(json!({"write": {"a": "two"}, "preview": "none"})).await;
    assert_eq!((outcome.kind(), desk.text("a").as_deref()), ("result", Some("two")));
    let asked = desk.script.asked.lock().unwrap();
    assert_eq!((&asked[0].diff, &asked[0].changes), (&None, &None));
    assert!(desk.checkpoints.kept().unwrap().0.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a09_a_preview_that_fails_is_the_outcome_and_nobody_is_asked() {
    let check = async |preview: &str, expected: &str| {
        let desk = Desk::with(answers(vec![]));
        let outcome = desk.write(json!({"write": {"a": "two"}, "preview": preview})).await;
        assert!(failure(&outcome).1.contains(expected), "{preview}: {outcome:?}");
        assert_eq!((desk.asked(), desk.runs(), desk.text("a")), (0, 0, None));
    };
    check("fails", "no such note").await;
    check("panics", "the tool panicked: out of ink").await;
    check("hangs", "the tool did not say within 30 s what it would write").await;
    check("writes", "the call was cancelled").await;
}

#[tokio::test(start_paused = true)]
async fn a09_the_time_of_a_person_is_not_the_tools() {
    let desk = Desk::with(Setup { takes: Duration::from_secs(600), ..answers(vec![yes()]) });
    let outcome = desk.write(json!({"write": {"a": "two"}, "ms": 29_000})).await;
    assert_eq!((outcome.kind(), outcome.elapsed_ms()), ("result", 29_000));
    let desk = Desk::with(Setup { takes: Duration::from_secs(600), ..answers(vec![yes()]) });
    assert_eq!(desk.write(json!({"write": {"a": "two"}, "ms": 31_000})).await.kind(), "timeout");
}

#[tokio::test(start_paused = true)]
async fn a09_nobody_waits_for_ever_for_a_person() {
    let takes = APPROVAL_WAIT_MAX + Duration::from_secs(1);
    let desk = Desk::with(Setup { takes, ..answers(vec![yes()]) });
    let outcome = desk.write(json!({"write": {"a": "two"}})).await;
    assert_eq!(denied(&outcome), (DenialReason::WriteDenied, "nobody answered within 900 s"));
    let turn = Turn::new(TurnSettings { deadline: Some(Desk::later(20)), ..TurnSettings::default() });
    let desk = Desk::with(Setup { takes, ..answers(vec![yes()]) });
    let outcome = desk.write_in(&turn, json!({"write": {"a": "two"}})).await;
    assert_eq!(denied(&outcome).1, "nobody answered within 20 s");
    assert_eq!((desk.text("a"), desk.runs(), turn.traces().len()), (None, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn a09_a_question_that_nobody_wants_any_more_is_a_no() {
    let desk = Desk::with(Setup { takes: Duration::from_secs(60), ..answers(vec![yes()]) });
    let cancel = CancelToken::new();
    let call = Arc::new(call("pen", json!({"write": {"a": "two"}})));
    let turn = Turn::default();
    let (outcome, ()) = tokio::join!(desk.executor.execute(&call, &turn, &cancel), async {
        sleep(Duration::from_secs(1)).await;
        cancel.cancel();
    });
    assert_eq!(failure(&outcome).1, "the call was cancelled");
    sleep(Duration::from_secs(100)).await;
    assert_eq!((desk.text("a"), desk.runs()), (None, 0));
}

#[tokio::test(start_paused = true)]
async fn a09_an_approver_that_panics_has_not_said_yes() {
    let while_asked: crate::pen::Meanwhile = Box::new(|_| panic!("no idea"));
    let desk = Desk::with(Setup { while_asked, ..answers(vec![yes()]) });
    let outcome = desk.write(json!({"write": {"a": "two"}})).await;
    assert!(denied(&outcome).1.contains("no idea"), "{outcome:?}");
    assert_eq!((desk.text("a"), desk.runs()), (None, 0));
}

#[tokio::test(start_paused = true)]
async fn a09_the_turns_mode_decides_before_anybody_is_asked() {
    let check = async |permission: PermissionMode, kind: &str, text: Option<&str>, kept: usize| {
        let desk = Desk::with(answers(vec![]));
        let scope = CallScope { permission, ..CallScope::default() };
        let turn = Turn::new(TurnSettings { scope, ..TurnSettings::default() });
        let outcome = desk.write_in(&turn, json!({"write": {"a": "two"}})).await;
        assert_eq!((outcome.kind(), desk.asked(), desk.text("a").as_deref()), (kind, 0, text));
        assert_eq!(desk.checkpoints.kept().unwrap().0.len(), kept);
    };
    check(PermissionMode::ReadOnly, "denied", None, 0).await;
    check(PermissionMode::AllowWrites, "result", Some("two"), 1).await;
}

#[tokio::test(start_paused = true)]
async fn a09_a_write_that_cannot_be_kept_does_not_happen() {
    let desk = Desk::with(answers(vec![yes()]));
    fs::write(desk.checkpoints.path(), "in the way").unwrap();
    let outcome = desk.write(json!({"write": {"a": "two"}})).await;
    assert!(failure(&outcome).1.contains("could not be kept as they are"), "{outcome:?}");
    assert_eq!((desk.text("a"), desk.runs()), (None, 0));
}

#[tokio::test(start_paused = true)]
async fn a09_parallel_writes_of_one_file_are_both_asked_for_what_they_find() {
    let takes = Duration::from_secs(5);
    let desk = Desk::with(Setup { takes, ..answers(vec![yes(), yes(), yes()]) });
    let turn = Turn::default();
    let write = |text: &str| desk.write_in(&turn, json!({"write": {"a": text}}));
    let (one, two) = tokio::join!(write("one"), write("two"));
    assert_eq!((one.kind(), two.kind()), ("result", "result"));
    assert_eq!((desk.asked(), desk.script.asked.lock().unwrap()[2].round), (3, 2));
    let befores = desk.checkpoints.kept().unwrap().0;
    assert_eq!(befores.len(), 2, "both writes can be taken back: {befores:?}");
    assert_eq!(Json::from(turn.traces().len()), json!(0));
}

#[tokio::test(start_paused = true)]
async fn a09_another_tool_other_arguments_and_another_file_are_each_asked_for_anew() {
    let desk = Desk::with(answers(vec![yes(), yes(), yes(), yes(), no()]));
    let turn = Turn::default();
    let write = async |tool: &str, text: &str| {
        desk.write_with(tool, &turn, json!({"write": {"a": text}})).await.kind()
    };
    assert_eq!(write("pen", "one").await, "result");
    // Back to the state that the first yes was given for, so that one thing alone is different.
    let back = || fs::remove_file(desk.file("a")).unwrap();
    back();
    assert_eq!(write("pencil", "one").await, "result");
    back();
    assert_eq!(write("pen", "two").await, "result");
    assert_eq!(write("pen", "one").await, "result", "over another file");
    back();
    assert_eq!(write("pen", "one").await, "denied", "a yes is for one call, even the same one");
    let asked = desk.script.asked.lock().unwrap();
    let keys: Vec<_> = asked.iter().map(|request| request.key).collect();
    assert_eq!(asked.len(), 5);
    assert!(keys[1..4].iter().all(|key| *key != keys[0]), "{keys:?}");
    assert_eq!(keys[4], keys[0]);
}

#[tokio::test(start_paused = true)]
async fn a09_rules_over_files_see_what_the_preview_names() {
    const POLICY: &str = "[[deny]]\ntool = \"*\"\nfile = \"secrets/*\"\nwhy = \"they are secret\"\n\
        [[ask]]\ntool = \"*\"\nfile = \"src/*\"\n[[allow]]\ntool = \"pen\"\nfile = [\"src/*\", \"notes/*\"]\n";
    let check = async |write: Json, preview: &str, expected: &str, asked: usize| {
        let desk = Desk::with(Setup { policy: Some(POLICY), confirms: false, ..answers(vec![yes()]) });
        let outcome = desk.write(json!({"write": write, "preview": preview})).await;
        let kept = desk.checkpoints.kept().unwrap().0.len();
        let found = if outcome.kind() == "denied" { denied(&outcome).1 } else { outcome.kind() };
        assert_eq!((found, desk.asked()), (expected, asked), "{write}");
        assert_eq!(desk.runs(), usize::from(expected == "result"));
        assert_eq!(
            kept,
            usize::from(expected == "result" && preview.is_empty()),
            "what is allowed is kept too"
        );
    };
    let secret = "pen is denied by the rule `deny` at policy.toml:1, about `secrets/b`: they are secret";
    check(json!({"notes/a": "1"}), "", "result", 0).await;
    check(json!({"notes/a": "1", "src/b": "1"}), "", "result", 1).await;
    check(json!({"notes/a": "1", "else/b": "1"}), "", "result", 1).await;
    check(json!({"notes/a": "1", "secrets/b": "1"}), "", secret, 0).await;
    check(json!({"notes/a": "1"}), "none", "result", 1).await;
}

#[tokio::test(start_paused = true)]
async fn a09_rules_over_files_are_asked_again_when_a_file_has_moved_behind_a_link() {
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let files = folder.path().join("files");
    let while_asked: crate::pen::Meanwhile = Box::new(move |_| {
        fs::rename(files.join("notes"), files.join("secrets")).unwrap();
        std::os::unix::fs::symlink("secrets", files.join("notes")).unwrap();
        fs::write(files.join("secrets/a"), "another").unwrap();
    });
    const POLICY: &str = "[[deny]]\ntool = \"*\"\nfile = \"secrets/*\"\n";
    let setup = Setup { policy: Some(POLICY), confirms: false, while_asked, ..answers(vec![yes()]) };
    let desk = Desk::new(folder, setup);
    fs::create_dir(desk.file("notes")).unwrap();
    let outcome = desk.write(json!({"write": {"notes/a": "1"}})).await;
    let details = "pen is denied by the rule `deny` at policy.toml:1, about `notes/a`, which is `secrets/a`";
    assert_eq!(denied(&outcome), (DenialReason::WriteDenied, details));
    assert_eq!((desk.asked(), desk.text("notes/a").as_deref()), (1, Some("another")));
}
