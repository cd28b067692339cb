//! Leaves that wait: through the executor, as any tool.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use helve::call::Arguments;
use helve::exec::BoundedExecutor;
use helve::manifest::ToolManifest;
use helve::run::{RunClock, RunHandle, Runner, catalog_of};
use helve::text::Source;
use helve::tool::{CallContext, Registry, Tool, ToolError};
use helve::tree::{self, CompileOptions, Tree};
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

/// What measures a row.
type Measure = Box<dyn FnOnce() -> io::Result<Row>>;

/// Measures the rows of waiting whose name begins so, each when it is asked for.
pub fn rows(crowd: Crowd, machine: &Machine, named: &str) -> impl Iterator<Item = io::Result<Row>> {
    let factor = machine.factor;
    let measures: [(&str, Measure); 4] = [
        ("W9", Box::new(move || wall(crowd.leaves))),
        (
            "W9b",
            Box::new(move || {
                let spent = cpu(crowd.leaves, |_| Some(crowd.milliseconds))?;
                Ok(burnt("W9b", "10,000 leaves await 1 s, processor time", spent, 540.0 * factor, 15.0))
            }),
        ),
        (
            "W9c",
            Box::new(move || {
                let spent = cpu(crowd.leaves, |leaf| Some(1 + leaf * crowd.milliseconds / crowd.leaves))?;
                Ok(burnt("W9c", "their ends spread over 1 s, processor time", spent, 1_150.0 * factor, 20.0))
            }),
        ),
        ("W9d", Box::new(move || idle(crowd.idle))),
    ];
    measures.into_iter().filter(move |(id, _)| id.starts_with(named)).map(|(_, measure)| measure())
}

fn burnt(id: &'static str, what: &'static str, spent: f64, cpp: f64, goal: f64) -> Row {
    let (cpp, goal) = (Some(cpp), Goal::Gain(goal, None));
    Row { id, what, unit: "ms", helve: spent, lite: None, bonsai: None, cpp, goal }
}

/// One run of the row W9.
pub fn run(leaves: usize) -> io::Result<()> {
    let tree = load(&xml::parallel(leaves, |_| None));
    let report = runtime()?.block_on(async { start_run(&tree).report().await });
    assert_eq!(report.calls.len(), leaves);
    Ok(())
}

/// From the start of the run to its report, next to a peer that asks all its timers in a circle.
fn wall(leaves: usize) -> io::Result<Row> {
    let tree = load(&xml::parallel(leaves, |_| None));
    let (mut ours, mut polled) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let runtime = runtime()?;
        let start = now();
        let report = runtime.block_on(async { start_run(&tree).report().await });
        ours.push(start.elapsed().as_secs_f64() * 1e3);
        assert_eq!(report.calls.len(), leaves);
        let start = now();
        polled.push(bonsai::poll_timers(leaves, 0.010, || start.elapsed().as_secs_f64()) * 1e3);
    }
    Ok(Row {
        id: "W9",
        what: "10,000 leaves await 10 ms, wall",
        unit: "ms",
        helve: median(ours),
        lite: None,
        bonsai: Some(median(polled)),
        cpp: None,
        goal: Goal::Polled,
    })
}

/// The processor time of one run, in milliseconds, without loading.
fn cpu(leaves: usize, msec: impl Fn(usize) -> Option<usize>) -> io::Result<f64> {
    let tree = load(&xml::parallel(leaves, msec));
    let runtime = runtime()?;
    let before = cpu_time();
    let report = runtime.block_on(async { start_run(&tree).report().await });
    assert_eq!(report.calls.len(), leaves);
    Ok((cpu_time() - before).as_secs_f64() * 1e3)
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

/// Loads a tree of timers.
pub fn load(body: &str) -> Arc<Tree> {
    let catalog = catalog_of(&registry()).expect("a tool that makes a node");
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

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of[of.len() / 2]
}
