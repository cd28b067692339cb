//! Visits its child once for every item of a list, several items at a time.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::catalog::{Children, Class, Kind, NodeManifest, PortManifest};
use crate::id::NodeId;
use crate::limits::FOR_EACH_LANES_MAX;
use crate::node::{Behavior, Child, Halt, Items, Kept, NodeContext, PortFault, Step, Then, read_items};
use crate::status::Status;
use crate::tree::{FOR_EACH_PORTS, Lane};
use crate::value::{Type, Value};

/// The child was compiled once for each of `parallel` lanes, each with keys of its own: what the child
/// writes stays in its lane, and what comes out is the key that `result` names, in the order of the
/// items. An extension of the dialect.
pub(crate) struct ForEach;

const ITEMS: usize = 0;
const RESULTS: usize = 4;
const MAX_FAILURES: usize = 6;

impl Behavior for ForEach {
    fn manifest() -> NodeManifest {
        let doc = "Visits its child once for every item of a list, several items at a time.";
        let [items, item, index, result, results, parallel, max_failures] = FOR_EACH_PORTS;
        let manifest = NodeManifest::builtin("ForEach", Kind::ForEach, Class::Decorator, doc).with_ports([
            PortManifest::input(items, Type::Json, "the items: a JSON array, or a text such as `a;b`"),
            PortManifest::output(item, Type::Any, "the child's key that takes the item").needed(),
            PortManifest::output(index, Type::Int64, "the child's key that takes the item's place, from 0"),
            PortManifest::input(result, Type::Any, "the child's key that holds what comes of an item")
                .key()
                .optional(),
            PortManifest::output(results, Type::Json, "the list of what came of the items, in their order"),
            PortManifest::input(
                parallel,
                Type::Int,
                "how many items are under way at once: a number from 1 to 64",
            )
            .or("1"),
            PortManifest::input(
                max_failures,
                Type::Int,
                "how many items may fail before the others are halted and the answer is Failure; negative counts from the number of items: -1 is all",
            )
            .or("1"),
        ]);
        const { assert!(FOR_EACH_LANES_MAX == 64) };
        NodeManifest { extension: true, children: Children::Exactly(1), ..manifest }
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        if !cx.state().started {
            let items = read_items(cx, ITEMS, Type::Any)?;
            cx.keep(Kept::Items(Items::new(items)));
            cx.state().started = true;
        }
        let first = cx.first_child();
        Ok(next(cx, first, Halt::Nothing))
    }

    fn child_done(cx: &mut NodeContext<'_>, lane: Child, status: Status) -> Result<Step, PortFault> {
        let following = cx.after(lane);
        if status == Status::Running {
            return Ok(next(cx, following, Halt::Nothing));
        }
        let result = result_of(cx, lane.id, status);
        let limit = cx.int(MAX_FAILURES)?;
        let Some(Kept::Items(items)) = cx.kept() else { return Ok(Step::answer(status)) };
        items.finish(lane.id, status, result);
        let limit = if limit < 0 { items.len() as i64 + limit + 1 } else { limit }.max(1);
        if items.failures as i64 >= limit {
            return Ok(give_up(cx, lane.id));
        }
        // The lane takes the next item at once; when none is left it stays idle.
        Ok(match begin_item(cx, lane.id) {
            true => Step::new(Halt::One(lane.id), Then::visit(lane.id)),
            false => next(cx, following, Halt::One(lane.id)),
        })
    }
}

/// Goes on with the lanes from `from` on: those that are running, and idle ones while there are items.
fn next(cx: &mut NodeContext<'_>, from: Option<NodeId>, halt: Halt) -> Step {
    let mut lane = from;
    while let Some(it) = lane {
        if cx.status(it) == Status::Running || begin_item(cx, it) {
            return Step::new(halt, Then::visit(it));
        }
        lane = cx.next_child(it);
    }
    match cx.kept() {
        Some(Kept::Items(items)) if !items.is_done() => Step::new(halt, Then::answer(Status::Running)),
        _ => {
            write_results(cx);
            Step::new(halt, Then::answer(Status::Success))
        }
    }
}

/// Gives an idle lane the next item, its keys as fresh as those of a new run.
fn begin_item(cx: &mut NodeContext<'_>, lane: NodeId) -> bool {
    let Some(Kept::Items(items)) = cx.kept() else { return false };
    let Some((index, item)) = items.begin(lane) else { return false };
    let tree = cx.tree;
    let Lane { item: item_slot, index: index_slot, slots, .. } = tree.lane(lane);
    slots.iter().for_each(|&slot| cx.reset_slot(slot));
    cx.write_slot(*item_slot, item);
    if let Some(slot) = *index_slot {
        cx.write_slot(slot, Value::Int(index as i64));
    }
    true
}

/// What came of a lane's item: the value of its result key, or without one the word of its status.
fn result_of(cx: &NodeContext<'_>, lane: NodeId, status: Status) -> Json {
    match cx.tree.lane(lane).result {
        Some(slot) if status == Status::Success => cx.slot_value(slot).map_or(Json::Null, Value::to_json),
        Some(_) => Json::Null,
        None => status.as_str().into(),
    }
}

fn give_up(cx: &mut NodeContext<'_>, lane: NodeId) -> Step {
    write_results(cx);
    let why = match cx.kept() {
        Some(Kept::Items(items)) => items.failure_text(lane),
        _ => String::new(),
    };
    cx.because(|| why);
    Step::reset_and_answer(Status::Failure)
}

fn write_results(cx: &mut NodeContext<'_>) {
    if let Some(Kept::Items(items)) = cx.kept() {
        let results = std::mem::take(&mut items.results);
        cx.write(RESULTS, Value::Json(Arc::new(Json::Array(results))));
    }
}
