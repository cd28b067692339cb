//! The tool of these tests, and an executor around it.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use helve::call::{Arguments, Call};
use helve::exec::{BoundedExecutor, Collaborators, Turn};
use helve::harness::LeaseLost;
use helve::id::CallId;
use helve::limits::{STOP_GRACE, TOOL_TIMEOUT_DEFAULT};
use helve::manifest::ToolManifest;
use helve::moment::{Clock, Moment};
use helve::outcome::{ErrorCategory, Outcome};
use helve::tool::{CallContext, CancelToken, Registry, Tool, ToolError};
use serde_json::{Value as Json, json};
use tokio::runtime::Handle;
use tokio::time::{Instant, advance, sleep};

/// The clock of the test runtime: it stands still until the timer moves it, or until a tool works
/// without ever giving its thread back.
pub struct Paused {
    start: Instant,
    hogged_ms: AtomicU64,
}

impl Paused {
    #[expect(clippy::disallowed_methods, reason = "the clock of the tests is the runtime's paused one")]
    pub fn start() -> Arc<Self> {
        Arc::new(Self { start: Instant::now(), hogged_ms: AtomicU64::new(0) })
    }

    /// Time goes on, and no timer sees it.
    pub fn hog(&self, span: Duration) {
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
pub struct Actor {
    pub manifest: Arc<ToolManifest>,
    pub clock: Arc<Paused>,
    pub started: AtomicUsize,
    /// Whether a tool that was told to end has ended by itself.
    pub unwound: AtomicBool,
    /// Where it writes.
    pub path: PathBuf,
    /// Taken by the one act of a test that writes when it is told to.
    pub late: Mutex<Option<LateWrite>>,
    /// Said once a blocking act has begun.
    pub begun: SyncSender<()>,
}

/// When to write, and where to say how it went.
type LateWrite = (Receiver<()>, SyncSender<Result<(), String>>);

pub struct Rig {
    pub actor: Arc<Actor>,
    pub executor: BoundedExecutor,
    pub folder: tempfile::TempDir,
    pub release: SyncSender<()>,
    pub wrote: Mutex<Receiver<Result<(), String>>>,
    pub begun: Mutex<Receiver<()>>,
    pub alive: usize,
}

impl Rig {
    pub fn new() -> Self {
        Self::with(|manifest| manifest)
    }

    pub fn with(change: impl FnOnce(ToolManifest) -> ToolManifest) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "act": {"type": "string"},
                "ms": {"type": "integer", "default": 0},
                "say": {},
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
            unwound: AtomicBool::new(false),
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

    /// The same rig, whose executor works with these.
    pub fn working_with(mut self, collaborators: Collaborators) -> Self {
        self.executor = self.executor.with_collaborators(collaborators);
        self
    }

    /// A call whose tool answers `output`.
    pub async fn say(&self, output: Json) -> Outcome {
        self.act(&Turn::default(), json!({"act": "say", "say": output})).await
    }

    pub async fn act(&self, turn: &Turn, arguments: Json) -> Outcome {
        self.execute_in(turn, call("actor", arguments), CancelToken::new()).await
    }

    pub async fn execute(&self, act: &str, ms: u64) -> Outcome {
        self.execute_in(&Turn::default(), call("actor", json!({"act": act, "ms": ms})), CancelToken::new())
            .await
    }

    pub async fn execute_in(&self, turn: &Turn, call: Call, cancel: CancelToken) -> Outcome {
        let asked = call.id;
        let outcome = self.executor.execute(&Arc::new(call), turn, &cancel).await;
        assert_eq!(outcome.call_id(), asked);
        outcome
    }

    pub fn note(&self) -> String {
        fs::read_to_string(&self.actor.path).unwrap()
    }

    pub fn started(&self) -> usize {
        self.actor.started.load(Ordering::SeqCst)
    }

    /// Lets the late writer go and waits until it has tried.
    pub fn let_it_write_late(&self) {
        self.release.send(()).unwrap();
        let lost = self.wrote.lock().unwrap().recv().unwrap();
        assert_eq!(lost, Err(LeaseLost.to_string()));
        assert_eq!(self.note(), "before");
        assert_eq!(fs::read_dir(self.folder.path()).unwrap().count(), 1);
    }

    /// Aborted tasks are dropped by the scheduler: a few turns of it, and no time.
    pub async fn assert_no_task_is_left(&self) {
        for _ in 0..1_000 {
            if Handle::current().metrics().num_alive_tasks() <= self.alive {
                return;
            }
            tokio::task::yield_now().await;
        }
        panic!("{} tasks are left", Handle::current().metrics().num_alive_tasks() - self.alive);
    }
}

pub fn call(tool: &str, arguments: Json) -> Call {
    let Json::Object(arguments) = arguments else { panic!("arguments are an object") };
    Call::new(CallId(1), tool, arguments)
}

#[async_trait]
impl Tool for Actor {
    fn manifest(&self) -> &Arc<ToolManifest> {
        &self.manifest
    }

    async fn call(&self, arguments: &Arguments, cx: &CallContext) -> Result<Json, ToolError> {
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
            "sit" => self.sit(cx),
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
            "winds_down" => {
                cx.token().cancelled().await;
                sleep(pause).await;
                self.unwound.store(true, Ordering::SeqCst);
            }
            "hog" => self.clock.hog(pause),
            "hog_and_write" => {
                self.clock.hog(pause);
                cx.lease().write_file(&self.path, b"after").map_err(|e| ToolError::io("writing", &e))?
            }
            "say" => {
                sleep(pause).await;
                return Ok(arguments["say"].clone());
            }
            "know" => {
                let agent = cx.scope().agent.agent.as_deref();
                return Ok(json!([
                    agent,
                    cx.metadata("colour"),
                    cx.metadata("shape"),
                    cx.scope().permission
                ]));
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

    /// Blocks the runtime's own thread until the test lets it go; then writes.
    fn sit(&self, cx: &CallContext) {
        let (released, say) = self.late.lock().unwrap().take().expect("one late write a test");
        released.recv().unwrap();
        say.send(cx.lease().write_file(&self.path, b"after").map_err(|error| error.to_string())).unwrap();
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
pub struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("dropped");
        }
    }
}

pub fn failure(outcome: &Outcome) -> (ErrorCategory, &str, bool) {
    match outcome {
        Outcome::ToolFailure(it) => (it.category, &it.error, it.retryable),
        other => panic!("not a failure: {other:?}"),
    }
}

/// `(deadline in seconds, elapsed in ms, retryable)`
pub fn time_out(outcome: &Outcome) -> (f64, u64, bool) {
    match outcome {
        Outcome::ToolTimeout(it) => (it.deadline_s, it.elapsed_ms, it.retryable),
        other => panic!("not a timeout: {other:?}"),
    }
}

pub const DEFAULT_MS: u64 = TOOL_TIMEOUT_DEFAULT.as_millis() as u64;

/// Lets a call that has lasted for `span` run into its deadline, and its deaf tool through the grace:
/// the runtime does not move its clock while a thread of its own works.
pub async fn pass_deadline(span: Duration) {
    for step in [span, STOP_GRACE] {
        advance(step).await;
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }
}

pub async fn until_begun(rig: &Rig) {
    while rig.begun.lock().unwrap().try_recv().is_err() {
        tokio::task::yield_now().await;
    }
}
