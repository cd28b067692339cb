//! How large it may become: a million nodes, a depth of a hundred thousand, ten thousand runs.

use std::io::{self, Write};
use std::thread;

use helve::engine::{Engine, Input, Verdict};
use helve::moment::Moment;
use helve::status::Status;

use crate::measure::now;
use crate::process::resident;
use crate::{engine, waiting, xml};

/// How large.
#[derive(Clone, Copy)]
pub struct Scale {
    pub nodes: usize,
    pub depth: usize,
    pub runs: usize,
}

impl Scale {
    pub const FULL: Self = Self { nodes: 1_000_000, depth: 100_000, runs: 10_000 };
    pub const SMALL: Self = Self { nodes: 100, depth: 100, runs: 10 };
}

/// The stack on which everything deep is done: what needs stack by depth does not come through.
const STACK_BYTES: usize = 128 << 10;

/// Prints what each took.
pub fn print(out: &mut impl Write, scale: Scale) -> io::Result<()> {
    writeln!(out, "{}", wide(scale.nodes)?)?;
    let deep = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || deep(scale.depth))?;
    writeln!(out, "{}", deep.join().map_err(|_| io::Error::other("the deep tree panicked"))?)?;
    writeln!(out, "{}", many(scale.runs)?)?;
    writeln!(out, "{}", driven(scale.runs)?)
}

fn wide(nodes: usize) -> io::Result<String> {
    let xml = xml::file(&xml::groups(nodes));
    let (before, _) = resident()?;
    let start = now();
    let mut run = engine::run(&xml);
    let loaded = start.elapsed();
    assert_eq!(run.tree().len(), nodes + 1);
    let start = now();
    assert_eq!(run.tick(Moment::ZERO), Some(Status::Success));
    let ticked = start.elapsed();
    let (after, peak) = resident()?;
    let start = now();
    drop(run);
    Ok(format!(
        "{nodes} nodes: loaded in {loaded:.2?}, ticked in {ticked:.2?}, dropped in {:.2?}; {} MB, {} MB at the peak",
        start.elapsed(),
        after.saturating_sub(before) / 1_000_000,
        peak.saturating_sub(before) / 1_000_000,
    ))
}

fn deep(depth: usize) -> String {
    let xml = xml::file(&xml::nested(depth));
    let start = now();
    let mut run = engine::run(&xml);
    let loaded = start.elapsed();
    let start = now();
    assert_eq!(run.tick(Moment::ZERO), Some(Status::Running));
    let ticked = start.elapsed();
    let start = now();
    run.handle(Moment::ZERO, Input::Halt);
    assert_eq!(run.verdict(), Some(&Verdict::Halted));
    let halted = start.elapsed();
    let start = now();
    drop(run);
    format!(
        "{depth} levels on {} kB of stack: loaded in {loaded:.2?}, ticked in {ticked:.2?}, halted in {halted:.2?}, dropped in {:.2?}",
        STACK_BYTES >> 10,
        start.elapsed(),
    )
}

/// Runs of one tree, ticked in turns.
fn many(runs: usize) -> io::Result<String> {
    let tree = engine::load(&xml::file(&xml::groups(100)), &engine::catalog());
    let (before, _) = resident()?;
    let mut engines: Vec<_> = (0..runs).map(|_| Engine::new(tree.clone())).collect();
    for engine in &mut engines {
        (0..100).for_each(|n| engine.set(&format!("k{n}"), Some(1.into())).expect("an integer key"));
    }
    let start = now();
    for engine in &mut engines {
        assert_eq!(engine.tick(Moment::ZERO), Some(Status::Success));
    }
    let ticked = start.elapsed();
    let (after, _) = resident()?;
    Ok(format!(
        "{runs} runs of one tree of {} nodes and {} keys: {} bytes a run, all ticked in {ticked:.2?}",
        tree.len(),
        100,
        after.saturating_sub(before) / runs as u64
    ))
}

/// Runs of one tree, each with its own driver and a call under way.
fn driven(runs: usize) -> io::Result<String> {
    let tree = waiting::load("<Sequence>\n<Timer msec=\"500\"/>\n</Sequence>\n");
    let (before, _) = resident()?;
    let start = now();
    let after = waiting::runtime()?.block_on(async {
        let handles: Vec<_> = (0..runs).map(|_| waiting::start_run(&tree)).collect();
        tokio::time::sleep(std::time::Duration::from_millis(250)).await;
        let resident = resident();
        for handle in handles {
            assert_eq!(handle.report().await.verdict, Verdict::Status(Status::Success));
        }
        resident
    })?;
    Ok(format!(
        "{runs} driven runs, each with a call of 500 ms under way: {} bytes a run, all over in {:.2?}",
        after.0.saturating_sub(before) / runs as u64,
        start.elapsed()
    ))
}
