//! Allocations of the engine workloads: they repeat exactly, so they are a gate that no busy
//! machine disturbs. A test of its own binary, because what it counts is the whole process.

use std::alloc::System;

use helve::engine::Engine;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[path = "../benches/workloads/engine.rs"]
mod engine;
#[path = "../benches/workloads/leaf.rs"]
mod leaf;
#[path = "../benches/workloads/shape.rs"]
mod shape;
#[path = "../benches/workloads/workload.rs"]
#[expect(dead_code, reason = "the goals of time are the benchmark's")]
mod workload;
#[path = "../benches/workloads/xml.rs"]
#[expect(dead_code, reason = "the trees that wait and the deep ones are the benchmark's")]
mod xml;

use workload::{Sizes, Workload};

/// What runs a workload once.
type Tick = Box<dyn FnMut()>;

#[global_allocator]
static HEAP: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// What a workload may allocate, in thousandths of an allocation a unit.
const ALLOWED: [(&str, usize); 13] = [
    ("W1", 0),
    ("W2", 0),
    ("W3", 0),
    ("W3n-10", 0),
    ("W3n", 0),
    ("W3n-10k", 0),
    ("W3w", 0),
    ("W4", 0),
    ("W5s", 0),
    ("W5j", 0),
    ("W6a", 0),
    ("W6b", 0),
    ("W7-10k", 29),
];

/// Bytes a node of a loaded tree, names, ports, source positions and text included.
const TREE_BYTES_MAX: usize = 114;
/// Bytes a node of one more run of it.
const RUN_BYTES_MAX: usize = 22;
/// How large that tree is.
const NODES: usize = 10_000;

#[test]
fn a_run_allocates_no_more_than_it_may() {
    let workloads = workload::all(Sizes::FULL);
    let mut report = String::new();
    for (id, allowed) in ALLOWED {
        let workload = workloads.iter().find(|it| it.id == id).expect("a workload of that name");
        let counted = allocations(workload) * 1_000 / workload.units;
        note(&mut report, id, counted, allowed);
    }
    let (tree, run) = bytes();
    note(&mut report, "bytes a node of a tree", tree, TREE_BYTES_MAX);
    note(&mut report, "bytes a node of a run", run, RUN_BYTES_MAX);
    println!("{report}");
    assert!(!report.contains("exceeds"), "\n{report}");
}

fn note(report: &mut String, what: &str, counted: usize, allowed: usize) {
    let verdict = if counted > allowed { "exceeds" } else { "keeps" };
    report.push_str(&format!("{what}: {counted} {verdict} {allowed}\n"));
}

/// Allocations of one run, after the first ones have made their room.
fn allocations(workload: &Workload) -> usize {
    let mut tick = workload.tick(workload.xml(None).expect("no file is read"));
    (0..2).for_each(|_| tick());
    let region = Region::new(HEAP);
    tick();
    let change = region.change();
    change.allocations + change.reallocations
}

/// What stays allocated of a tree, and of a run of it, a node.
fn bytes() -> (usize, usize) {
    let xml = xml::file(&xml::groups(NODES));
    let catalog = engine::catalog();
    let before = live_bytes();
    let tree = engine::load(&xml, &catalog);
    let loaded = live_bytes();
    let run = Engine::new(tree.clone());
    let running = live_bytes();
    drop(run);
    ((loaded - before) / tree.len(), (running - loaded) / tree.len())
}

fn live_bytes() -> usize {
    let stats = HEAP.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}
