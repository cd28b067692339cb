//! Programs as tools, with real child processes: what they may print, how they may end, what they may
//! leave behind. Nothing here sleeps: each test waits for the thing itself, and the deadlines of the
//! calls are the only clock.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

mod process_rig;
#[path = "process/proposal.rs"]
mod proposal;

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::Duration;

use helve::harness::Bound;
use helve::limits::{PROCESS_LOG_SHOWN_CHARS_MAX, PROCESS_OUTPUT_BYTES};
use helve::outcome::{ErrorCategory, Outcome};
use helve::tool::Notice;
use process_rig::{Rig, failure, is_alive, output};
use serde_json::json;

#[tokio::test]
async fn a_plain_program_reads_its_arguments_and_prints_its_result() {
    let rig = Rig::new("", "read -r line; echo noise >&2; printf '{\"got\": %s}' \"$line\"");
    let outcome = rig.call(json!({"word": "it's \"quoted\""})).await;
    assert_eq!(output(&outcome), json!({"got": {"word": "it's \"quoted\""}}));
    let end = rig.end().await;
    assert_eq!((end.status.unwrap().code(), end.was_stopped, end.left), (Some(0), false, 0));
    assert!(end.used.memory_bytes > 0);
}

#[tokio::test]
async fn a_program_need_not_read_its_arguments() {
    let rig = Rig::new("output = \"text\"", "exec <&-; echo plain words");
    let much = json!({"word": "x".repeat(1 << 20)});
    assert_eq!(output(&rig.call(much).await), json!({"text": "plain words\n"}));
}

#[tokio::test]
async fn events_reach_whoever_watches_and_the_result_whoever_called() {
    let script = r#"
        echo '{"type": "log", "level": "warning", "message": "half way"}'
        echo '{"type": "intermediate", "label": "first", "data": [1]}'
        echo
        printf '{"type": "final_result", "data": {"n": 2}}'"#;
    let rig = Rig::new("output = \"events\"", script);
    assert_eq!(output(&rig.call(json!({})).await), json!({"n": 2}));
    let notices = rig.notices();
    assert_eq!(notices[0], Notice::Progress("half way".into()));
    let event = |name, payload| Notice::Event { name, payload };
    assert_eq!(notices[1], event("tool.call.log", json!({"level": "warning", "message": "half way"})));
    assert_eq!(notices[2], event("tool.call.intermediate", json!({"label": "first", "data": [1]})));
    let Notice::Event { name: "tool.process.ended", payload } = &notices[3] else { panic!("{notices:?}") };
    assert_eq!(payload["exit_code"], 0);
    assert_eq!(payload["enforced"]["file_size"]["state"], "enforced");
    assert_ne!(payload["enforced"]["network"]["state"], "enforced");
}

/// A script that must fail so: category, what the message begins with, what the suggestion holds.
async fn check(manifest: &str, script: &str, category: ErrorCategory, message: &str, hint: &str) {
    let rig = Rig::new(manifest, script);
    let outcome = rig.call(json!({})).await;
    let it = failure(&outcome);
    assert_eq!(it.category, category, "{it:?}");
    assert!(it.error.starts_with(message), "{script}: {}", it.error);
    assert!(it.suggestion.as_ref().is_some_and(|text| text.contains(hint)), "{script}: {it:?}");
    let end = rig.end().await;
    assert_eq!(end.left, 0, "{script}");
}

#[tokio::test]
async fn what_is_no_result_is_a_failure_that_says_why() {
    use ErrorCategory::{Api, Configuration, Resource, Runtime};
    let events = "output = \"events\"";
    check(
        "",
        "echo oops >&2; exit 3",
        Runtime,
        "the program ended with exit code 3; it said: oops",
        "by hand",
    )
    .await;
    check("", "echo '{}'; exit 1", Runtime, "the program ended with exit code 1", "by hand").await;
    check("", "kill -s SEGV $$", Resource, "the program was ended by signal 11 (SIGSEGV)", "fault").await;
    check("", "kill -s KILL $$", Resource, "the program was ended by signal 9 (SIGKILL)", "memory").await;
    check("", "exec ./nowhere", Configuration, "the program ended with exit code 127", "first line").await;
    check("", ":", Runtime, "the program ended well and printed no result", "JSON").await;
    check("", "echo '{\"a\": '", Runtime, "line 1 of the output is no JSON: EOF", "JSON").await;
    check("", "printf '{}\\n{}'", Runtime, "line 2 of the output is no JSON: trailing", "JSON").await;
    check("", "printf '\"a\\nb\\377c\"'", Runtime, "line 2 of the output is no UTF-8 from byte 2", "UTF-8")
        .await;
    check(events, "echo hello", Runtime, "line 1 of the output is no JSON: expected", "JSON").await;
    check(events, "echo '[]'", Runtime, "line 1 of the output is no event: it is no object", "event").await;
    check(events, "printf '\\377\\n'", Runtime, "line 1 of the output is no UTF-8 from byte 1", "UTF-8")
        .await;
    check(
        events,
        "echo '{\"type\":\"log\",\"message\":\"m\"}'",
        Runtime,
        "the program ended well",
        "final_result",
    )
    .await;
    let twice = "for i in 1 2; do echo '{\"type\":\"final_result\",\"data\":1}'; done";
    check(events, twice, Runtime, "line 2 of the output is no event: it is a second", "event").await;
    let error = "echo '{\"type\":\"error\",\"message\":\"no luck\",\"category\":\"api_error\",\"suggestion\":\"again\"}'";
    check(events, error, Api, "no luck", "again").await;
    let schema = "[result]\ntype = \"object\"\nrequired = [\"n\"]\nproperties.n.type = \"integer\"";
    check(
        schema,
        "echo '{\"n\": \"x\"}'",
        Runtime,
        "the result does not fit its schema: at /n: \"x\" is not",
        "schema",
    )
    .await;
}

#[tokio::test]
async fn output_beyond_the_caps_ends_the_program() {
    use ErrorCategory::Resource;
    // Fifty megabytes: a program that goes on printing is ended and not merely ignored.
    let flood = "head -c 52428800 /dev/zero; exec sleep 1000";
    let rig = Rig::new("", flood);
    let outcome = rig.call(json!({})).await;
    assert!(
        failure(&outcome).error.starts_with(&format!("the program printed more than {PROCESS_OUTPUT_BYTES}"))
    );
    assert!(rig.end().await.was_stopped);
    let capped = "output = \"events\"\n[limits]\nline_bytes = 1000\noutput_bytes = 5000";
    check(
        capped,
        "head -c 1001 /dev/zero; cat",
        Resource,
        "line 1 of the output has more than 1000",
        "line_bytes",
    )
    .await;
    let lines = "while :; do echo '{\"type\":\"log\",\"message\":\"m\"}'; done";
    check(capped, lines, Resource, "the program printed more than 5000 bytes", "output_bytes").await;
    // What is printed to standard error has no cap; its end is kept.
    let rig = Rig::new("", "head -c 3000000 /dev/zero | tr '\\0' x >&2; echo last >&2; exit 1");
    let outcome = rig.call(json!({})).await;
    let error = &failure(&outcome).error;
    assert!(error.ends_with("xxlast") && error.len() < PROCESS_LOG_SHOWN_CHARS_MAX + 100, "{error}");
}

#[tokio::test]
async fn a_program_that_ignores_sigterm_is_killed_after_its_grace() {
    let rig = Rig::new("stop_grace_ms = 20", "trap '' TERM; echo $$ > pid; while :; do sleep 1000; done");
    let outcome = rig.call_within(json!({}), Duration::from_millis(400)).await;
    assert!(matches!(&outcome, Outcome::ToolTimeout(it) if it.retryable), "{outcome:?}");
    assert!(!is_alive(rig.pid("pid")), "the outcome waits for the end of the work");
    let end = rig.end().await;
    assert_eq!((end.status.unwrap().signal(), end.was_stopped, end.left), (Some(9), true, 0));
}

#[tokio::test]
async fn a_program_that_hears_sigterm_ends_by_itself() {
    let script = "trap 'touch cleaned; exit 5' TERM; sleep 1000 & wait";
    let rig = Rig::new("stop_grace_ms = 30000", script);
    let outcome = rig.call_within(json!({}), Duration::from_millis(400)).await;
    assert!(matches!(outcome, Outcome::ToolTimeout(_)));
    assert_eq!(rig.end().await.status.unwrap().code(), Some(5));
    assert!(rig.path("cleaned").exists());
}

/// Starts a child in a session of its own, a child of a child, and one without the mark, and
/// waits until each has written its number.
const FAMILY: &str = r#"
    setsid sh -c 'echo $$ > daemon; exec sleep 1000' &
    sh -c 'sleep 1000 & echo $! > grandchild; wait' &
    env -i PATH="$PATH" setsid sh -c 'echo $$ > unmarked; exec sleep 1000' &
    while [ ! -s daemon ] || [ ! -s grandchild ] || [ ! -s unmarked ]; do sleep 0.01; done
"#;

#[tokio::test]
async fn children_of_children_end_with_the_call() {
    let rig = Rig::new("stop_grace_ms = 50", &format!("{FAMILY} touch ready; sleep 1000"));
    let outcome = rig.call_within(json!({}), Duration::from_secs(3)).await;
    assert!(matches!(outcome, Outcome::ToolTimeout(_)), "{outcome:?}");
    let end = rig.end().await;
    assert!(rig.path("ready").exists());
    assert_eq!(end.left, 0);
    for name in ["daemon", "grandchild", "unmarked"] {
        assert!(!is_alive(rig.pid(name)), "{name}");
    }
}

#[tokio::test]
async fn what_a_finished_program_leaves_behind_is_swept() {
    let script = r#"
        setsid sh -c 'echo $$ > daemon; exec sleep 1000' > /dev/null 2>&1 &
        sleep 1000 &
        echo $! > child
        while [ ! -s daemon ]; do sleep 0.01; done
        echo '"done"'"#;
    let rig = Rig::new("", script);
    // The child holds the standard output open; the call does not wait for it.
    assert_eq!(output(&rig.call(json!({})).await), json!("done"));
    let end = rig.end().await;
    assert_eq!((end.left, end.was_stopped), (0, false));
    assert!(end.swept >= 1);
    assert!(!is_alive(rig.pid("daemon")) && !is_alive(rig.pid("child")));
}

#[tokio::test]
async fn a_cancelled_call_leaves_nothing_alive() {
    let rig = Rig::new(
        "output = \"events\"",
        "echo $$ > pid; echo '{\"type\":\"log\",\"message\":\"begun\"}'; sleep 1000",
    );
    let outcome = rig.call_until(json!({}), &Notice::Progress("begun".into())).await;
    assert_eq!(failure(&outcome).category, ErrorCategory::Cancelled);
    // By the time of the outcome, and not some time after it.
    assert!(!is_alive(rig.pid("pid")));
}

#[test]
fn a_runtime_that_goes_down_takes_its_processes_with_it() {
    let rig = Rig::new(
        "output = \"events\"",
        "trap '' TERM; echo $$ > pid; echo '{\"type\":\"log\",\"message\":\"begun\"}'; sleep 1000",
    );
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(rig.begin(&Notice::Progress("begun".into())));
    let pid = rig.pid("pid");
    assert!(is_alive(pid));
    drop(runtime);
    assert!(!is_alive(pid));
}

#[tokio::test]
async fn d09_secrets_are_given_and_never_shown() {
    let script = r#"
        [ "$TOKEN" = 'hunter"2\2' ] && echo given > given
        printf 'key %s\n' "$TOKEN" >&2
        printf '{"type":"log","message":"using %s"}\n' "$PLAIN"
        printf '{"type":"intermediate","label":"%s","data":{"%s":"x%sx"}}\n' "$PLAIN" "$PLAIN" "$PLAIN"
        printf '{"type":"final_result","data":["%s", 4455667788]}\n' "$PLAIN"
        exit $CODE"#;
    let manifest =
        "output = \"events\"\nsecrets = [\"TOKEN\", \"PLAIN\", \"NUMBER\"]\nenv = [\"PATH\", \"CODE\"]";
    for code in ["0", "1"] {
        let rig = Rig::new(manifest, script).variable("TOKEN", r#"hunter"2\2"#).variable("CODE", code);
        let rig = rig.variable("PLAIN", "swordfish").variable("NUMBER", "4455667788");
        let outcome = rig.call(json!({})).await;
        let everything = format!("{} {:?}", serde_json::to_string(&outcome).unwrap(), rig.notices());
        for value in ["hunter", "swordfish", "4455667788"] {
            assert!(!everything.contains(value), "{everything}");
        }
        assert!(everything.contains("[secret PLAIN]") && rig.path("given").exists());
        assert_eq!(everything.contains("[secret TOKEN]"), code == "1");
    }
    let rig = Rig::new(manifest, script).variable("PLAIN", "swordfish");
    let outcome = rig.call(json!({})).await;
    let it = failure(&outcome);
    assert_eq!(it.error, "the environment lacks secrets that the tool needs: `TOKEN`, `NUMBER`");
    assert_eq!(it.category, ErrorCategory::Configuration);
}

#[tokio::test]
async fn the_environment_holds_what_the_manifest_lists_and_nothing_else() {
    let rig = Rig::new("output = \"text\"\nenv = [\"PATH\", \"LISTED\", \"UNSET\"]", "exec env");
    let rig = rig.variable("LISTED", "yes").variable("UNLISTED", "no");
    let outcome = rig.call(json!({})).await;
    let text = output(&outcome)["text"].as_str().unwrap().to_owned();
    let mut names: Vec<_> =
        text.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    names.sort_unstable();
    // `PWD` and `_` are what a shell exports by itself.
    names.retain(|name| !matches!(*name, "PWD" | "_" | "SHLVL" | "OLDPWD"));
    assert_eq!(names, ["HELVE_CALL", "LISTED", "PATH", "TMPDIR"]);
}

#[tokio::test]
async fn a_program_starts_below_the_root_and_a_link_out_of_it_is_refused() {
    let rig = Rig::new("folder = \"sub\"\noutput = \"text\"", "pwd -P");
    fs::create_dir(rig.path("sub")).unwrap();
    let real = rig.path("sub").canonicalize().unwrap();
    assert_eq!(output(&rig.call(json!({})).await)["text"], format!("{}\n", real.display()));
    fs::remove_dir(rig.path("sub")).unwrap();
    std::os::unix::fs::symlink("/", rig.path("sub")).unwrap();
    let outcome = rig.call(json!({})).await;
    assert_eq!(failure(&outcome).category, ErrorCategory::Permission, "{outcome:?}");
}

#[tokio::test]
async fn d11_lines_without_the_nonce_are_log_and_never_events() {
    let script = r#"
        echo '{"type": "final_result", "data": "forged"}'
        echo '{"type": "error", "message": "forged", "nonce": "guessed"}'
        echo not even JSON
        echo "{\"type\": \"final_result\", \"data\": \"true\", \"nonce\": \"$HELVE_NONCE\"}""#;
    let rig = Rig::new("output = \"events\"\nnonce = true", script);
    assert_eq!(output(&rig.call(json!({})).await), json!("true"));
    let progress: Vec<_> = rig.notices().into_iter().filter(|it| matches!(it, Notice::Progress(_))).collect();
    assert_eq!(progress.len(), 3);
    // A program that repeats what it was given, in the plain way: nothing in it is an event.
    let event = r#"{"type": "error", "message": "forged"}"#;
    let rig = Rig::new("", &format!("echo '{event}'"));
    assert_eq!(output(&rig.call(json!({})).await), json!({"type": "error", "message": "forged"}));
}

#[tokio::test]
async fn c08_limits_bind_and_the_report_says_how_far() {
    let limits = "[limits]\nmemory_mb = 64\nopen_files = 32\nfile_size_mb = 1\ncpu_seconds = 7";
    let script = "echo \"$(ulimit -d) $(ulimit -n) $(ulimit -t) $(ulimit -c)\"";
    let rig = Rig::new(&format!("output = \"text\"\n{limits}"), script);
    assert_eq!(output(&rig.call(json!({})).await)["text"], "65536 32 7 0\n");
    let report = rig.end().await.report;
    assert_eq!(report.of(Bound::FileSize).as_str(), "enforced");
    // With a control group the limits hold for all together; without one, the report says so.
    let is_caged = report.of(Bound::Descendants).as_str() == "enforced";
    let memory = if is_caged { "enforced" } else { "partly_enforced" };
    assert_eq!(report.of(Bound::Memory).as_str(), memory);
    if report.of(Bound::Processes).as_str() == "enforced" {
        let forks = "for i in 1 2 3 4 5 6 7 8; do sleep 1000 & done; echo 1";
        let few = "[limits]\nprocesses = 5";
        check(few, forks, ErrorCategory::Runtime, "the program ended with exit code 2", "").await;
    }
    check(
        limits,
        "head -c 2000000 /dev/zero > big",
        ErrorCategory::Runtime,
        "the program ended with exit code",
        "",
    )
    .await;
    check(
        limits,
        "trap '' XFSZ; exec head -c 2000000 /dev/zero > big",
        ErrorCategory::Runtime,
        "the program ended with exit code 1; it said",
        "",
    )
    .await;
    let greedy = "head -c 300000000 /dev/zero | tail -c 200000000";
    check(limits, greedy, ErrorCategory::Runtime, "the program ended with exit code 1", "").await;
    let busy = "while :; do :; done";
    check(
        "[limits]\ncpu_seconds = 1",
        busy,
        ErrorCategory::Resource,
        "the program was ended by signal 24",
        "cpu",
    )
    .await;
}

#[tokio::test]
async fn c08_a_program_writes_where_it_may_and_nowhere_else() {
    let outside = tempfile::tempdir().unwrap();
    let there = outside.path().join("there");
    let script = format!(
        "(echo 1 > in; echo 1 > '{}'; echo 1 > /dev/null && echo sink) 2> /dev/null\n\
         echo 1 > \"$TMPDIR/x\" && echo \"$TMPDIR\"",
        there.display()
    );
    let check = async |manifest: &str, (inside, out): (bool, bool)| {
        let rig = Rig::new(&format!("output = \"text\"\n{manifest}"), &script);
        let outcome = rig.call(json!({})).await;
        let said = output(&outcome)["text"].as_str().unwrap().to_owned();
        let report = rig.end().await.report;
        if report.of(Bound::Writes).as_str() != "enforced" {
            // The report says truthfully that there is no fence, and then there is none to test.
            assert!(report.of(Bound::Writes).why().is_some());
            return;
        }
        let temporary = said.strip_prefix("sink\n").expect(manifest).trim();
        assert!(temporary.contains("helve-") && !Path::new(temporary).exists(), "it goes with the call");
        assert_eq!((rig.path("in").exists(), there.exists()), (inside, out), "{manifest}");
        let _ = fs::remove_file(&there);
    };
    check("", (true, false)).await;
    check("effects = \"external\"", (true, false)).await;
    check("effects = \"read-only\"", (false, false)).await;
    check("effects = \"read-only\"\nwritable = [\"in\", \".\"]", (true, false)).await;
    check(&format!("writable = [\"{}\"]", outside.path().display()), (true, true)).await;
    check("required = [\"writes\"]", (true, false)).await;
}

#[tokio::test]
async fn a_program_has_the_network_when_its_manifest_gives_it() {
    let check = async |manifest: &str, is_given: bool| {
        let rig = Rig::new(manifest, "echo '{}'");
        output(&rig.call(json!({})).await);
        let report = rig.end().await.report;
        let why = report.of(Bound::Network).why().unwrap();
        assert_eq!(why == "its manifest gives it the network", is_given, "{manifest}: {why}");
    };
    check("", false).await;
    check("effects = \"read-only\"", false).await;
    check("effects = \"external\"", true).await;
    check("network = true", true).await;
    check("effects = \"external\"\nnetwork = false", false).await;
}

#[tokio::test]
async fn a_program_signals_what_it_started_and_nothing_else() {
    let script = "sleep 60 & own=$!\n\
        kill -s TERM $own && echo own\n\
        kill -s CONT $PPID 2> /dev/null && echo other; true";
    let rig = Rig::new("output = \"text\"", script);
    let outcome = rig.call(json!({})).await;
    let said = output(&outcome)["text"].as_str().unwrap().to_owned();
    // Where the kernel cannot keep it from that, the report says so.
    let is_fenced = rig.end().await.report.of(Bound::Privileges).as_str() == "partly_enforced";
    assert_eq!(said, if is_fenced { "own\n" } else { "own\nother\n" });
}

#[tokio::test]
async fn a_program_that_may_not_write_there_is_told_what_would_let_it() {
    let outside = tempfile::tempdir().unwrap();
    let rig = Rig::new("", &format!("echo 1 > '{}/there'", outside.path().display()));
    let outcome = rig.call(json!({})).await;
    if rig.end().await.report.of(Bound::Writes).as_str() == "enforced" {
        assert!(failure(&outcome).suggestion.as_deref().unwrap().contains("`writable`"), "{outcome:?}");
    }
}

#[tokio::test]
async fn a_required_bound_that_cannot_be_enforced_keeps_the_program_from_starting() {
    let rig = Rig::new("required = [\"file_size\", \"network\"]", "touch begun");
    let outcome = rig.call(json!({})).await;
    let it = failure(&outcome);
    assert_eq!(it.category, ErrorCategory::Configuration);
    assert!(it.error.contains("`network` is required and cannot be enforced"), "{}", it.error);
    assert!(!rig.path("begun").exists());
}

#[tokio::test]
async fn a_program_that_is_gone_by_the_time_of_the_call_is_told_of() {
    let rig = Rig::new("command = \"./own\"", "echo 1");
    assert_eq!(output(&rig.call(json!({})).await), json!(1));
    fs::remove_file(rig.path("own")).unwrap();
    let outcome = rig.call(json!({})).await;
    assert_eq!(failure(&outcome).category, ErrorCategory::Configuration);
    assert!(failure(&outcome).error.contains("cannot be run any more"));
}
