//! A recorded run replays to the byte, however it ended and whatever happened to its file.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use helve::catalog::{Class, Leaf, LeafContext, LeafError, NodeManifest};
use helve::diag::Diagnostic;
use helve::engine::Verdict;
use helve::exec::BoundedExecutor;
use helve::journal::{Difference, Ending, FaultHandle, Head, Journal, Recorder, Replay};
use helve::manifest::ToolManifest;
use helve::node;
use helve::outcome::ErrorCategory;
use helve::run::{RunClock, RunHandle, RunReport, Runner, catalog_of};
use helve::status::Status;
use helve::text::Source;
use helve::tool::{CallContext, Registry, ToolError, TypedTool};
use helve::tree::{self, CompileOptions};
use helve::value::Value;
use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

#[path = "journal/broken.rs"]
mod broken;
#[path = "rig/fuzz.rs"]
mod fuzz;
#[path = "rig/mutate.rs"]
mod mutate;

/// Answers what it was given, and numbers that are easily bent on the way to a file and back.
struct Echo;

#[derive(Deserialize, JsonSchema)]
struct EchoArguments {
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct Echoed {
    text: String,
    numbers: Vec<Json>,
    nested: Json,
}

impl TypedTool for Echo {
    type Arguments = EchoArguments;
    type Output = Echoed;

    fn describe(&self) -> ToolManifest {
        Self::manifest("echo", "Answers what it was given.").success("size(result.text) > 0")
    }

    async fn call(&self, arguments: EchoArguments, _: &CallContext) -> Result<Echoed, ToolError> {
        let numbers =
            vec![json!(0.1 + 0.2), json!(-0.0), json!(1.0), json!(1), json!(u64::MAX), json!(5e-324)];
        let nested = (0..120).fold(json!("deep"), |inner, _| json!([inner]));
        Ok(Echoed { text: arguments.text, numbers, nested })
    }
}

/// Fails.
struct Fail;

#[derive(Deserialize, JsonSchema)]
struct NoArguments {}

impl TypedTool for Fail {
    type Arguments = NoArguments;
    type Output = String;

    fn describe(&self) -> ToolManifest {
        Self::manifest("fail", "Fails.")
    }

    async fn call(&self, _: NoArguments, _: &CallContext) -> Result<String, ToolError> {
        Err(ToolError::new(ErrorCategory::Network, "nobody\nanswers \u{1}").suggest("try again"))
    }
}

/// Takes its time; with `peek`, first says how many intents stand in a journal.
struct Slow {
    peek: Option<PathBuf>,
}

#[derive(Deserialize, JsonSchema)]
struct SlowArguments {
    ms: u64,
}

impl TypedTool for Slow {
    type Arguments = SlowArguments;
    type Output = i64;

    fn describe(&self) -> ToolManifest {
        Self::manifest("slow", "Takes its time.")
    }

    async fn call(&self, arguments: SlowArguments, _: &CallContext) -> Result<i64, ToolError> {
        let seen = self.peek.as_deref().map_or(0, |path| {
            count(path, "SELECT count(*) FROM events WHERE body LIKE '%\"will_call\"%\"tool\":\"slow\"%'")
        });
        tokio::time::sleep(Duration::from_millis(arguments.ms)).await;
        Ok(seen)
    }
}

/// A leaf of the embedder's own, run inside the engine: says how many outcomes stand in a journal.
struct Peek(PathBuf);

impl Leaf for Peek {
    fn start(&self, cx: &mut dyn LeafContext) -> Result<Status, LeafError> {
        cx.because(format!("outcomes: {}", outcomes(&self.0)));
        Ok(Status::Failure)
    }
}

fn outcomes(path: &Path) -> i64 {
    count(path, "SELECT count(*) FROM inputs WHERE body LIKE '{\"outcome\"%'")
}

fn count(path: &Path, sql: &str) -> i64 {
    Connection::open(path).unwrap().query_row(sql, (), |row| row.get(0)).unwrap()
}

/// A folder with a recording to be.
struct Rig {
    folder: TempDir,
    path: PathBuf,
    bytes_max: Option<u64>,
}

impl Rig {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.helve");
        Self { folder, path, bytes_max: None }
    }

    fn registry(&self) -> Registry {
        let mut registry = Registry::new();
        registry.add_typed(Echo).unwrap();
        registry.add_typed(Fail).unwrap();
        registry.add_typed(Slow { peek: Some(self.path.clone()) }).unwrap();
        registry
    }

    /// Starts a recorded run of the nodes in `body`; `sabotage` may do something to the file.
    fn start(
        &self,
        body: &str,
        keys: &[(&str, Value)],
        sabotage: impl FnOnce(&Path),
    ) -> (RunHandle, FaultHandle) {
        let source = source(body);
        let registry = self.registry();
        let mut catalog = catalog_of(&registry).unwrap();
        catalog.add(NodeManifest::leaf("Peek", Class::Condition, vec![], Peek(self.path.clone()))).unwrap();
        let tree =
            tree::load(&source, &catalog, &CompileOptions::default()).unwrap_or_else(|why| panic!("{why}"));
        let head = Head::new(&source, "a Tuesday").with_tools(registry.manifests());
        let head = keys.iter().fold(head, |head, (key, value)| head.with_key(*key, value.clone()));
        let mut recorder = Recorder::create(&self.path, &head).unwrap();
        if let Some(bytes_max) = self.bytes_max {
            recorder = recorder.with_bytes_max(bytes_max);
        }
        let fault = recorder.fault_handle();
        sabotage(&self.path);
        let executor = BoundedExecutor::new(Arc::new(registry), Arc::new(RunClock::start())).unwrap();
        let mut runner = Runner::new(tree, executor).observe(recorder);
        for (key, value) in keys {
            runner = runner.set(key, value.clone()).unwrap();
        }
        (runner.start(), fault)
    }

    async fn record(&self, body: &str, keys: &[(&str, Value)]) -> RunReport {
        let (run, fault) = self.start(body, keys, |_| {});
        let report = run.report().await;
        assert!(fault.fault().is_none(), "{:?}", fault.fault());
        report
    }

    /// A copy of the recording, changed by SQL.
    fn changed(&self, sql: &str) -> PathBuf {
        let copy = self.folder.path().join("changed.helve");
        fs::copy(&self.path, &copy).unwrap();
        Connection::open(&copy).unwrap().execute_batch(sql).unwrap();
        copy
    }
}

fn source(body: &str) -> Arc<Source> {
    let text = format!(r#"<root BTCPP_format="4"><BehaviorTree ID="Main">{body}</BehaviorTree></root>"#);
    Source::new("main.xml", text)
}

fn replay(path: &Path) -> Replay {
    Journal::open(path).unwrap().replay().unwrap()
}

fn fault_of(path: &Path) -> String {
    let fault = match Journal::open(path) {
        Ok(journal) => journal.replay().map(|replay| replay.to_string()).unwrap_err(),
        Err(fault) => fault,
    };
    let diagnostic = Diagnostic::from(fault);
    assert!(diagnostic.help.is_some() && diagnostic.message.contains(&*path.to_string_lossy()));
    let said = diagnostic.message.replace(&*path.to_string_lossy(), "FILE");
    format!("{} {said}", diagnostic.code)
}

const STREAM: &str = r#"
    <Sequence>
        <Fallback>
            <RetryUntilSuccessful num_attempts="3"><fail result="{failed}"/></RetryUntilSuccessful>
            <echo text="{greeting}" result="{said}"/>
        </Fallback>
        <Parallel success_count="3" failure_count="1">
            <echo text="a" text="b"/>
            <slow ms="30"/>
            <slow ms="30"/>
        </Parallel>
        <Fallback>
            <Timeout msec="20"><slow ms="5000"/></Timeout>
            <Delay delay_msec="7"><AlwaysSuccess/></Delay>
        </Fallback>
    </Sequence>"#;

fn stream() -> String {
    STREAM.replace(r#"text="a" text="b""#, r#"text="a""#)
}

fn greeting() -> [(&'static str, Value); 1] {
    [("greeting", Value::from("hello"))]
}

#[tokio::test(start_paused = true)]
async fn a_recorded_run_replays_to_the_byte() {
    async fn check(body: &str, keys: &[(&str, Value)], verdict: &str) {
        let rig = Rig::new();
        let report = rig.record(body, keys).await;
        assert_eq!(report.verdict.to_string(), verdict, "{body}");
        let replay = replay(&rig.path);
        assert_eq!(replay.difference, None, "{body}");
        assert_eq!(replay.ending, Ending::Whole);
        assert_eq!(replay.verdict, Some(report.verdict));
        assert!(replay.in_doubt.is_empty());
        assert!(replay.events > 0 && replay.inputs > 0);
        let events = count(&rig.path, "SELECT count(*) FROM events").cast_unsigned();
        let inputs = count(&rig.path, "SELECT count(*) FROM inputs").cast_unsigned();
        assert_eq!((replay.events, replay.inputs), (events, inputs));
    }
    check("<AlwaysSuccess/>", &[], "SUCCESS").await;
    check("<fail/>", &[], "FAILURE").await;
    check(r#"<echo text=""/>"#, &[], "FAILURE").await;
    check(r#"<echo text="{t}"/>"#, &[("t", Value::from("x"))], "SUCCESS").await;
    check(r#"<Timeout msec="5"><slow ms="60"/></Timeout>"#, &[], "FAILURE").await;
    check(r#"<Repeat num_cycles="4"><slow ms="60"/></Repeat>"#, &[], "SUCCESS").await;
    check(
        r#"<ToolLeaf tool="echo" args='{"text": "{t}"}' result="{r}"/>"#,
        &[("t", Value::Real(0.1))],
        "SUCCESS",
    )
    .await;
    check(r#"<ToolLeaf tool="{t}" args='{"text": "x"}'/>"#, &[("t", Value::from("echo"))], "SUCCESS").await;
    check(&stream(), &greeting(), "SUCCESS").await;
}

#[tokio::test(start_paused = true)]
async fn outcomes_that_came_together_are_one_line_and_replay() {
    let rig = Rig::new();
    let race = r#"<Race><slow ms="30"/><Sequence><slow ms="10"/><slow ms="20"/></Sequence></Race>"#;
    let report = rig.record(race, &[]).await;
    let won: Vec<_> = report.calls.iter().map(|call| call.status).collect();
    assert_eq!(won, [Some(Status::Success), Some(Status::Success), None]);
    let together =
        r#"SELECT count(*) FROM inputs WHERE body LIKE '{"outcomes":[{"outcome":%},{"outcome":%}]}'"#;
    assert_eq!((count(&rig.path, together), outcomes(&rig.path)), (1, 1));
    assert_eq!((replay(&rig.path).difference, replay(&rig.path).ending), (None, Ending::Whole));
}

#[tokio::test(start_paused = true)]
async fn a_recording_in_which_every_outcome_is_an_input_of_its_own_still_replays() {
    let rig = Rig::new();
    rig.record(r#"<Sequence><slow ms="10"/><slow ms="20"/></Sequence>"#, &[]).await;
    assert_eq!(outcomes(&rig.path), 2);
    let older = replay(&rig.changed("PRAGMA user_version = 1"));
    assert_eq!((older.difference, older.ending), (None, Ending::Whole));
}

#[tokio::test(start_paused = true)]
async fn what_came_from_outside_replays_too() {
    let rig = Rig::new();
    let (run, _) =
        rig.start(r#"<Sequence><slow ms="50"/><echo text="{late}"/><slow ms="50"/></Sequence>"#, &[], |_| {});
    run.set("late", Some(Value::from("now"))).await.unwrap();
    run.set("unasked", Some(Value::Real(f64::NAN))).await.unwrap();
    run.set("unasked", None).await.unwrap();
    tokio::time::sleep(Duration::from_millis(60)).await;
    run.halt().await.unwrap();
    assert_eq!(run.report().await.verdict, Verdict::Halted);
    let replay = replay(&rig.path);
    assert_eq!((replay.difference, replay.verdict), (None, Some(Verdict::Halted)));
}

#[tokio::test(start_paused = true)]
async fn intents_and_outcomes_are_written_ahead() {
    let rig = Rig::new();
    let report = rig.record(r#"<Sequence><slow ms="1" result="{seen}"/><Peek/></Sequence>"#, &[]).await;
    assert_eq!(report.value("seen"), Some(&Value::Int(1)), "the intent, before the call began");
    assert_eq!(&*report.failures[0].reason, "outcomes: 1", "the outcome, before the engine saw it");

    let mut nodes = node::catalog();
    nodes.add(NodeManifest::leaf("Peek", Class::Condition, vec![], Peek(rig.path.clone()))).unwrap();
    let replay = Journal::open(&rig.path).unwrap().replay_with(nodes).unwrap();
    assert_eq!(replay.difference, None);
    assert!(fault_of(&rig.path).ends_with("E0407 the tree in the recording FILE does not compile"));
}

#[tokio::test(start_paused = true)]
async fn a_recording_that_was_cut_at_any_place_replays_up_to_it() {
    let rig = Rig::new();
    rig.record(&stream(), &greeting()).await;
    let whole = replay(&rig.path);
    for inputs in 0..=whole.inputs {
        let cut = rig.changed(&format!(
            "DELETE FROM ending; DELETE FROM events WHERE input > {inputs}; DELETE FROM inputs WHERE seq > {inputs}"
        ));
        let got = replay(&cut);
        assert_eq!((got.inputs, got.difference, got.ending), (inputs, None, Ending::CutOff));
        // A verdict may come before the last input: a call that was stopped is still to be reaped.
        assert!(got.verdict.is_none() || inputs + 1 >= whole.inputs, "{inputs}");

        // Cut between the input and its events as well, which is where a kill may fall.
        let cut = rig.changed(&format!(
            "DELETE FROM ending; DELETE FROM events WHERE input >= {inputs}; DELETE FROM inputs WHERE seq > {inputs}"
        ));
        let got = replay(&cut);
        assert_eq!((got.inputs, got.difference), (inputs, None));
    }
}

#[test]
fn a_run_that_was_killed_names_the_calls_in_doubt() {
    let rig = Rig::new();
    let copy = rig.folder.path().join("copy.helve");
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let body = r#"<Sequence><echo text="a"/><slow name="wait" ms="5000"/></Sequence>"#;
    runtime.block_on(async {
        let (run, _) = rig.start(body, &[], |_| {});
        // Time stands still while anything can go on, so by then the second call is under way.
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(outcomes(&rig.path), 1);
        // What lies on the disk now is what a kill would leave.
        fs::copy(&rig.path, &copy).unwrap();
        let lone = replay(&copy);
        assert_eq!(
            (lone.inputs, lone.ending),
            (0, Ending::CutOff),
            "without its log it is short and not broken"
        );
        fs::copy(rig.path.with_extension("helve-wal"), copy.with_extension("helve-wal")).unwrap();
        std::mem::forget(run);
    });
    drop(runtime);
    for path in [&copy, &rig.path] {
        let replay = replay(path);
        assert_eq!((&replay.difference, &replay.verdict), (&None, &None));
        let said = replay.to_string();
        assert!(said.starts_with("replayed 2 inputs and "), "{said}");
        let doubt = ": the same to the byte; ended without a verdict; calls in doubt: call_2 slow (";
        assert!(said.contains(doubt) && said.ends_with("wait)"), "{said}");
    }
}

/// Says that it was started, to whoever reads this process's output, and never ends.
struct Hang;

impl TypedTool for Hang {
    type Arguments = NoArguments;
    type Output = String;

    fn describe(&self) -> ToolManifest {
        Self::manifest("hang", "Never ends.")
    }

    async fn call(&self, _: NoArguments, _: &CallContext) -> Result<String, ToolError> {
        // Not `println!`, which the test harness keeps to itself.
        std::io::stdout().write_all(b"\nhanging\n").and_then(|()| std::io::stdout().flush()).unwrap();
        std::future::pending().await
    }
}

const CHILD: &str = "HELVE_TEST_RECORD_TO";

/// The process that is killed below; nothing otherwise.
#[tokio::test]
async fn child_that_hangs() {
    let Some(path) = std::env::var_os(CHILD) else { return };
    let mut registry = Registry::new();
    registry.add_typed(Echo).unwrap().add_typed(Hang).unwrap();
    let source = source(r#"<Sequence><echo text="a"/><hang/></Sequence>"#);
    let catalog = catalog_of(&registry).unwrap();
    let tree = tree::load(&source, &catalog, &CompileOptions::default()).unwrap();
    let head = Head::new(&source, "").with_tools(registry.manifests());
    let recorder = Recorder::create(Path::new(&path), &head).unwrap();
    let executor = BoundedExecutor::new(Arc::new(registry), Arc::new(RunClock::start())).unwrap();
    Runner::new(tree, executor).observe(recorder).start().report().await;
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the process is this test itself, and only a real one can be killed"
)]
fn a_process_that_was_killed_leaves_a_recording_up_to_its_last_call() {
    let rig = Rig::new();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_that_hangs", "--nocapture"])
        .env(CHILD, &rig.path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let hangs = lines.any(|line| line.unwrap() == "hanging");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(hangs);
    let replay = replay(&rig.path);
    assert_eq!((replay.inputs, &replay.difference, &replay.ending), (2, &None, &Ending::CutOff));
    let events = count(&rig.path, "SELECT count(*) FROM events").cast_unsigned();
    assert_eq!((replay.events, replay.in_doubt.len(), replay.in_doubt[0].tool.as_str()), (events, 1, "hang"));
}

#[tokio::test(start_paused = true)]
async fn a_tampered_recording_is_found_out_by_its_number() {
    let rig = Rig::new();
    rig.record(r#"<Sequence><echo text="a" result="{said}"/><fail/></Sequence>"#, &[]).await;
    let whole = replay(&rig.path);
    let of = |sql: &str| replay(&rig.changed(sql)).difference;
    for seq in 1..=whole.events {
        let Difference { seq: found, recorded, replayed } =
            of(&format!("UPDATE events SET body = body || ' ' WHERE seq = {seq}")).unwrap();
        assert_eq!(found, seq);
        assert_eq!(recorded.unwrap(), replayed.unwrap() + " ");
    }
    let Difference { seq, recorded, replayed } =
        of("DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)").unwrap();
    assert_eq!((seq, recorded, replayed.is_some()), (whole.events, None, true));
    let more = "INSERT INTO events (seq, input, body) SELECT max(seq) + 1, 1, 'more' FROM events";
    let Difference { seq, recorded, replayed } = of(more).unwrap();
    assert_eq!((seq, recorded.as_deref(), replayed), (whole.events + 1, Some("more"), None));
    let other = of(r#"UPDATE ending SET body = '{"verdict":"halted"}'"#).unwrap();
    let lines = [other.recorded, other.replayed].map(Option::unwrap);
    assert_eq!(
        (other.seq, lines),
        (whole.events + 1, ["\"halted\"".into(), "{\"status\":\"FAILURE\"}".into()])
    );

    // Only the last input of a recording that was cut off may lack its events.
    let early = of("DELETE FROM ending; DELETE FROM events WHERE input > 1").unwrap();
    assert_eq!((early.recorded, early.replayed.is_some()), (None, true));

    // An input that is not the recorded one shows in the events that it causes.
    assert!(of("UPDATE inputs SET at_ns = at_ns + 1 WHERE seq = 2").is_some());
    assert!(of(r#"UPDATE inputs SET body = replace(body, '"a"', '"b"')"#).is_some());
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_no_whole_recording_is_refused_with_what_it_is() {
    let rig = Rig::new();
    rig.record(r#"<Repeat num_cycles="{n}"><echo text="a"/></Repeat>"#, &[("n", Value::Int(9))]).await;
    let raw = |bytes: &[u8]| {
        let path = rig.folder.path().join("raw.helve");
        fs::write(&path, bytes).unwrap();
        fault_of(&path)
    };
    let bytes = fs::read(&rig.path).unwrap();
    assert_eq!(raw(b""), "E0407 FILE is no recording: the file is empty");
    assert_eq!(raw(b"<root/>"), "E0407 FILE is no recording: it is no SQLite database");
    assert_eq!(raw(&[0x9e; 100_000]), "E0407 FILE is no recording: it is no SQLite database");
    assert!(raw(&bytes[..bytes.len() / 2]).starts_with("E0407 the recording FILE is damaged: "));
    assert_eq!(fault_of(rig.folder.path()), "E0407 the recording FILE cannot be opened: it is no file");
    let missing = fault_of(&rig.folder.path().join("none.helve"));
    assert!(missing.starts_with("E0407 the recording FILE cannot be opened: no such file"), "{missing}");

    let check = |sql: &str, expected: &str| {
        let said = fault_of(&rig.changed(sql));
        assert!(said.starts_with(expected), "{sql}: {said}");
    };
    check(
        "PRAGMA application_id = 7",
        "E0407 FILE is no recording: it is an SQLite database of something else",
    );
    check(
        "PRAGMA user_version = 3",
        "E0407 the recording FILE has format 3, newer than the 2 that this helve reads",
    );
    check(
        "PRAGMA user_version = 0",
        "E0407 the recording FILE has format 0, older than the 1 that this helve reads",
    );
    check("DELETE FROM head", "E0407 the recording FILE is damaged: the head is missing");
    check("UPDATE head SET body = '{'", "E0407 the recording FILE is damaged: the head cannot be read: EOF");
    check(
        "UPDATE head SET body = replace(body, '</root>', '')",
        "E0407 the tree in the recording FILE does not compile",
    );
    check(
        "UPDATE head SET body = replace(body, '{\"int\":9}', '{\"text\":\"many\"}')",
        "E0407 the recording FILE is damaged: the initial key `n` is not taken: ",
    );
    check(
        "PRAGMA foreign_keys = 0; DELETE FROM inputs WHERE seq = 3",
        "E0407 the recording FILE is damaged: input 3 is missing",
    );
    check("DELETE FROM events WHERE seq = 5", "E0407 the recording FILE is damaged: event 5 is missing");
    check(
        "UPDATE inputs SET body = '\"tock\"' WHERE seq = 1",
        "E0407 the recording FILE is damaged: input 1 cannot be read: unknown variant `tock`",
    );
    check("UPDATE ending SET body = '5'", "E0407 the recording FILE is damaged: the ending cannot be read: ");
    check("DROP TABLE events", "E0407 the recording FILE is damaged: no such table: events");
}

#[test]
fn a_recording_is_made_for_its_owner_and_over_nothing() {
    let rig = Rig::new();
    let head = Head::new(&source("<AlwaysSuccess/>"), "");
    let said = |path: &Path| {
        let fault = Diagnostic::from(Recorder::create(path, &head).unwrap_err());
        let name = path.to_string_lossy();
        assert!(fault.help.is_some());
        format!("{} {}", fault.code, fault.message.replace(&*name, "FILE"))
    };
    drop(Recorder::create(&rig.path, &head).unwrap());
    #[cfg(unix)]
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&rig.path).unwrap().permissions()) & 0o777,
        0o600
    );
    let before = fs::read(&rig.path).unwrap();
    assert_eq!(said(&rig.path), "E0406 FILE is a recording already and is not overwritten");
    assert_eq!(fs::read(&rig.path).unwrap(), before);

    let other = rig.folder.path().join("notes.txt");
    fs::write(&other, "mine").unwrap();
    assert_eq!(said(&other), "E0406 FILE exists, is no recording and is not overwritten");
    assert_eq!(fs::read(&other).unwrap(), b"mine");
    let nowhere = said(&rig.folder.path().join("no/such/folder.helve"));
    assert!(nowhere.starts_with("E0406 the recording FILE cannot be made: no such file"), "{nowhere}");
    assert_eq!(fs::read_dir(rig.folder.path()).unwrap().count(), 2, "nothing else was left");
}

#[tokio::test(start_paused = true)]
async fn a_fault_of_the_recording_is_kept_and_breaks_no_run() {
    let broken = "CREATE TRIGGER full BEFORE INSERT ON events WHEN NEW.seq = 5
        BEGIN SELECT RAISE(ABORT, 'the disk is full'); END";
    let rig = Rig::new();
    let (run, handle) = rig.start(&stream(), &greeting(), |path| {
        Connection::open(path).unwrap().execute_batch(broken).unwrap();
    });
    assert!(handle.fault().is_none());
    assert!(run.report().await.is_success());
    let fault = handle.fault().unwrap();
    let said = fault.to_string();
    assert!(said.starts_with("the recording is incomplete from event 5 on: the recording "), "{said}");
    assert!(said.ends_with("cannot be written: the disk is full"), "{said}");
    assert_eq!(Diagnostic::from(fault).code.id(), "E0406");
    let replay = replay(&rig.path);
    assert_eq!((replay.events, &replay.difference), (4, &None));
    assert!(matches!(&replay.ending, Ending::Stopped(why) if why.ends_with("the disk is full")), "{replay}");
}

#[tokio::test(start_paused = true)]
async fn a_recording_stops_at_its_bound_and_replays_up_to_it() {
    let body = r#"<Sequence><echo text="a"/><slow ms="5"/></Sequence>"#;
    let size = {
        let rig = Rig::new();
        rig.record(body, &[]).await;
        count(
            &rig.path,
            "SELECT (SELECT sum(length(body)) FROM inputs) + (SELECT sum(length(body)) FROM events)",
        )
    };
    for bytes_max in (0..size.cast_unsigned()).step_by(37) {
        let rig = Rig { bytes_max: Some(bytes_max), ..Rig::new() };
        let (run, fault) = rig.start(body, &[], |_| {});
        assert!(run.report().await.is_success());
        assert!(fault.fault().is_some_and(|fault| fault.error.is_full()), "{bytes_max}");
        let replay = replay(&rig.path);
        assert_eq!((replay.difference, replay.events), (None, fault.fault().unwrap().events), "{bytes_max}");
        assert!(matches!(replay.ending, Ending::Stopped(_)));
    }
    let rig = Rig { bytes_max: Some(size.cast_unsigned()), ..Rig::new() };
    rig.record(body, &[]).await;
    assert_eq!(replay(&rig.path).ending, Ending::Whole);
}

#[tokio::test(start_paused = true)]
async fn the_events_of_a_recording_can_be_listed() {
    let rig = Rig::new();
    rig.record(r#"<echo text="{greeting}"/>"#, &greeting()).await;
    let journal = Journal::open(&rig.path).unwrap();
    assert_eq!((&*journal.head().started_at, &**journal.tree().unwrap().name()), ("a Tuesday", "Main"));
    let events: Vec<_> = journal.events().map(Result::unwrap).collect();
    let seqs: Vec<_> = events.iter().map(|event| event.seq).collect();
    assert_eq!(seqs, (1..=events.len() as u64).collect::<Vec<_>>());
    assert_eq!((events[0].input, events[1].input, events.last().unwrap().input), (None, Some(1), Some(2)));
    let names: Vec<_> =
        (events.iter()).map(|event| serde_json::from_str::<EventName>(&event.line).unwrap().event).collect();
    assert_eq!(names[..3], ["did_write", "will_tick", "will_call"]);

    let hole = Journal::open(&rig.changed("DELETE FROM events WHERE seq = 2")).unwrap();
    let listed: Vec<_> = hole.events().map(|event| event.is_ok()).collect();
    assert_eq!(listed, [true, false]);
}

#[derive(Deserialize)]
struct EventName {
    event: String,
}
