//! This engine.

use std::sync::Arc;

use helve::catalog::Catalog;
use helve::engine::Engine;
use helve::moment::Moment;
use helve::node;
use helve::status::Status;
use helve::text::Source;
use helve::tree::{self, CompileOptions, Tree};
use helve::value::Value;

use crate::Tick;
use crate::leaf;

/// The bytes of the large values that are passed on.
const LARGE_BYTES: usize = 10_000;

/// The built-in nodes and the leaves of the workloads.
pub fn catalog() -> Catalog {
    let mut catalog = node::catalog();
    leaf::add_to(&mut catalog);
    catalog
}

/// Parses, checks and compiles.
pub fn load(xml: &str, catalog: &Catalog) -> Arc<Tree> {
    tree::load(&Source::new("workload", xml), catalog, &CompileOptions::default()).expect("a good tree")
}

/// A run of the tree, nobody watching, with a value for every key that a workload reads first.
pub fn run(xml: &str) -> Engine {
    let tree = load(xml, &catalog());
    let mut engine = Engine::new(tree.clone());
    let mut set = |key: &str, value: Value| {
        if tree.slot(key).is_some() {
            engine.set(key, Some(value)).expect("a value of the key's type");
        }
    };
    set("a", Value::Int(6));
    set("b", Value::Int(1));
    set("s0", Value::text("x".repeat(LARGE_BYTES)));
    set("j0", large_json());
    (0..tree.len()).map(|n| format!("k{n}")).take_while(|key| tree.slot(key).is_some()).for_each(|key| {
        engine.set(&key, Some(Value::Int(1))).expect("an integer key");
    });
    engine
}

/// Ticks the tree as it is.
pub fn tick(xml: &str) -> Tick {
    let mut engine = run(xml);
    Box::new(move || visit(&mut engine))
}

/// Writes one of the keys that the tree's conditions read before each tick.
pub fn tick_after_write(xml: &str) -> Tick {
    let mut engine = run(xml);
    let mut int = 1;
    Box::new(move || {
        int += 1;
        engine.set("k5", Some(Value::Int(int))).expect("an integer key");
        visit(&mut engine);
    })
}

fn visit(engine: &mut Engine) {
    let status = engine.tick(Moment::ZERO);
    assert!(matches!(status, Some(Status::Success | Status::Running)), "{:?}", engine.verdict());
}

fn large_json() -> Value {
    let items: Vec<_> = (0..LARGE_BYTES / 40)
        .map(|n| serde_json::json!({"id": n, "name": format!("item {n:06}"), "ok": true}))
        .collect();
    Value::from_json(items.into())
}
