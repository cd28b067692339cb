//! The bounded executor: a call ends by its deadline, leaves exactly one outcome, and does no harm
//! afterwards, whatever its tool does.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use helve::call::{Arguments, Call};
use helve::diag::Code;
use helve::exec::{BoundedExecutor, Turn, TurnSettings};
use helve::harness::LeaseLost;
use helve::id::CallId;
use helve::limits::{STOP_GRACE, TOOL_TIMEOUT_DEFAULT};
use helve::manifest::ToolManifest;
use helve::moment::{Clock, Moment};
use helve::outcome::{DenialReason, ErrorCategory, Outcome};
use helve::tool::{CallContext, CancelToken, Registry, Tool, ToolError};
use serde_json::{Value as Json, json};
use tokio::runtime::Handle;
use tokio::time::{Instant, advance, sleep, timeout};

/// The clock of the test runtime: it stands still until the timer moves it, or until a tool works
/// without ever giving its thread back.
struct Paused {
    start: Instant,
    hogged_ms: AtomicU64,
}

impl Paused {
    #[expect(clippy::disallowed_methods, reason = "the clock of the tests is the runtime's paused one")]
    fn start() -> Arc<Self> {
        Arc::new(Self { start: Instant::now(), hogged_ms: AtomicU64::new(0) })
    }

    /// Time goes on, and no timer sees it.
    fn hog(&self, span: Duration) {
        self.hogged_ms.fetch_add(span.as_millis() as u64, Ordering::SeqCst);
    }
}

impl Clock for Paused {
    fn now(&self) -> Moment {
        let hogged = Duration::from_millis(self.hogged_ms.load(Ordering::SeqCst));
        Moment::ZERO + self.start.elapsed() + hogged
    }
}

/// What the test tool does; `act` names it.
struct Actor {
    manifest: Arc<ToolManifest>,
    clock: Arc<Paused>,
    started: AtomicUsize,
    /// Where it writes.
    path: PathBuf,
    /// Taken by the one act of a test that writes when it is told to.
    late: Mutex<Option<LateWrite>>,
    /// Said once a blocking act has begun.
    begun: SyncSender<()>,
}

/// When to write, and where to say how it went.
type LateWrite = (Receiver<()>, SyncSender<Result<(), String>>);

struct Rig {
    actor: Arc<Actor>,
    executor: BoundedExecutor,
    folder: tempfile::TempDir,
    release: SyncSender<()>,
    wrote: Mutex<Receiver<Result<(), String>>>,
    begun: Mutex<Receiver<()>>,
    alive: usize,
}

impl Rig {
    fn new() -> Self {
        Self::with(|manifest| manifest)
    }

    fn with(change: impl FnOnce(ToolManifest) -> ToolManifest) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "act": {"type": "string"},
                "ms": {"type": "integer", "default": 0},
            },
            "required": ["act"],
        });
        let folder = tempfile::tempdir().unwrap();
        let (release, released) = sync_channel(1);
        let (say, wrote) = sync_channel(1);
        let (begin, begun) = sync_channel(1);
        let clock = Paused::start();
        let actor = Arc::new(Actor {
            clock: clock.clone(),
            manifest: Arc::new(change(ToolManifest::new("actor", "acts", schema))),
            started: AtomicUsize::new(0),
            path: folder.path().join("note.md"),
            late: Mutex::new(Some((released, say))),
            begun: begin,
        });
        fs::write(&actor.path, "before").unwrap();
        let mut registry = Registry::new();
        registry.add(actor.clone()).unwrap();
        let executor = BoundedExecutor::new(Arc::new(registry), clock).unwrap();
        let alive = Handle::current().metrics().num_alive_tasks();
        let (wrote, begun) = (Mutex::new(wrote), Mutex::new(begun));
        Self { actor, executor, folder, release, wrote, begun, alive }
    }

    async fn execute(&self, act: &str, ms: u64) -> Outcome {
        self.execute_in(&Turn::default(), call("actor", json!({"act": act, "ms": ms})), CancelToken::new())
            .await
    }

    async fn execute_in(&self, turn: &Turn, call: Call, cancel: CancelToken) -> Outcome {
        let asked = call.id;
        let outcome = self.executor.execute(Arc::new(call), turn, cancel).await;
        assert_eq!(outcome.call_id(), asked);
        outcome
    }

    fn note(&self) -> String {
        fs::read_to_string(&self.actor.path).unwrap()
    }

    fn started(&self) -> usize {
        self.actor.started.load(Ordering::SeqCst)
    }

    /// Lets the late writer go and waits until it has tried.
    fn let_it_write_late(&self) {
        self.release.send(()).unwrap();
        let lost = self.wrote.lock().unwrap().recv().unwrap();
        assert_eq!(lost, Err(LeaseLost.to_string()));
        assert_eq!(self.note(), "before");
        assert_eq!(fs::read_dir(self.folder.path()).unwrap().count(), 1);
    }

    /// Aborted tasks are dropped by the scheduler: a few turns of it, and no time.
    async fn assert_no_task_is_left(&self) {
        for _ in 0..1_000 {
            if Handle::current().metrics().num_alive_tasks() <= self.alive {
                return;
            }
            tokio::task::yield_now().await;
        }
        panic!("{} tasks are left", Handle::current().metrics().num_alive_tasks() - self.alive);
    }
}

fn call(tool: &str, arguments: Json) -> Call {
    let Json::Object(arguments) = arguments else { panic!("arguments are an object") };
    Call {
        id: CallId(1),
        tool: tool.into(),
        arguments: Arc::new(arguments),
        timeout: None,
        attempt: 1,
        caller: "root".into(),
    }
}

#[async_trait]
impl Tool for Actor {
    fn manifest(&self) -> &Arc<ToolManifest> {
        &self.manifest
    }

    async fn call(&self, arguments: Arguments, cx: &CallContext) -> Result<Json, ToolError> {
        self.started.fetch_add(1, Ordering::SeqCst);
        let pause = Duration::from_millis(arguments["ms"].as_u64().unwrap());
        match arguments["act"].as_str().unwrap() {
            "answer" => sleep(pause).await,
            "hang" => std::future::pending().await,
            "fail" => return Err(ToolError::resource("no such file").suggest("look elsewhere")),
            "panic" => panic!("out of ideas"),
            "panic_later" => {
                sleep(pause).await;
                panic!("out of ideas")
            }
            "panic_blocking" => cx.blocking(|_| -> Result<(), _> { panic!("out of ideas") }).await?,
            "panic_dropped" => {
                let _bomb = Bomb;
                std::future::pending().await
            }
            "panic_odd" => std::panic::panic_any(Bomb),
            "deep" => return Ok((0..200_000).fold(Json::Null, |inner, _| Json::Array(vec![inner]))),
            "write" => {
                sleep(pause).await;
                cx.lease().write_file(&self.path, b"after").map_err(|e| ToolError::io("writing", &e))?
            }
            "write_late" => return self.write_late(cx).await,
            "write_behind" => self.write_behind(cx),
            "effect" => {
                let effect = self.long_effect();
                cx.blocking(move |cx| Ok(effect(cx).is_ok())).await?;
            }
            "effect_behind" => {
                let (effect, cx) = (self.long_effect(), cx.clone());
                std::thread::spawn(move || effect(&cx));
                sleep(pause).await
            }
            "ends_when_told" => cx.token().cancelled().await,
            "hog" => self.clock.hog(pause),
            "hog_and_write" => {
                self.clock.hog(pause);
                cx.lease().write_file(&self.path, b"after").map_err(|e| ToolError::io("writing", &e))?
            }
            "left_ms" => return Ok(json!(cx.time_left().as_millis() as u64)),
            other => return Err(ToolError::user_input(format!("cannot {other}"))),
        }
        Ok(json!({"done": arguments["act"]}))
    }
}

impl Actor {
    /// Blocks on a real thread, deaf to its token, until the test lets it go; then writes.
    async fn write_late(&self, cx: &CallContext) -> Result<Json, ToolError> {
        let (released, say) = self.late.lock().unwrap().take().expect("one late write a test");
        let (path, begun) = (self.path.clone(), self.begun.clone());
        cx.blocking(move |cx| {
            begun.send(()).unwrap();
            released.recv().unwrap();
            say.send(cx.lease().write_file(&path, b"after").map_err(|error| error.to_string())).unwrap();
            Ok(Json::Null)
        })
        .await
    }

    /// An effect that has begun and lands when the test lets it.
    fn long_effect(&self) -> impl FnOnce(&CallContext) -> Result<(), LeaseLost> + Send + 'static {
        let (released, say) = self.late.lock().unwrap().take().expect("one late write a test");
        let (path, begun) = (self.path.clone(), self.begun.clone());
        move |cx| {
            let landed = cx.lease().commit(|| {
                begun.send(()).unwrap();
                released.recv().unwrap();
                fs::write(&path, "after").unwrap();
            });
            say.send(landed.map_err(|error| error.to_string())).unwrap();
            landed
        }
    }

    /// Answers at once and leaves a thread behind that writes after the answer.
    fn write_behind(&self, cx: &CallContext) {
        let (released, say) = self.late.lock().unwrap().take().expect("one late write a test");
        let (path, lease) = (self.path.clone(), cx.lease().clone());
        std::thread::spawn(move || {
            released.recv().unwrap();
            say.send(lease.write_file(&path, b"after").map_err(|error| error.to_string())).unwrap();
        });
    }
}

/// Panics when it is dropped, unless a panic is under way already.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("dropped");
        }
    }
}

fn failure(outcome: &Outcome) -> (ErrorCategory, &str, bool) {
    match outcome {
        Outcome::ToolFailure(it) => (it.category, &it.error, it.retryable),
        other => panic!("not a failure: {other:?}"),
    }
}

/// `(deadline in seconds, elapsed in ms, retryable)`
fn time_out(outcome: &Outcome) -> (f64, u64, bool) {
    match outcome {
        Outcome::ToolTimeout(it) => (it.deadline_s, it.elapsed_ms, it.retryable),
        other => panic!("not a timeout: {other:?}"),
    }
}

const DEFAULT_MS: u64 = TOOL_TIMEOUT_DEFAULT.as_millis() as u64;

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
        assert_eq!(time_out(&outcome), (30.0, DEFAULT_MS, retry));
        rig.assert_no_task_is_left().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a03_a_tool_that_would_end_when_told_is_not_waited_for_at_the_deadline() {
    let rig = Rig::new();
    assert_eq!(time_out(&rig.execute("ends_when_told", 0).await).1, DEFAULT_MS);
}

#[tokio::test(start_paused = true)]
async fn a04_a_late_write_from_a_thread_lands_nowhere() {
    let rig = Arc::new(Rig::new());
    let (turn, cancel) = (Turn::default(), CancelToken::new());
    let call = Arc::new(call("actor", json!({"act": "write_late"})));
    let executor = rig.executor.clone();
    let under_way = tokio::spawn(async move { executor.execute(call, &turn, cancel).await });
    until_begun(&rig).await;
    // The runtime does not move its clock while a thread of its own works.
    advance(TOOL_TIMEOUT_DEFAULT).await;
    assert_eq!(time_out(&under_way.await.unwrap()), (30.0, DEFAULT_MS, true));
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

async fn until_begun(rig: &Rig) {
    while rig.begun.lock().unwrap().try_recv().is_err() {
        tokio::task::yield_now().await;
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
    assert_eq!(time_out(&rig.execute("panic_dropped", 0).await).1, DEFAULT_MS);
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

#[tokio::test(start_paused = true)]
async fn an_unknown_tool_is_a_failure_that_names_the_one_that_was_meant() {
    let outcome = Rig::new().execute_in(&Turn::default(), call("acter", json!({})), CancelToken::new()).await;
    let expected = (ErrorCategory::Configuration, "there is no tool named `acter`", false);
    assert_eq!(failure(&outcome), expected);
    let Outcome::ToolFailure(it) = outcome else { unreachable!() };
    assert_eq!(it.suggestion.as_deref(), Some("did you mean `actor`?"));
}

#[tokio::test(start_paused = true)]
async fn b06_arguments_are_coerced_or_refused_before_the_tool_starts() {
    let rig = Rig::new();
    let turn = Turn::default();
    let run = |arguments| rig.execute_in(&turn, call("actor", arguments), CancelToken::new());
    let outcome = run(json!({"act": "answer", "ms": "40"})).await;
    let Outcome::ToolExecutionResult(result) = outcome else { panic!("{outcome:?}") };
    assert!(result.was_coerced);
    assert_eq!(result.elapsed_ms, 40);
    let outcome = run(json!({"act": "answer"})).await;
    let Outcome::ToolExecutionResult(result) = outcome else { panic!("{outcome:?}") };
    assert!(!result.was_coerced);
    let outcome = run(json!({"ms": "soon"})).await;
    let Outcome::ToolDenied(denied) = outcome else { panic!("{outcome:?}") };
    assert_eq!(denied.reason, DenialReason::Validation);
    assert_eq!(rig.started(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_schema_that_is_none_is_found_when_the_executor_is_made() {
    let mut registry = Registry::new();
    for (name, schema) in [("bad", json!({"type": 7})), ("list", json!({"type": "array"}))] {
        let manifest = Arc::new(ToolManifest::new(name, "", schema));
        let (begun, _) = sync_channel(1);
        let path = PathBuf::new();
        let (started, late) = (AtomicUsize::new(0), Mutex::new(None));
        registry
            .add(Arc::new(Actor { manifest, clock: Paused::start(), started, path, late, begun }))
            .unwrap();
    }
    let faults = BoundedExecutor::new(Arc::new(registry), Paused::start()).err().unwrap();
    let told: Vec<_> = faults.iter().map(|fault| (fault.code, &*fault.message)).collect();
    assert_eq!(told.len(), 2);
    assert!(told.iter().all(|(code, _)| *code == Code::E0501));
    assert!(told[0].1.starts_with("the argument schema of tool `bad` cannot be used: at /type"), "{told:?}");
    assert!(told[1].1.contains("tool `list`"));
}

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

/// Numbers that are as random as a seed makes them: xorshift.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// One call of the torture: what it does, how long, its own bound, and when it is cancelled or
/// dropped.
struct Ordeal {
    call: Call,
    cancel_ms: Option<u64>,
    drop_ms: Option<u64>,
}

impl Ordeal {
    const ACTS: [&str; 13] = [
        "answer",
        "hang",
        "fail",
        "panic",
        "panic_later",
        "panic_dropped",
        "panic_odd",
        "deep",
        "write",
        "ends_when_told",
        "panic_blocking",
        "left_ms",
        "no_such_act",
    ];

    fn roll(dice: &mut Dice, id: u64) -> Self {
        let act = Self::ACTS[dice.below(Self::ACTS.len() as u64) as usize];
        let ms = if dice.below(10) == 0 { json!("garbage") } else { json!(dice.below(3_000)) };
        let mut call = call("actor", json!({"act": act, "ms": ms}));
        call.id = CallId(id);
        call.timeout = (dice.below(2) == 0).then(|| Duration::from_millis(dice.below(3_000)));
        let cancel_ms = (dice.below(3) == 0).then(|| dice.below(3_000));
        let drop_ms = (dice.below(8) == 0).then(|| dice.below(3_000));
        Self { call, cancel_ms, drop_ms }
    }

    /// Answers how many outcomes came: one, or none for a call that was dropped.
    async fn run(self, rig: Arc<Rig>) -> (bool, Option<Outcome>) {
        let (turn, cancel) = (Turn::default(), CancelToken::new());
        let canceller = cancel.clone();
        let cancel_ms = self.cancel_ms;
        let bound = self.call.timeout.unwrap_or(TOOL_TIMEOUT_DEFAULT) + STOP_GRACE;
        let executed = async {
            let cancelling = async {
                sleep(Duration::from_millis(cancel_ms.unwrap_or(u64::from(u32::MAX)))).await;
                canceller.cancel();
                std::future::pending::<Outcome>().await
            };
            tokio::select! {
                outcome = rig.execute_in(&turn, self.call, cancel) => outcome,
                outcome = cancelling => outcome,
            }
        };
        let patience = self.drop_ms.map_or(bound + Duration::from_millis(2), Duration::from_millis);
        (self.drop_ms.is_some(), timeout(patience, executed).await.ok())
    }
}

#[tokio::test(start_paused = true)]
async fn torture_every_call_leaves_one_outcome_and_no_task() {
    for seed in [1, 42, 20_260_101] {
        let rig = Arc::new(Rig::new());
        let mut dice = Dice(seed);
        let calls: Vec<_> =
            (0..400).map(|id| tokio::spawn(Ordeal::roll(&mut dice, id).run(rig.clone()))).collect();
        let mut kinds = std::collections::BTreeMap::new();
        for call in calls {
            let (dropped, outcome) = call.await.unwrap();
            assert!(dropped || outcome.is_some(), "seed={seed}: a call outlived its deadline and grace");
            *kinds.entry(outcome.map_or("none", |outcome| outcome.kind())).or_insert(0) += 1;
        }
        assert_eq!(kinds.len(), 5, "seed={seed}: {kinds:?}");
        rig.assert_no_task_is_left().await;
    }
}
