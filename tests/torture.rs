//! Torture, by seed: thousands of calls among tools that hang, panic, ignore their token, write
//! late and return garbage, cancelled and dropped at random, in virtual time. Every call leaves
//! exactly one outcome within its deadline and the grace; nothing of it lands afterwards; every
//! place is given back. A failure names its seed, and the seed repeats it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

mod dice;

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use dice::Dice;
use helve::call::{Arguments, Call};
use helve::exec::artifact::ArtifactStore;
use helve::exec::{
    BoundedExecutor, CallEntry, Callbacks, Collaborators, EventLog, HookAnswer, Turn, TurnSettings,
};
use helve::id::CallId;
use helve::limits::{STOP_GRACE, TOOL_TIMEOUT_CAP, TOOL_TIMEOUT_DEFAULT};
use helve::manifest::ToolManifest;
use helve::moment::Moment;
use helve::outcome::Outcome;
use helve::run::RunClock;
use helve::tool::{CallContext, CallScope, CancelToken, Notice, Notices, Registry, Tool, ToolError};
use serde_json::{Value as Json, json};
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep, sleep_until, timeout};

const CALLS: u64 = 2_000;
/// When the last call starts.
const SPREAD_MS: u64 = 60_000;
/// One of the turns has so few places.
const PLACES: usize = 12;

/// What lands, and whether it may: the calls that have left their outcome, or whom nobody awaits.
#[derive(Default)]
struct Ground {
    over: Mutex<HashSet<CallId>>,
    landed: Mutex<Vec<CallId>>,
    late: Mutex<Vec<CallId>>,
}

impl Ground {
    fn land(&self, call: CallId) {
        let list = if self.over.lock().unwrap().contains(&call) { &self.late } else { &self.landed };
        list.lock().unwrap().push(call);
    }
}

impl Notices for Ground {
    fn notice(&self, call: CallId, _: Notice) {
        self.land(call);
    }
}

/// Panics now and then, as any collaborator may.
struct Shaky;

impl Callbacks for Shaky {
    fn pre_tool_use(&self, call: &Call, _: &ToolManifest, _: &CallScope) -> HookAnswer {
        assert!(!call.id.0.is_multiple_of(101), "shaky");
        HookAnswer::Allow
    }

    fn tool_error(&self, call: &Call, _: &Outcome) {
        assert!(!call.id.0.is_multiple_of(7), "shaky");
    }
}

impl EventLog for Shaky {
    fn log(&self, entry: &CallEntry<'_>) {
        assert!(!entry.call.id.0.is_multiple_of(11), "shaky");
    }
}

/// One of the tools; its first argument says what it does.
struct Villain {
    manifest: Arc<ToolManifest>,
    ground: Arc<Ground>,
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

const ACTS: [&str; 19] = [
    "answer",
    "hang",
    "deaf",
    "fail",
    "fail_for_good",
    "panic",
    "panic_later",
    "panic_dropped",
    "panic_odd",
    "panic_blocking",
    "deep",
    "wide",
    "large",
    "says_error",
    "write",
    "write_behind",
    "chatter",
    "ends_when_told",
    "no_such_act",
];

#[async_trait]
impl Tool for Villain {
    fn manifest(&self) -> &Arc<ToolManifest> {
        &self.manifest
    }

    async fn call(&self, arguments: &Arguments, cx: &CallContext) -> Result<Json, ToolError> {
        let pause = Duration::from_millis(arguments["ms"].as_u64().unwrap());
        match arguments["act"].as_str().unwrap() {
            "answer" => sleep(pause).await,
            "hang" => std::future::pending().await,
            "deaf" => loop {
                sleep(pause + Duration::from_millis(1)).await;
                let _refused = cx.lease().commit(|| self.ground.land(cx.call().id));
            },
            "fail" => return Err(ToolError::resource("no such file")),
            "fail_for_good" => return Err(ToolError::runtime("broken")),
            "panic" => panic!("out of ideas"),
            "panic_later" => {
                sleep(pause).await;
                panic!("out of ideas")
            }
            "panic_dropped" => {
                let _bomb = Bomb;
                std::future::pending().await
            }
            "panic_odd" => std::panic::panic_any(Bomb),
            "panic_blocking" => cx.blocking(|_| -> Result<(), _> { panic!("out of ideas") }).await?,
            "deep" => return Ok((0..10_000).fold(Json::Null, |inner, _| Json::Array(vec![inner]))),
            "wide" => return Ok(json!({"entries": vec![pause.as_millis() as u64; 1_000]})),
            "large" => return Ok(json!(vec!["ü".repeat(2_000); 9])),
            "says_error" => {
                return Ok(json!({"error": "no host", "retryable": pause.as_millis().is_multiple_of(2)}));
            }
            "write" => {
                sleep(pause).await;
                cx.lease().commit(|| self.ground.land(cx.call().id)).map_err(|_| ToolError::cancelled())?;
            }
            "write_behind" => self.write_behind(pause, cx),
            "chatter" => {
                cx.progress("before");
                sleep(pause).await;
                cx.progress("after");
            }
            "ends_when_told" => cx.token().cancelled().await,
            other => return Err(ToolError::user_input(format!("cannot {other}"))),
        }
        Ok(json!({"done": arguments["act"]}))
    }
}

impl Villain {
    /// Answers at once, and leaves a task behind that goes on writing and storing.
    fn write_behind(&self, pause: Duration, cx: &CallContext) {
        let (ground, cx) = (self.ground.clone(), cx.clone());
        tokio::spawn(async move {
            for _ in 0..3 {
                sleep(pause).await;
                let _refused = cx.lease().commit(|| ground.land(cx.call().id));
                cx.progress("behind");
                if cx.store(format!("late {}", cx.call().id).as_bytes()).is_ok() {
                    ground.land(cx.call().id);
                }
            }
        });
    }
}

/// One call: in which turn, when it starts, and when it is cancelled or dropped after that.
struct Ordeal {
    call: Call,
    turn: usize,
    start: Duration,
    cancel: Option<Duration>,
    drop: Option<Duration>,
}

impl Ordeal {
    fn roll(dice: &mut Dice, id: u64) -> Self {
        let ms = |dice: &mut Dice, bound| Duration::from_millis(dice.below(bound));
        let act = ACTS[dice.below(ACTS.len() as u64) as usize];
        let pause = if dice.sometimes(12) { json!("garbage") } else { json!(dice.below(3_000)) };
        let Json::Object(arguments) = json!({"act": act, "ms": pause}) else { unreachable!() };
        // A tool of its own now and then, so that not all are blocked soon.
        let tool = format!("villain_{}", dice.below(9));
        let tool = if dice.sometimes(50) { "nobody" } else { tool.as_str() };
        let call = Call::new(CallId(id), tool, arguments);
        Self {
            call: Call { timeout: dice.sometimes(2).then(|| ms(dice, 3_000)), ..call },
            turn: dice.below(4) as usize,
            start: ms(dice, SPREAD_MS),
            cancel: dice.sometimes(3).then(|| ms(dice, 3_000)),
            drop: dice.sometimes(8).then(|| ms(dice, 3_000)),
        }
    }

    /// The outcome; `None` for a call that was dropped before it had one.
    async fn run(self, scene: Arc<Scene>, begin: Instant) -> Option<&'static str> {
        sleep_until(begin + self.start).await;
        let (id, cancel) = (self.call.id, CancelToken::new());
        let bound = self.call.timeout.unwrap_or(TOOL_TIMEOUT_DEFAULT).min(TOOL_TIMEOUT_CAP);
        let patience = self.drop.unwrap_or(bound + STOP_GRACE + Duration::from_millis(2));
        let call = Arc::new(self.call);
        let executed = scene.executor.execute(&call, &scene.turns[self.turn], &cancel);
        let cancelling = async {
            let Some(after) = self.cancel else { return std::future::pending().await };
            sleep(after).await;
            cancel.cancel();
            std::future::pending().await
        };
        let outcome = timeout(patience, async {
            tokio::select! {
                biased;
                outcome = executed => outcome,
                outcome = cancelling => outcome,
            }
        });
        let outcome = outcome.await.ok();
        scene.ground.over.lock().unwrap().insert(id);
        assert!(self.drop.is_some() || outcome.is_some(), "{id} outlived its deadline and the grace");
        assert!(outcome.as_ref().is_none_or(|outcome| outcome.call_id() == id));
        outcome.map(|outcome| outcome.kind())
    }
}

struct Scene {
    executor: BoundedExecutor,
    turns: [Turn; 4],
    ground: Arc<Ground>,
    artifacts: Arc<helve::exec::artifact::MemoryArtifacts>,
}

impl Scene {
    fn new() -> Self {
        let schema = json!({
            "type": "object",
            "properties": {"act": {"type": "string"}, "ms": {"type": "integer", "default": 0}},
            "required": ["act"],
        });
        let ground = Arc::new(Ground::default());
        let mut registry = Registry::new();
        for n in 0..9 {
            let mut manifest = ToolManifest::new(format!("villain_{n}").as_str(), "", schema.clone());
            (manifest.idempotent, manifest.polls, manifest.retry_on_timeout) =
                (n % 2 == 0, n % 3 == 0, n != 7);
            registry.add(Arc::new(Villain { manifest: Arc::new(manifest), ground: ground.clone() })).unwrap();
        }
        let artifacts = Arc::new(helve::exec::artifact::MemoryArtifacts::default());
        let executor = BoundedExecutor::new(Arc::new(registry), Arc::new(RunClock::start())).unwrap();
        let executor = executor.with_notices(ground.clone()).with_collaborators(Collaborators {
            callbacks: Arc::new(Shaky),
            event_log: Arc::new(Shaky),
            artifacts: artifacts.clone(),
            ..Collaborators::default()
        });
        let authored = TurnSettings::authored;
        let turns = [
            Turn::default(),
            Turn::new(authored()),
            Turn::new(TurnSettings { deadline: Some(Moment::from_millis(SPREAD_MS / 2)), ..authored() }),
            Turn::new(TurnSettings { in_flight_max: PLACES, ..authored() }),
        ];
        Self { executor, turns, ground, artifacts }
    }
}

/// All calls of a seed; how many ended in which way.
#[expect(clippy::disallowed_methods, reason = "the clock of the tests is the runtime's paused one")]
async fn torture(seed: u64) -> BTreeMap<&'static str, usize> {
    let tasks_before = Handle::current().metrics().num_alive_tasks();
    let (scene, begin) = (Arc::new(Scene::new()), Instant::now());
    let mut dice = Dice(seed);
    let ordeals: Vec<_> = (1..=CALLS).map(|id| Ordeal::roll(&mut dice, id)).collect();
    let tasks: Vec<_> =
        ordeals.into_iter().map(|ordeal| tokio::spawn(ordeal.run(scene.clone(), begin))).collect();
    let mut kinds = BTreeMap::new();
    for task in tasks {
        let kind = task.await.unwrap_or_else(|fault| panic!("seed={seed}: {fault}"));
        *kinds.entry(kind.unwrap_or("dropped")).or_insert(0) += 1;
    }
    // What was left behind has its time now to do its worst.
    sleep(Duration::from_secs(60)).await;
    assert_eq!(*scene.ground.late.lock().unwrap(), [], "seed={seed}: late effects");
    assert!(!scene.ground.landed.lock().unwrap().is_empty(), "seed={seed}: what is in time lands");
    for turn in &scene.turns {
        assert_eq!(turn.traces(), [], "seed={seed}: a place was not given back");
    }
    for id in (1..=CALLS).map(CallId) {
        let late = helve::exec::artifact::ArtifactId::of(format!("late {id}").as_bytes());
        assert!(scene.artifacts.get(&late).is_err(), "seed={seed}: a late artifact of {id}");
    }
    assert_eq!(Handle::current().metrics().num_alive_tasks(), tasks_before, "seed={seed}: tasks are left");
    kinds
}

#[tokio::test(start_paused = true)]
async fn every_call_leaves_one_outcome_and_nothing_behind() {
    for seed in [1, 42, 20_260_101] {
        let kinds = torture(seed).await;
        assert_eq!(kinds.values().sum::<usize>(), CALLS as usize);
        for kind in ["result", "timeout", "failure", "denied", "artifact", "dropped"] {
            assert!(kinds.get(kind).is_some_and(|&count| count > 20), "seed={seed}: {kind} of {kinds:?}");
        }
        assert_eq!(torture(seed).await, kinds, "seed={seed}: the same seed, the same story");
    }
}
