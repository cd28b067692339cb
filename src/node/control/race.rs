//! Visits all its children until one succeeds.

use crate::catalog::{Class, Kind, NodeManifest};
use crate::id::NodeId;
use crate::node::{Behavior, Child, NodeContext, PortFault, Step};
use crate::status::Status;

/// The first Success is the answer, and the others are halted; Failure when all have failed. What is
/// skipped takes no part. An extension of the dialect: `Parallel success_count="1" failure_count="-1"`
/// says the same without words.
pub(crate) struct Race;

impl Behavior for Race {
    fn manifest() -> NodeManifest {
        let doc =
            "Visits all its children; the first that succeeds is the answer, and the others are halted.";
        let manifest = NodeManifest::builtin("Race", Kind::Race, Class::Control, doc);
        NodeManifest { extension: true, ..manifest }
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        cx.begin_sparsely();
        let first = cx.first_child();
        Ok(next(cx, first))
    }

    fn child_done(cx: &mut NodeContext<'_>, child: Child, status: Status) -> Result<Step, PortFault> {
        match status {
            Status::Success => return Ok(Step::reset_and_answer(status)),
            Status::Failure => cx.state().failures += 1,
            Status::Skipped => cx.state().skips += 1,
            Status::Running | Status::Idle => {}
        }
        let following = cx.after(child);
        Ok(next(cx, following))
    }
}

/// The next child that has not failed yet, or the answer when all were asked.
fn next(cx: &mut NodeContext<'_>, from: Option<NodeId>) -> Step {
    let mut child = cx.not_before(from);
    while let Some(it) = child {
        if !cx.status(it).is_completed() {
            return Step::visit(it);
        }
        let following = cx.next_child(it);
        child = cx.not_before(following);
    }
    let (all, failures, skips) = (cx.child_count(), cx.state().failures, cx.state().skips);
    if failures + skips < all {
        return cx.running_beside_skipped();
    }
    if failures == 0 {
        return Step::reset_and_answer(Status::Skipped);
    }
    cx.because(|| format!("none of {failures} succeeded"));
    Step::reset_and_answer(Status::Failure)
}
