//! The driver: what wakes it, in what order things are told, how a run ends.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use helve::engine::{Engine, Input, Verdict};
use helve::event::{Event, EventKind};
use helve::exec::BoundedExecutor;
use helve::limits::{EVENT_BACKLOG_MAX, OUTCOMES_PER_INPUT_MAX};
use helve::manifest::ToolManifest;
use helve::moment::Moment;
use helve::run::{Observer, RunClock, RunEvent, RunReport, Runner, catalog_of};
use helve::status::Status;
use helve::text::Source;
use helve::tool::{CallContext, Registry, ToolError, TypedTool};
use helve::tree::{self, CompileOptions};
use helve::value::Value;

/// Sleeps for `ms`, if for any, then gives `text` back. Counts its starts and its ends.
#[derive(Clone, Default)]
struct Sleepy {
    started: Arc<AtomicUsize>,
    ended: Arc<AtomicUsize>,
    journal: Arc<Mutex<Vec<String>>>,
}

#[derive(Deserialize, JsonSchema)]
struct SleepyArguments {
    #[serde(default)]
    ms: u64,
    #[serde(default)]
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct SleepyOutput {
    said: String,
}

impl TypedTool for Sleepy {
    type Arguments = SleepyArguments;
    type Output = SleepyOutput;

    fn describe(&self) -> ToolManifest {
        Self::manifest("sleepy", "Sleeps and speaks.").success("result.said != ''")
    }

    async fn call(&self, arguments: SleepyArguments, cx: &CallContext) -> Result<SleepyOutput, ToolError> {
        self.started.fetch_add(1, Ordering::SeqCst);
        self.journal.lock().expect("no panic under the lock").push(format!("{} runs", cx.call().id));
        cx.progress("sleeping");
        if arguments.ms > 0 {
            tokio::time::sleep(Duration::from_millis(arguments.ms)).await;
        }
        self.ended.fetch_add(1, Ordering::SeqCst);
        Ok(SleepyOutput { said: arguments.text })
    }
}

/// A runner of the nodes `body` with the one tool.
fn runner(body: &str, tool: &Sleepy) -> Runner {
    let mut registry = Registry::new();
    registry.add_typed(tool.clone()).expect("one tool");
    let text = format!("<root BTCPP_format=\"4\"><BehaviorTree ID=\"Main\">{body}</BehaviorTree></root>");
    let catalog = catalog_of(&registry).expect("a good manifest");
    let tree =
        tree::load(&Source::new("<test>", text), &catalog, &CompileOptions::default()).expect("a good tree");
    let clock = Arc::new(RunClock::start());
    Runner::new(tree, BoundedExecutor::new(Arc::new(registry), clock).expect("good schemas"))
}

#[track_caller]
fn check(report: &RunReport, verdict: Verdict, ms: u128, outcomes: &[&str]) {
    assert_eq!(report.verdict, verdict, "{:?}", report.failures);
    assert_eq!(report.elapsed.as_millis(), ms);
    let got: Vec<_> = report
        .calls
        .iter()
        .map(|record| record.outcome.as_ref().map_or("none", |outcome| outcome.kind()))
        .collect();
    assert_eq!(got, outcomes);
}

const SUCCESS: Verdict = Verdict::Status(Status::Success);
const FAILURE: Verdict = Verdict::Status(Status::Failure);

#[tokio::test(start_paused = true)]
async fn a_run_calls_tools_and_has_typed_outputs() {
    let tool = Sleepy::default();
    let body = "<Sequence><sleepy ms=\"20\" text=\"{word}\" said=\"{a}\"/>\
                <sleepy ms=\"30\" text=\"{a} and {a}\" result=\"{b}\"/></Sequence>";
    let report = runner(body, &tool).set("word", "hi").expect("a key").start().report().await;
    check(&report, SUCCESS, 50, &["result", "result"]);
    assert_eq!(report.output::<String>("a").as_deref(), Ok("hi"));
    assert_eq!(report.output::<serde_json::Value>("b").expect("a value")["said"], "hi and hi");
    assert_eq!(report.output::<u32>("a").unwrap_err().to_string().lines().count(), 1);
    assert_eq!(report.output::<u32>("c").unwrap_err().to_string(), "the key `c` has no value");
}

#[tokio::test(start_paused = true)]
async fn parallel_calls_overlap() {
    let body = "<Parallel success_count=\"-1\"><sleepy ms=\"20\" text=\"a\"/><sleepy ms=\"30\" text=\"b\"/></Parallel>";
    let report = runner(body, &Sleepy::default()).start().report().await;
    check(&report, SUCCESS, 30, &["result", "result"]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_has_its_reason_in_words() {
    let body = "<Fallback><sleepy ms=\"5\" text=\"\"/><sleepy ms=\"60000\" text=\"x\" _timeout_ms=\"100\"/></Fallback>";
    let report = runner(body, &Sleepy::default()).start().report().await;
    check(&report, FAILURE, 605, &["result", "timeout"]);
    let reasons: Vec<_> = report.failures.iter().map(|failed| &*failed.reason).collect();
    assert_eq!(
        reasons,
        ["`result.said != ''` is false: result.said is ''", "sleepy did not end within 0.1 s"]
    );
}

#[tokio::test(start_paused = true)]
async fn nothing_polls_while_nothing_happens() {
    let body = "<Delay delay_msec=\"3600000\"><AlwaysSuccess/></Delay>";
    let report = runner(body, &Sleepy::default()).start().report().await;
    check(&report, SUCCESS, 3_600_000, &[]);
    assert_eq!(report.ticks, 2, "one tick to begin with, one when the timer fired");
}

#[tokio::test(start_paused = true)]
async fn a_timeout_node_stops_the_call_under_it() {
    let tool = Sleepy::default();
    let body = "<Timeout msec=\"50\"><sleepy ms=\"60000\" text=\"x\" _timeout_ms=\"30000\"/></Timeout>";
    let report = runner(body, &tool).start().report().await;
    assert_eq!(report.verdict, FAILURE);
    assert_eq!(report.calls.len(), 1);
    let outcome = report.calls[0].outcome.as_ref().expect("a stopped call leaves its outcome");
    assert_eq!(outcome.failure_text().as_deref(), Some("the call was cancelled"));
    assert_eq!(report.calls[0].status, None, "nobody wanted it any more");
    assert_eq!(tool.ended.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn halting_stops_calls_and_leaves_each_its_outcome() {
    let tool = Sleepy::default();
    let body = "<Parallel><sleepy ms=\"60000\" text=\"a\" _timeout_ms=\"30000\"/>\
                <sleepy ms=\"60000\" text=\"b\" _timeout_ms=\"30000\"/></Parallel>";
    let run = runner(body, &tool).start();
    tokio::time::sleep(Duration::from_millis(10)).await;
    run.halt().await.expect("it still runs");
    let report = run.report().await;
    assert_eq!(report.verdict, Verdict::Halted);
    assert!(report.elapsed < Duration::from_secs(2), "{:?}", report.elapsed);
    assert_eq!(report.calls.iter().filter(|record| record.outcome.is_some()).count(), 2);
    assert_eq!((tool.started.load(Ordering::SeqCst), tool.ended.load(Ordering::SeqCst)), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn dropping_the_handle_halts_the_run() {
    let tool = Sleepy::default();
    let (sender, receiver) = tokio::sync::oneshot::channel();
    struct End(Option<tokio::sync::oneshot::Sender<Option<Verdict>>>);
    impl Observer for End {
        fn did_end(&mut self, engine: &Engine) {
            if let Some(sender) = self.0.take() {
                let _ = sender.send(engine.verdict().cloned());
            }
        }
    }
    let body = "<sleepy ms=\"60000\" text=\"a\" _timeout_ms=\"30000\"/>";
    let run = runner(body, &tool).observe(End(Some(sender))).start();
    tokio::time::sleep(Duration::from_millis(10)).await;
    drop(run);
    assert_eq!(receiver.await, Ok(Some(Verdict::Halted)));
    assert_eq!(tool.ended.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn a_key_written_from_outside_ticks_the_tree() {
    let body = "<ReactiveFallback><AlwaysSuccess _failureIf=\"go == 0\"/>\
                <sleepy ms=\"60000\" text=\"a\" _timeout_ms=\"30000\"/></ReactiveFallback>";
    let run = runner(body, &Sleepy::default()).set("go", Value::Int(0)).expect("a key").start();
    tokio::time::sleep(Duration::from_millis(70)).await;
    run.set("cycles", None).await.expect("a late key is fine");
    let refused = run.set("go_on", Some(Value::text("x"))).await;
    assert_eq!(refused, Ok(()), "an untyped key takes anything");
    run.set("go", Some(Value::Int(1))).await.expect("it still runs");
    let report = run.report().await;
    assert_eq!(report.verdict, SUCCESS);
    assert_eq!(report.calls[0].status, None, "the call was no longer wanted");
}

#[tokio::test(start_paused = true)]
async fn an_unknown_key_is_refused_before_the_run() {
    let refused = |key: &str, value: Value| {
        let runner = runner("<Repeat num_cycles=\"{cycles}\"><AlwaysSuccess/></Repeat>", &Sleepy::default());
        runner.set(key, value).map(drop).expect_err("a fault").to_string()
    };
    assert_eq!(refused("cycle", 1.into()), "the tree knows no key `cycle`; did you mean `cycles`?");
    assert_eq!(refused("zebra", 1.into()), "the tree knows no key `zebra`");
    let text = refused("cycles", "many".into());
    assert_eq!(text, "the key `cycles` of type int does not take this value: \"many\" is no int");
}

/// Writes down what it is told.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn note(&self, text: impl Into<String>) {
        self.0.lock().expect("no panic under the lock").push(text.into());
    }
}

impl Observer for Log {
    fn will_handle(&mut self, now: Moment, input: &Input) {
        let name = match input {
            Input::Tick => "tick",
            Input::Outcome(_) => "outcome",
            Input::Outcomes(_) => "outcomes",
            Input::Deadline => "deadline",
            Input::Write { .. } => "write",
            Input::Halt => "halt",
        };
        self.note(format!("{now} {name}"));
    }

    fn did_happen(&mut self, event: &Event) {
        match &event.kind {
            EventKind::WillCall { call, .. } => self.note(format!("{} announced", call.id)),
            EventKind::DidCall { call, .. } => self.note(format!("{call} judged")),
            _ => {}
        }
    }

    fn settled(&mut self) {
        self.note("settled");
    }
}

#[tokio::test(start_paused = true)]
async fn an_observer_is_told_before_the_effect() {
    let log = Log::default();
    let tool = Sleepy { journal: log.0.clone(), ..Sleepy::default() };
    runner("<sleepy ms=\"20\" text=\"a\"/>", &tool).observe(log.clone()).start().report().await;
    let lines = log.0.lock().expect("no panic under the lock").join("\n");
    insta::assert_snapshot!(lines, @r"
    settled
    0.000s tick
    call_1 announced
    settled
    call_1 runs
    0.020s outcome
    call_1 judged
    settled
    ");
}

/// Runs `body`; answers the inputs, and how many calls began.
async fn inputs_of(body: &str) -> (String, usize, RunReport) {
    let (log, tool) = (Log::default(), Sleepy::default());
    let report = runner(body, &tool).observe(log.clone()).start().report().await;
    let lines = log.0.lock().expect("no panic under the lock");
    let inputs: Vec<_> = lines.iter().filter(|line| line.contains("s ")).map(String::as_str).collect();
    (inputs.join(", "), tool.started.load(Ordering::SeqCst), report)
}

#[tokio::test(start_paused = true)]
async fn what_is_there_at_one_moment_comes_together_and_ticks_once() {
    const SLEEPY: &str = r#"<sleepy ms="20" text="a"/>"#;
    let (inputs, _, report) = inputs_of(&format!("<Parallel>{SLEEPY}{SLEEPY}{SLEEPY}</Parallel>")).await;
    assert_eq!((inputs.as_str(), report.ticks), ("0.000s tick, 0.020s outcomes", 2));

    // A command from outside is listened to in between.
    let many = SLEEPY.repeat(OUTCOMES_PER_INPUT_MAX + 2);
    let (inputs, _, report) = inputs_of(&format!("<Parallel>{many}</Parallel>")).await;
    assert_eq!((inputs.as_str(), report.ticks), ("0.000s tick, 0.020s outcomes, 0.020s outcomes", 3));

    // Whichever timer rang first, the first of the tree is the answer.
    let later = r#"<Sequence><sleepy ms="5" text="b"/><sleepy ms="15" text="c"/></Sequence>"#;
    for body in [format!("<Race>{SLEEPY}{later}</Race>"), format!("<Race>{later}{SLEEPY}</Race>")] {
        let (inputs, _, report) = inputs_of(&body).await;
        assert_eq!(inputs, "0.000s tick, 0.005s outcome, 0.020s outcomes");
        let lost = report.calls.iter().find(|call| call.status.is_none()).expect("one of them lost");
        assert_eq!(Some(lost.node), report.tree.ids().last(), "the last leaf");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_answers_at_once_is_heard_before_the_next_one_begins() {
    let at_once = r#"<sleepy text="a"/>"#.repeat(3);
    let (inputs, began, _) = inputs_of(&format!("<Race>{at_once}</Race>")).await;
    assert_eq!((inputs.as_str(), began), ("0.000s tick, 0.000s outcome, 0.000s outcomes", 1));
}

/// For nobody the engine tells less.
#[tokio::test(start_paused = true)]
async fn a_report_is_the_same_whether_or_not_somebody_watches() {
    let body = "<Fallback><sleepy ms=\"5\" said=\"{a}\"/><Race><sleepy ms=\"20\" text=\"a\"/><Sequence>\
                <sleepy ms=\"10\" text=\"b\"/><sleepy ms=\"10\" text=\"c\"/></Sequence></Race></Fallback>";
    let report = |runner: Runner| async move {
        let report = runner.start().report().await;
        (format!("{:?} {:?} {}", report.calls, report.failures, report.ticks), report.calls.len())
    };
    let alone = report(runner(body, &Sleepy::default())).await;
    let watched = report(runner(body, &Sleepy::default()).observe(Log::default())).await;
    assert_eq!(alone, watched);
    assert_eq!(alone.1, 4);
}

/// What was not told is counted, so that a watcher who comes late hears the same numbers.
#[tokio::test(start_paused = true)]
async fn who_watches_from_the_middle_on_hears_the_numbers_of_who_watched_all() {
    async fn last_seq(early: bool) -> u64 {
        let body = "<Sequence><sleepy ms=\"5\" text=\"a\"/><sleepy ms=\"20\" text=\"a\"/></Sequence>";
        let run = runner(body, &Sleepy::default()).start();
        let mut events = run.events();
        if !early {
            drop(events);
            tokio::time::sleep(Duration::from_millis(10)).await;
            events = run.events();
        }
        let report = tokio::spawn(run.report());
        let mut seq = 0;
        while let Some(event) = events.next().await {
            if let RunEvent::Engine(event) = event {
                seq = event.seq;
            }
        }
        assert!(report.await.expect("no panic").is_success());
        seq
    }
    assert_eq!(last_seq(false).await, last_seq(true).await);
}

#[tokio::test(start_paused = true)]
async fn watchers_hear_the_run_from_its_beginning_to_its_end() {
    let run = runner("<sleepy ms=\"20\" text=\"a\"/>", &Sleepy::default()).start();
    let mut events = run.events();
    let report = run.report().await;
    let mut seen = Vec::new();
    while let Some(event) = events.next().await {
        seen.push(event);
    }
    assert!(report.is_success());
    assert!(matches!(&seen[0], RunEvent::Engine(event) if event.seq == 1));
    assert!(seen.iter().any(|event| matches!(event, RunEvent::Notice { .. })), "progress is heard");
    let last = seen.last().expect("events");
    assert!(matches!(last, RunEvent::Engine(event) if matches!(event.kind, EventKind::DidTick { .. })));
}

/// The first watcher comes at whatever moment of the run it comes, from a thread of its own: what the
/// run does while it is being let in is told as well.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_watcher_hears_all_whenever_it_comes() {
    let body = "<Sequence><sleepy text=\"a\"/><Repeat num_cycles=\"40\"><AlwaysSuccess/></Repeat></Sequence>";
    for round in 0..200 {
        let run = runner(body, &Sleepy::default()).start();
        // From before its first tick to after its last.
        (0..round % 50).for_each(|_| std::thread::yield_now());
        let mut events = run.events();
        let report = run.report().await;
        let mut heard = Vec::new();
        while let Some(event) = events.next().await {
            match event {
                RunEvent::Engine(event) => heard.push(event),
                RunEvent::Notice { .. } => {}
                RunEvent::Missed(missed) => panic!("round {round}: {missed} were missed"),
            }
        }
        assert!(report.is_success());
        let places: Vec<_> = heard.iter().map(|event| event.seq).collect();
        assert_eq!(places, (1..=places.len() as u64).collect::<Vec<_>>(), "round {round}");
        let last = &heard.last().expect("events").kind;
        assert!(matches!(last, EventKind::DidTick { .. }), "round {round}: {last:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_watcher_is_told_what_it_missed() {
    let body = format!("<Repeat num_cycles=\"{EVENT_BACKLOG_MAX}\"><AlwaysSuccess/></Repeat>");
    let run = runner(&body, &Sleepy::default()).start();
    let mut events = run.events();
    assert!(run.report().await.is_success());
    assert!(matches!(events.next().await, Some(RunEvent::Missed(missed)) if missed > 0));
}
