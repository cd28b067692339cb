//! This lesson shows a first tree: how it is written (`trees/lessons/t01_first_tree.xml`), how leaves of your own
//! are put into the catalog, how it is run by hand, and how it is drawn.
//!
//! Run it with `cargo run --example t01_first_tree`.

use std::error::Error;
use std::io::{self, Write};

use helve::catalog::{Class, Leaf, LeafContext, LeafError, NodeManifest, PortManifest};
use helve::engine::{Engine, Input};
use helve::event::EventKind;
use helve::moment::Moment;
use helve::node;
use helve::status::Status;
use helve::text::Source;
use helve::tree::{self, CompileOptions, Mark};
use helve::value::{Type, Value};

/// Looks at the door. A leaf like this one runs inside the engine: it must be quick.
struct IsOpen;

impl Leaf for IsOpen {
    fn start(&self, cx: &mut dyn LeafContext) -> Result<Status, LeafError> {
        let door = cx.required(0)?;
        if door == Value::text("open") {
            return Ok(Status::Success);
        }
        cx.because(format!("the door is {door}"));
        Ok(Status::Failure)
    }
}

/// Turns the key; the lock gives way at the second try. What a leaf remembers lives in the run and
/// not in the leaf, so one tree can serve many runs.
struct TryKey;

impl Leaf for TryKey {
    fn start(&self, cx: &mut dyn LeafContext) -> Result<Status, LeafError> {
        let tries: &mut u32 = cx.remember();
        *tries += 1;
        if *tries < 2 {
            cx.because("the key is stuck".to_owned());
            return Ok(Status::Failure);
        }
        cx.output(0, Value::text("open"))?;
        Ok(Status::Success)
    }
}

/// Would knock, if it came to that.
struct Knock;

impl Leaf for Knock {
    fn start(&self, _: &mut dyn LeafContext) -> Result<Status, LeafError> {
        Ok(Status::Failure)
    }
}

/// The lesson itself, so that a test can read what it prints.
pub fn lesson(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    // The catalog says which elements a tree may hold, and what ports they have.
    let mut catalog = node::catalog();
    let door = || vec![PortManifest::inout("door", Type::Text, "the state of the door")];
    catalog.add(NodeManifest::leaf("IsOpen", Class::Condition, door(), IsOpen))?;
    catalog.add(NodeManifest::leaf("TryKey", Class::Action, door(), TryKey))?;
    catalog.add(NodeManifest::leaf("Knock", Class::Action, Vec::new(), Knock))?;

    // Text becomes a tree, or all of its faults.
    let source =
        Source::new("trees/lessons/t01_first_tree.xml", include_str!("../trees/lessons/t01_first_tree.xml"));
    let tree = tree::load(&source, &catalog, &CompileOptions::default())?;
    writeln!(out, "{}", tree::draw(&tree, |_| (Mark::None, None)))?;

    // The engine takes inputs and tells events. It never waits and never looks at a clock.
    let mut engine = Engine::new(tree.clone()).observed();
    engine.set("door", Some(Value::text("locked")))?;
    engine.handle(Moment::ZERO, Input::Tick);
    let mut last = vec![Status::Idle; tree.len()];
    while let Some(event) = engine.poll_event() {
        match event.kind {
            EventKind::DidVisit { node, status } => last[node.index()] = status,
            EventKind::DidFail { node, reason } => writeln!(out, "{} failed: {reason}", tree.label(node))?,
            _ => {}
        }
    }
    writeln!(out, "\n{}", tree::draw(&tree, |node| (Mark::Status(last[node.index()]), None)))?;
    if let (Some(verdict), Some(door)) = (engine.verdict(), engine.get("door")) {
        writeln!(out, "{verdict}, and the door is {door}")?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    lesson(&mut io::stdout().lock())
}
