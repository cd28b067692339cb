//! Handles the failure of its first child by what went wrong.

use serde_json::Value as Json;

use crate::catalog::{Children, Class, Kind, NodeManifest, PortManifest};
use crate::expr::{Env, NameId, Program};
use crate::id::NodeId;
use crate::node::{Behavior, Child, Halt, Kept, NodeContext, PortFault, Step, Then};
use crate::status::Status;
use crate::value::{Type, Value};

/// The children after the first are handlers. When the first fails, the handler is visited whose
/// `_catch` is the first to be true of the failure, and its answer is the answer; without one it is
/// Failure. A handler without `_catch` takes every failure. An extension of the dialect.
pub(crate) struct Catch;

const ERROR: usize = 0;

impl Behavior for Catch {
    fn manifest() -> NodeManifest {
        let doc = "Visits its first child; when that fails, the first other child whose `_catch` is true of the failure.";
        let manifest = NodeManifest::builtin("Catch", Kind::Catch, Class::Control, doc).with_ports([
            PortManifest::output("error", Type::Json, "the key that takes the particulars of the failure"),
        ]);
        NodeManifest { extension: true, children: Children::AtLeast(2), ..manifest }
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        Ok(cx.current_child().map_or(Step::answer(Status::Skipped), Step::visit))
    }

    fn child_done(cx: &mut NodeContext<'_>, child: Child, status: Status) -> Result<Step, PortFault> {
        let is_try = cx.first_child() == Some(child.id);
        match status {
            Status::Running => {
                cx.state().child = child.id.get();
                Ok(Step::RUNNING)
            }
            Status::Failure if is_try => Ok(handle(cx, child.id)),
            other => Ok(Step::reset_and_answer(other)),
        }
    }
}

fn handle(cx: &mut NodeContext<'_>, tried: NodeId) -> Step {
    let failure = match cx.kept() {
        Some(Kept::Failure(failure)) => failure.clone(),
        // A child that fails without anybody's failing below it: nothing is known but that.
        _ => serde_json::json!({"kind": "node", "message": "it failed"}).into(),
    };
    cx.write(ERROR, Value::Json(failure.clone()));
    let mut handler = cx.next_child(tried);
    while let Some(it) = handler {
        if cx.tree.catch(it).is_none_or(|predicate| is_true(predicate, &failure)) {
            cx.state().child = it.get();
            return Step::new(Halt::Children, Then::visit(it));
        }
        handler = cx.next_child(it);
    }
    let (kind, message) = (text(&failure, "kind"), text(&failure, "message"));
    cx.because(|| format!("none of its handlers takes this {kind}: {message}"));
    Step::reset_and_answer(Status::Failure)
}

fn text(failure: &Json, name: &str) -> String {
    failure.get(name).and_then(Json::as_str).unwrap_or_default().to_owned()
}

/// A predicate never faults: what it cannot answer is not true.
fn is_true(predicate: &Program, failure: &Json) -> bool {
    let value = |name: &str| Some(Value::from_json(failure.get(name).cloned().unwrap_or_default()));
    let values = predicate.names().iter().map(|name| value(&name.text)).collect();
    predicate.test(&mut FailureEnv { values }).unwrap_or(false)
}

/// What a `_catch` sees.
struct FailureEnv {
    values: Vec<Option<Value>>,
}

impl Env for FailureEnv {
    fn read(&self, name: NameId) -> Option<&Value> {
        self.values[name.index()].as_ref()
    }
}
