//! Visits its children in order; when one fails, the last child cleans up.

use crate::catalog::{Children, Class, Kind, NodeManifest, PortManifest};
use crate::id::NodeId;
use crate::node::{Behavior, Child, Halt, NodeContext, PortFault, Step, Then};
use crate::status::Status;
use crate::value::Type;

/// All children but the last are a Sequence. After a failure they are reset and the last one is
/// visited until it ends; the answer is Failure whatever that says.
pub(crate) struct TryCatch;

/// Whether the last child is also visited, once, when the others are halted.
pub(crate) const CATCH_ON_HALT: usize = 0;

impl Behavior for TryCatch {
    fn manifest() -> NodeManifest {
        let doc = "Visits its children in order; when one fails the last child cleans up, and the answer is Failure.";
        let manifest = NodeManifest::builtin("TryCatch", Kind::TryCatch, Class::Control, doc).with_ports([
            PortManifest::input(
                "catch_on_halt",
                Type::Bool,
                "whether the last child also cleans up after a halt",
            )
            .or("false"),
        ]);
        NodeManifest { children: Children::AtLeast(2), ..manifest }
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        Ok(cx.current_child().map_or(Step::answer(Status::Skipped), Step::visit))
    }

    fn child_done(cx: &mut NodeContext<'_>, child: Child, status: Status) -> Result<Step, PortFault> {
        let Some(next) = cx.after(child) else { return Ok(caught(cx, child.id, status)) };
        // `count` is the number of children that succeeded and were not skipped.
        match status {
            Status::Running => {
                cx.state().child = child.id.get();
                return Ok(Step::RUNNING);
            }
            Status::Failure => {
                let catch = last_from(cx, next);
                cx.state().child = catch.get();
                return Ok(Step::new(Halt::Children, Then::visit(catch)));
            }
            Status::Success => cx.state().count += 1,
            Status::Skipped | Status::Idle => {}
        }
        Ok(match cx.next_child(next) {
            Some(_) => Step::visit(next),
            None if cx.state().count == 0 => Step::reset_and_answer(Status::Skipped),
            None => Step::reset_and_answer(Status::Success),
        })
    }
}

fn caught(cx: &mut NodeContext<'_>, catch: NodeId, status: Status) -> Step {
    if status == Status::Running {
        cx.state().child = catch.get();
        return Step::RUNNING;
    }
    Step::reset_and_answer(Status::Failure)
}

fn last_from(cx: &NodeContext<'_>, from: NodeId) -> NodeId {
    std::iter::successors(Some(from), |&child| cx.next_child(child)).last().unwrap_or(from)
}
