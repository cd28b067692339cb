//! Leaves that wait: through the executor, as any tool, and by the engine alone.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use helve::call::Arguments;
use helve::catalog::{Class, Leaf, LeafContext, LeafError, NodeManifest, PortManifest};
use helve::exec::BoundedExecutor;
use helve::manifest::ToolManifest;
use helve::moment::Moment;
use helve::node;
use helve::run::{RunClock, RunHandle, Runner, catalog_of};
use helve::status::Status;
use helve::text::Source;
use helve::tool::{CallContext, Registry, Tool, ToolError};
use helve::tree::{self, CompileOptions, Tree};
use helve::value::{Type, Value};
use serde_json::{Value as Json, json};
use tokio::runtime::{Builder, Runtime};

use crate::machine::Machine;
use crate::measure::now;
use crate::process::{cpu_time, switches};
use crate::table::{Goal, Row};
use crate::{bonsai, xml};

/// How often one is measured; the median counts.
const ROUNDS: usize = 5;
/// How long an idle tree is looked at, and how long it gets to become idle.
const IDLE: Duration = Duration::from_secs(2);
const SETTLING: Duration = Duration::from_millis(500);

/// How many leaves wait.
#[derive(Clone, Copy)]
pub struct Crowd {
    pub leaves: usize,
    pub idle: usize,
    pub milliseconds: usize,
}

impl Crowd {
    pub const FULL: Self = Self { leaves: 10_000, idle: 2_000, milliseconds: 1_000 };
    pub const SMALL: Self = Self { leaves: 10, idle: 10, milliseconds: 10 };
}

/// What waits.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Calls of a tool, through the executor: each with its gates, its deadline, its lease.
    Calls,
    /// Leaves of the embedder's own that ask the engine to be visited again at a moment: what the timers
    /// of the peers are.
    Leaves,
}

/// When the waiting ends.
#[derive(Clone, Copy)]
enum Ends {
    /// After the default of 10 ms.
    Soon,
    /// All at once, later.
    Late,
    /// One after the other, the last one then.
    Spread,
}

impl Ends {
    fn msec(self, leaf: usize, crowd: Crowd) -> Option<usize> {
        match self {
            Self::Soon => None,
            Self::Late => Some(crowd.milliseconds),
            Self::Spread => Some(1 + leaf * crowd.milliseconds / crowd.leaves),
        }
    }
}

/// A row of leaves that all wait.
struct Case {
    id: &'static str,
    what: &'static str,
    kind: Kind,
    ends: Ends,
}

const CASES: [Case; 6] = [
    Case { id: "W9", what: "10,000 calls await 10 ms, wall", kind: Kind::Calls, ends: Ends::Soon },
    Case { id: "W9l", what: "the same as leaves with a timer", kind: Kind::Leaves, ends: Ends::Soon },
    Case { id: "W9b", what: "10,000 calls await 1 s, processor time", kind: Kind::Calls, ends: Ends::Late },
    Case { id: "W9bl", what: "the same as leaves with a timer", kind: Kind::Leaves, ends: Ends::Late },
    Case {
        id: "W9c",
        what: "their ends spread over 1 s, processor time",
        kind: Kind::Calls,
        ends: Ends::Spread,
    },
    Case { id: "W9cl", what: "the same as leaves with a timer", kind: Kind::Leaves, ends: Ends::Spread },
];

/// Measures the rows of waiting whose name begins so, each when it is asked for.
pub fn rows(crowd: Crowd, machine: &Machine, named: &str) -> impl Iterator<Item = io::Result<Row>> {
    let factor = machine.factor;
    let cases = CASES.into_iter().filter(move |case| case.id.starts_with(named));
    let idles = ["W9d"].into_iter().filter(move |id| id.starts_with(named));
    cases.map(move |case| case.row(crowd, factor)).chain(idles.map(move |_| idle(crowd.idle)))
}

/// Runs the tree of a row so many times and does nothing else.
pub fn count(id: &str, times: u64) -> io::Result<bool> {
    let Some(case) = CASES.into_iter().find(|case| case.id == id) else { return Ok(false) };
    let tree = case.tree(Crowd::FULL);
    let runtime = runtime()?;
    (0..times).for_each(|_| run(&runtime, &tree));
    Ok(true)
}

/// One run from its start to its report.
fn run(runtime: &Runtime, tree: &Arc<Tree>) {
    let report = runtime.block_on(async { start_run(tree).report().await });
    assert!(report.is_success(), "{:?}", report.verdict);
}

impl Case {
    fn tree(&self, crowd: Crowd) -> Arc<Tree> {
        load_with(self.kind, &xml::parallel(crowd.leaves, |leaf| self.ends.msec(leaf, crowd)))
    }

    fn row(&self, crowd: Crowd, factor: f64) -> io::Result<Row> {
        let Self { id, what, ends, .. } = *self;
        let ((helve, bonsai), cpp, goal) = match ends {
            Ends::Soon => (self.wall(crowd)?, None, Goal::Polled),
            Ends::Late => ((self.cpu(crowd)?, None), Some(540.0 * factor), Goal::Gain(15.0, None)),
            Ends::Spread => ((self.cpu(crowd)?, None), Some(1_150.0 * factor), Goal::Gain(20.0, None)),
        };
        Ok(Row { id, what, unit: "ms", helve, lite: None, bonsai, cpp, goal })
    }

    /// From the start of the run to its report, and a peer that asks all its timers in a circle.
    fn wall(&self, crowd: Crowd) -> io::Result<(f64, Option<f64>)> {
        let tree = self.tree(crowd);
        let (mut ours, mut polled) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let runtime = runtime()?;
            let start = now();
            run(&runtime, &tree);
            ours.push(start.elapsed().as_secs_f64() * 1e3);
            let start = now();
            polled.push(bonsai::poll_timers(crowd.leaves, 0.010, || start.elapsed().as_secs_f64()) * 1e3);
        }
        Ok((median(ours), Some(median(polled))))
    }

    /// The processor time of one run, in milliseconds, without loading.
    fn cpu(&self, crowd: Crowd) -> io::Result<f64> {
        let tree = self.tree(crowd);
        let runtime = runtime()?;
        let before = cpu_time();
        run(&runtime, &tree);
        Ok((cpu_time() - before).as_secs_f64() * 1e3)
    }
}

/// What a tree does in which nothing happens.
fn idle(leaves: usize) -> io::Result<Row> {
    let tree = load(&xml::parallel(leaves, |_| Some(20_000)));
    let woken = runtime()?.block_on(async {
        let run = start_run(&tree);
        tokio::time::sleep(SETTLING).await;
        let before = switches()?;
        tokio::time::sleep(IDLE).await;
        // One of them is the end of this very sleep.
        let woken = (switches()? - before).saturating_sub(1);
        run.halt().await.map_err(io::Error::other)?;
        let ticks = run.report().await.ticks;
        assert_eq!(ticks, 1, "nothing happened that would ask for another tick");
        io::Result::Ok(woken)
    })?;
    Ok(Row {
        id: "W9d",
        what: "an idle tree with 2,000 timers, wake-ups a second",
        unit: "/s",
        helve: woken as f64 / IDLE.as_secs_f64(),
        lite: None,
        bonsai: None,
        cpp: None,
        // None by the tree. The timer wheel below it looks at a far timer every four seconds.
        goal: Goal::AtMost(0.5),
    })
}

/// Starts a run of a tree of timers.
pub fn start_run(tree: &Arc<Tree>) -> RunHandle {
    let executor =
        BoundedExecutor::new(Arc::new(registry()), Arc::new(RunClock::start())).expect("a good schema");
    Runner::new(tree.clone(), executor).start()
}

/// Loads a tree of timers, which are calls of a tool.
pub fn load(body: &str) -> Arc<Tree> {
    load_with(Kind::Calls, body)
}

fn load_with(kind: Kind, body: &str) -> Arc<Tree> {
    let catalog = match kind {
        Kind::Calls => catalog_of(&registry()).expect("a tool that makes a node"),
        Kind::Leaves => {
            let mut catalog = node::catalog();
            let port = PortManifest::input("msec", Type::Int64, "how long").or("10");
            let manifest = NodeManifest::leaf("Timer", Class::Action, vec![port], OwnTimer);
            catalog.add(manifest).expect("a name that no other node has");
            catalog
        }
    };
    let source = Source::new("waiting", xml::file(body));
    tree::load(&source, &catalog, &CompileOptions::default()).expect("a good tree")
}

/// One thread: what a tree waits for is not work.
pub fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

fn registry() -> Registry {
    let schema = json!({
        "type": "object",
        "properties": {"msec": {"type": "integer", "minimum": 0, "default": 10}},
    });
    let mut registry = Registry::new();
    let manifest = Arc::new(ToolManifest::new("Timer", "waits", schema));
    registry.add(Arc::new(Timer { manifest })).expect("one tool");
    registry
}

/// A tool that waits.
struct Timer {
    manifest: Arc<ToolManifest>,
}

#[async_trait]
impl Tool for Timer {
    fn manifest(&self) -> &Arc<ToolManifest> {
        &self.manifest
    }

    async fn call(&self, arguments: &Arguments, _: &CallContext) -> Result<Json, ToolError> {
        let milliseconds = arguments.get("msec").and_then(Json::as_u64).unwrap_or(10);
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
        Ok(Json::Null)
    }
}

/// A leaf that waits, and remembers until when.
struct OwnTimer;

impl Leaf for OwnTimer {
    fn start(&self, cx: &mut dyn LeafContext) -> Result<Status, LeafError> {
        let Value::Int(milliseconds) = cx.required(0)? else { return Err(LeafError::new("no integer")) };
        let due = cx.now() + Duration::from_millis(milliseconds.unsigned_abs());
        *cx.remember() = due;
        cx.wake_at(due);
        Ok(Status::Running)
    }

    fn resume(&self, cx: &mut dyn LeafContext) -> Result<Status, LeafError> {
        let due: Moment = *cx.remember();
        Ok(if cx.now() < due { Status::Running } else { Status::Success })
    }

    fn is_pure(&self) -> bool {
        true
    }
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of[of.len() / 2]
}
