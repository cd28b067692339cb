//! What many calls leave behind in their host: nothing. One test alone in its process, for it counts
//! what the whole process has.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

#[expect(dead_code, unused_imports, reason = "the rig serves several tests")]
mod process_rig;

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use helve::outcome::Outcome;
use process_rig::Rig;
use serde_json::json;

/// What a program does, by the number of its call: end well, fail, die, print without end, print
/// garbage, leave a child behind, ignore SIGTERM.
const SCRIPT: &str = r#"
read -r arguments
case $arguments in
    *0}) echo '"ok"' ;;
    *1}) exit 3 ;;
    *2}) kill -s SEGV $$ ;;
    *3}) exec cat /dev/zero ;;
    *4}) printf '\377\376' ;;
    *5}) setsid sleep 1000 > /dev/null 2>&1 & echo '"left one"' ;;
    *6}) trap '' TERM; sleep 1000 ;;
    *) exec sleep 1000 ;;
esac"#;

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// The children of this process that nobody has collected, and those that live.
fn children() -> BTreeSet<String> {
    let own = std::process::id().to_string();
    let stats = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let path = entry.unwrap().path().join("stat");
        fs::read_to_string(path).ok()
    });
    stats.filter(|stat| stat.rsplit_once(')').unwrap().1.split_whitespace().nth(1) == Some(&own)).collect()
}

#[tokio::test]
async fn many_calls_leave_no_process_no_descriptor_and_one_outcome_each() {
    let rig = Rig::new("stop_grace_ms = 10", SCRIPT);
    let call = async |number: usize| {
        let patience = if number % 10 >= 6 { Duration::from_millis(200) } else { Duration::from_secs(40) };
        let outcome = rig.call_within(json!({ "n": number }), patience).await;
        match (number % 10, &outcome) {
            (0 | 5, Outcome::ToolExecutionResult(_)) | (1..=4, Outcome::ToolFailure(_)) => {}
            (6 | 7, Outcome::ToolTimeout(_)) => {}
            _ => panic!("{number}: {outcome:?}"),
        }
        let end = rig.end().await;
        assert_eq!(end.left, 0, "{number}");
    };
    // The first call starts the watchdog, which stays.
    call(0).await;
    let (descriptors_before, children_before) = (descriptors(), children().len());
    assert_eq!(children_before, 1, "the watchdog");
    for round in 0..4 {
        let calls = (0..8).map(|number| call(round * 10 + number));
        futures_of(calls).await;
    }
    assert_eq!(children().len(), children_before, "{:?}", children());
    assert_eq!(descriptors(), descriptors_before);
}

/// Awaits all of them at the same time.
async fn futures_of(calls: impl Iterator<Item = impl Future<Output = ()>>) {
    let mut calls: Vec<_> = calls.map(Box::pin).collect();
    std::future::poll_fn(|cx| {
        calls.retain_mut(|call| call.as_mut().poll(cx).is_pending());
        if calls.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}
