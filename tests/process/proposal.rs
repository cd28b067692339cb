//! Programs that write no file themselves: what they propose is written by the host, or not at all.

use std::fs;
use std::time::Duration;

use helve::outcome::Outcome;
use serde_json::json;

use crate::process_rig::{Rig, failure, output};

const PROPOSES: &str = "output = \"events\"\nproposes = true";

/// The lines of events as a script that prints them.
fn printing(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("echo '{line}'\n")).collect()
}

const DONE: &str = r#"{"type":"final_result","data":{"done":true}}"#;

#[tokio::test]
async fn what_is_proposed_is_written_by_the_host_and_nothing_by_the_program() {
    let lines = [
        r#"{"type":"change","path":"src/new.rs","content":"fn new() {}\\n"}"#,
        r#"{"type":"change","path":"./src/../same","content":"as it was"}"#,
        r#"{"type":"change","path":"old","content":null}"#,
        r#"{"type":"change","path":"never","content":null}"#,
        DONE,
    ];
    let rig = Rig::new(PROPOSES, &format!("echo x > own; {}", printing(&lines)));
    let own = fs::read(rig.path("own")).unwrap();
    fs::write(rig.path("same"), "as it was").unwrap();
    fs::write(rig.path("old"), "old").unwrap();
    let outcome = rig.call(json!({})).await;
    assert_eq!(fs::read(rig.path("own")).unwrap(), own);
    if is_unfenced(&outcome) {
        return;
    }
    assert_eq!(output(&outcome), json!({"done": true}));
    assert_eq!(fs::read_to_string(rig.path("src/new.rs")).unwrap(), "fn new() {}\n");
    assert_eq!(fs::read_to_string(rig.path("same")).unwrap(), "as it was");
    assert!(!rig.path("old").exists() && !rig.path("never").exists());
}

/// Without a fence no such program runs, for it could write before anybody has said yes.
fn is_unfenced(outcome: &Outcome) -> bool {
    let refused = "`writes` is required and cannot be enforced";
    matches!(outcome, Outcome::ToolFailure(it) if it.error.contains(refused))
}

/// What will not do fails the call, and nothing of it is written.
async fn check(manifest: &str, lines: &[&str], message: &str) {
    let good = r#"{"type":"change","path":"good","content":"x"}"#;
    let script = printing(&[&[good], lines, &[DONE]].concat());
    let rig = Rig::new(manifest, &script).variable("TOKEN", "hunter2");
    fs::create_dir(rig.path("folder")).unwrap();
    std::os::unix::fs::symlink("/tmp", rig.path("link")).unwrap();
    let outcome = rig.call(json!({})).await;
    assert!(!rig.path("good").exists(), "{lines:?}");
    if is_unfenced(&outcome) {
        return;
    }
    let it = failure(&outcome);
    assert!(it.error.contains(message) && it.suggestion.is_some(), "{lines:?}: {it:?}");
    assert!(!it.error.contains("hunter2"), "{it:?}");
}

#[tokio::test]
async fn a_proposal_that_will_not_do_changes_nothing() {
    let change = |rest: &str| format!("{{\"type\":\"change\",{rest}}}");
    let good = change(r#""path":"good","content":"x""#);
    check("output = \"events\"", &[&good], "line 1 of the output is no event: its manifest has no `proposes")
        .await;
    check(PROPOSES, &[&good], "line 2 of the output is no event: it is a second `change` of `good`").await;
    check(PROPOSES, &[&change(r#""content":"x""#)], "`change` has no `path`").await;
    check(PROPOSES, &[&change(r#""path":"a""#)], "`change` has no `content`").await;
    check(PROPOSES, &[&change(r#""path":"a","content":7"#)], "`change` has no `content`").await;
    check(PROPOSES, &[&change(r#""path":"../a","content":"x""#)], "`../a`").await;
    check(PROPOSES, &[&change(r#""path":"/etc/a","content":"x""#)], "`/etc/a`").await;
    check(PROPOSES, &[&change(r#""path":".","content":"x""#)], "is the root and no file").await;
    check(PROPOSES, &[&change(r#""path":"folder","content":"x""#)], "`folder`").await;
    check(PROPOSES, &[&change(r#""path":"link/a","content":"x""#)], "link/a").await;
    let secret = format!("{PROPOSES}\nsecrets = [\"TOKEN\"]");
    check(&secret, &[&change(r#""path":"a","content":"is hunter2""#)], "the `change` holds a secret").await;
    check(&secret, &[&change(r#""path":"hunter2","content":"x""#)], "the `change` holds a secret").await;
    check(PROPOSES, &["oops"], "line 2 of the output is no JSON").await;
    check(PROPOSES, &[r#"{"type":"error","message":"no luck","suggestion":"again"}"#], "no luck").await;
}

#[tokio::test]
async fn what_a_program_has_proposed_when_its_time_is_up_is_not_written() {
    let change = r#"{"type":"change","path":"late","content":"x"}"#;
    let script = format!("{}echo $$ > $TMPDIR/pid; exec sleep 60", printing(&[change, DONE]));
    let rig = Rig::new(PROPOSES, &script);
    let outcome = rig.call_within(json!({}), Duration::from_millis(300)).await;
    assert!(!rig.path("late").exists());
    if is_unfenced(&outcome) {
        return;
    }
    assert!(matches!(outcome, Outcome::ToolTimeout(_)), "{outcome:?}");
    assert_eq!(rig.end().await.left, 0);
}
