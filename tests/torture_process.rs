//! Torture with processes, by seed: programs that hang, ignore SIGTERM, fork into other sessions,
//! print 50 MB, return garbage, end by signals, write late and close their pipes, among tools in this
//! process that hang, panic, block threads and write late; cancelled and dropped at random. Every
//! call leaves one outcome of the kind that its act must have; afterwards no process, no late write,
//! no taken place, no task and no file descriptor is left.
//!
//! Time is real here, for processes know no other. So nothing is timed: what must end is waited for,
//! and what is left is counted. That an outcome comes by deadline and grace, to the millisecond, is
//! `torture.rs`, in virtual time. `HELVE_TORTURE_CALLS` and `HELVE_TORTURE_SEED` ask for more than the
//! default. One test alone in its process, for it counts what the whole process has.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

mod dice;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use dice::Dice;
use helve::backend::process::{Reports, Surroundings, load};
use helve::call::{Arguments, Call};
use helve::exec::{BoundedExecutor, CallEntry, Collaborators, EventLog, Turn, TurnSettings};
use helve::harness::{End, Root};
use helve::id::CallId;
use helve::manifest::ToolManifest;
use helve::outcome::Outcome;
use helve::run::RunClock;
use helve::tool::{CallContext, CancelToken, Registry, Tool, ToolError};
use serde_json::{Value as Json, json};
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};

const CALLS: u64 = 2_000;
const SEED: u64 = 20_260_101;
/// Calls at once.
const LANES: u64 = 48;
/// Generous: what ends at all ends within it, however busy the machine is.
const LONG: Duration = Duration::from_secs(240);

/// What a program does. The late ones write as soon as somebody makes `go`, which is after all calls.
const SCRIPT: &str = r#"
read -r arguments
act=${arguments#*\"act\":\"} act=${act%%\"*}
late() { while [ ! -e go ]; do sleep 0.05; done; echo "$act" > "late-$$"; }
case $act in
    answer) echo '"ok"' ;;
    fail) echo no >&2; exit 3 ;;
    signal) kill -s SEGV $$ ;;
    kill) kill -s KILL $$ ;;
    garbage) printf '\377\376' ;;
    half) printf '{"half": ' ;;
    nothing) ;;
    flood) exec head -c 50000000 /dev/zero ;;
    flood_log) head -c 50000000 /dev/zero >&2; echo '"logged"' ;;
    shut) exec <&- >&- 2>&-; exec sleep 1000 ;;
    hang) exec sleep 1000 ;;
    deaf) trap '' TERM; while :; do sleep 1000; done ;;
    late) trap '' TERM; late ;;
    family)
        setsid sh -c 'trap "" TERM; sleep 1000 & wait; sleep 1000' &
        env -i PATH="$PATH" setsid sleep 1000 &
        sh -c 'sh -c "sleep 1000 & wait" & wait' &
        wait ;;
    daemon) (trap '' TERM; late) > /dev/null 2>&1 & setsid sleep 1000 & echo '"left two"' ;;
esac"#;

/// The acts, and how each must end when nobody interferes. Those that time out are given little time.
const ACTS: [(&str, &str, &str); 21] = [
    ("program", "answer", "result"),
    ("program", "fail", "failure"),
    ("program", "signal", "failure"),
    ("program", "kill", "failure"),
    ("program", "garbage", "failure"),
    ("program", "half", "failure"),
    ("program", "nothing", "failure"),
    ("program", "flood", "failure"),
    ("program", "flood_log", "result"),
    ("program", "shut", "timeout"),
    ("program", "hang", "timeout"),
    ("program", "deaf", "timeout"),
    ("program", "late", "timeout"),
    ("program", "family", "timeout"),
    ("program", "daemon", "result"),
    ("native", "answer", "result"),
    ("native", "hang", "timeout"),
    ("native", "panic", "failure"),
    ("native", "panic_blocking", "failure"),
    ("native", "late_task", "timeout"),
    ("native", "late_thread", "timeout"),
];

/// A tool of this process.
struct Native {
    manifest: Arc<ToolManifest>,
    folder: PathBuf,
}

#[async_trait]
impl Tool for Native {
    fn manifest(&self) -> &Arc<ToolManifest> {
        &self.manifest
    }

    async fn call(&self, arguments: &Arguments, cx: &CallContext) -> Result<Json, ToolError> {
        let late = self.folder.join(format!("late-{}", cx.call().id));
        match arguments["act"].as_str().unwrap() {
            "answer" => Ok(json!("ok")),
            "panic" => panic!("out of ideas"),
            "panic_blocking" => cx.blocking(|_| panic!("out of ideas")).await,
            "late_task" => {
                cx.token().cancelled().await;
                let _refused = cx.lease().write_file(&late, b"late");
                std::future::pending().await
            }
            "late_thread" => {
                let runtime = Handle::current();
                let work = move |cx: &CallContext| {
                    runtime.block_on(cx.token().cancelled());
                    let _refused = cx.lease().write_file(&late, b"late");
                    Ok(json!("late"))
                };
                cx.blocking(work).await
            }
            _ => std::future::pending().await,
        }
    }
}

/// Counts the entries of each call, and what its process left behind.
#[derive(Default)]
struct Counts {
    entries: Mutex<BTreeMap<CallId, usize>>,
    immortal: Mutex<Vec<CallId>>,
}

impl EventLog for Counts {
    fn log(&self, entry: &CallEntry<'_>) {
        *self.entries.lock().unwrap().entry(entry.call.id).or_default() += 1;
    }
}

impl Reports for Counts {
    fn ended(&self, call: CallId, end: &End) {
        if end.left > 0 {
            self.immortal.lock().unwrap().push(call);
        }
    }
}

struct Scene {
    folder: tempfile::TempDir,
    executor: BoundedExecutor,
    turn: Turn,
    counts: Arc<Counts>,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("script.sh"), SCRIPT).unwrap();
        let manifest = "name = \"program\"\ndescription = \"Misbehaves.\"\ncommand = \"sh\"\n\
            args = [\"{here}/script.sh\"]\nstop_grace_ms = 20\n\
            [input]\ntype = \"object\"\nproperties = { act = { type = \"string\" } }\n";
        fs::write(folder.path().join("tool.toml"), manifest).unwrap();
        let counts = Arc::new(Counts::default());
        let surroundings = Surroundings::new(Root::open(folder.path()).unwrap()).with_reports(counts.clone());
        let mut registry = Registry::new();
        let programs = load(&[folder.path().join("tool.toml")], &surroundings);
        for program in programs.unwrap_or_else(|faults| panic!("{faults}")) {
            registry.add(program).unwrap();
        }
        let manifest = Arc::new(ToolManifest::new("native", "", json!({})));
        registry.add(Arc::new(Native { manifest, folder: folder.path().to_owned() })).unwrap();
        let executor = BoundedExecutor::new(Arc::new(registry), Arc::new(RunClock::start())).unwrap();
        let event_log = counts.clone();
        let executor = executor.with_collaborators(Collaborators { event_log, ..Collaborators::default() });
        Self { folder, executor, turn: Turn::new(TurnSettings::authored()), counts }
    }

    /// The living processes that work in the folder, whatever their session, parent and environment.
    fn processes(&self) -> Vec<String> {
        let folder = self.folder.path().canonicalize().unwrap();
        let works_here = |process: &Path| fs::read_link(process.join("cwd")).is_ok_and(|it| it == folder);
        let all = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
        all.filter(|process| works_here(process)).map(|process| process.display().to_string()).collect()
    }

    fn late_files(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder.path()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with("late-")).collect()
    }
}

/// One call, and when it is cancelled or dropped.
struct Ordeal {
    call: Call,
    kind: &'static str,
    cancel: Option<Duration>,
    drop: Option<Duration>,
}

impl Ordeal {
    fn roll(dice: &mut Dice, id: u64) -> Self {
        let ms = |dice: &mut Dice, bound| Duration::from_millis(dice.below(bound));
        let (tool, act, kind) = ACTS[dice.below(ACTS.len() as u64) as usize];
        let short = Duration::from_millis(10) + ms(dice, 150);
        let Json::Object(arguments) = json!({"act": act}) else { unreachable!() };
        let call = Call {
            timeout: Some(if kind == "timeout" { short } else { LONG / 3 }),
            ..Call::new(CallId(id), tool, arguments)
        };
        let cancel = dice.sometimes(8).then(|| ms(dice, 60));
        let drop = dice.sometimes(10).then(|| ms(dice, 60));
        Self { call, kind, cancel, drop }
    }

    async fn run(self, scene: &Scene) -> &'static str {
        let (cancel, id) = (CancelToken::new(), self.call.id);
        let told = self.call.arguments["act"].clone();
        let call = Arc::new(self.call);
        let executed = scene.executor.execute(&call, &scene.turn, &cancel);
        let cancelling = async {
            let Some(after) = self.cancel else { return std::future::pending().await };
            sleep(after).await;
            cancel.cancel();
            std::future::pending().await
        };
        let outcome = timeout(self.drop.unwrap_or(LONG), async {
            tokio::select! {
                outcome = executed => outcome,
                outcome = cancelling => outcome,
            }
        });
        let outcome = outcome.await.ok();
        assert!(self.drop.is_some() || outcome.is_some(), "{id}: {told} never ends");
        let kind = outcome.as_ref().map_or("dropped", Outcome::kind);
        let is_interfered = self.cancel.is_some() || self.drop.is_some();
        assert!(is_interfered || kind == self.kind, "{id}: {told} ended as {outcome:?}");
        kind
    }
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// The children of this process, those included that nobody has collected.
fn children() -> BTreeSet<String> {
    let own = std::process::id().to_string();
    let parent = |stat: &str| stat.rsplit_once(')')?.1.split_whitespace().nth(1).map(str::to_owned);
    let all = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
    let children = all.filter(|process| {
        fs::read_to_string(process.join("stat")).is_ok_and(|stat| parent(&stat).as_deref() == Some(&*own))
    });
    let words = |process: &Path| fs::read_to_string(process.join("cmdline")).unwrap_or_default();
    children.map(|process| format!("{}: {}", process.display(), words(&process))).collect()
}

/// Waits until `left` finds nothing any more: what a dropped call has started ends behind its back.
async fn until_none<T: std::fmt::Debug>(what: &str, seed: u64, left: impl Fn() -> Vec<T>) {
    let none = async {
        while !left().is_empty() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    assert!(timeout(LONG, none).await.is_ok(), "seed={seed}: {what}: {:?}", left());
}

fn asked(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().unwrap())
}

/// All calls of a seed, so many at once.
async fn torture(scene: &Arc<Scene>, seed: u64, calls: u64) -> BTreeMap<&'static str, u64> {
    let mut dice = Dice(seed);
    let mut lanes: Vec<Vec<Ordeal>> = (0..LANES).map(|_| Vec::new()).collect();
    for id in 1..=calls {
        lanes[(id % LANES) as usize].push(Ordeal::roll(&mut dice, id));
    }
    let lanes = lanes.into_iter().map(|lane| {
        let scene = scene.clone();
        tokio::spawn(async move {
            let mut kinds = Vec::new();
            for ordeal in lane {
                kinds.push(ordeal.run(&scene).await);
            }
            kinds
        })
    });
    let mut kinds = BTreeMap::new();
    for lane in lanes.collect::<Vec<_>>() {
        for kind in lane.await.unwrap_or_else(|fault| panic!("seed={seed}: {fault}")) {
            *kinds.entry(kind).or_default() += 1;
        }
    }
    kinds
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_leaves_one_outcome_and_no_process() {
    let (seed, calls) = (asked("HELVE_TORTURE_SEED", SEED), asked("HELVE_TORTURE_CALLS", CALLS));
    let scene = Arc::new(Scene::new());
    // The first call starts the watchdog, which stays.
    torture(&scene, seed, 1).await;
    until_none("processes", seed, || scene.processes()).await;
    let (descriptors_before, children_before) = (descriptors(), children());
    let tasks_before = Handle::current().metrics().num_alive_tasks();
    scene.counts.entries.lock().unwrap().clear();

    let kinds = torture(&scene, seed, calls).await;
    assert_eq!(scene.turn.traces(), [], "seed={seed}: a place was not given back");
    until_none("processes", seed, || scene.processes()).await;
    until_none("children", seed, || children().difference(&children_before).cloned().collect()).await;
    // Whatever were still alive would write now, and the end of it be waited for in vain.
    fs::write(scene.folder.path().join("go"), "").unwrap();
    let surplus = |now: usize, before: usize| (before..now).collect::<Vec<_>>();
    until_none("descriptors", seed, || surplus(descriptors(), descriptors_before)).await;
    until_none("tasks", seed, || surplus(Handle::current().metrics().num_alive_tasks(), tasks_before)).await;
    assert_eq!(scene.late_files(), Vec::<String>::new(), "seed={seed}: late writes");
    assert_eq!(*scene.counts.immortal.lock().unwrap(), [], "seed={seed}: processes outlive SIGKILL");

    let entries = scene.counts.entries.lock().unwrap();
    assert!(entries.values().all(|&count| count == 1), "seed={seed}: {entries:?}");
    let dropped = kinds.get("dropped").copied().unwrap_or_default();
    assert_eq!(entries.len() as u64, calls - dropped, "seed={seed}: one entry a call with an outcome");
    let enough = |kind| kinds.get(kind).is_some_and(|&count| count > calls / 50);
    assert!(["result", "timeout", "failure", "dropped"].into_iter().all(enough), "seed={seed}: {kinds:?}");
}
