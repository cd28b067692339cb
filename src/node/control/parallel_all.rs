//! Visits all its children until every one has ended; then says whether too many failed.

use crate::catalog::{Class, Kind, NodeManifest, PortManifest};
use crate::id::NodeId;
use crate::node::{Behavior, Child, NodeContext, PortFault, Step};
use crate::status::Status;
use crate::value::Type;

/// Visits every unfinished child on every tick.
pub(crate) struct ParallelAll;

const MAX_FAILURES: usize = 0;

impl Behavior for ParallelAll {
    fn manifest() -> NodeManifest {
        let doc = "Visits all its children until every one has ended; fails when too many of them failed.";
        NodeManifest::builtin("ParallelAll", Kind::ParallelAll, Class::Control, doc)
            .with_ports([PortManifest::input(
            "max_failures",
            Type::Int,
            "how many failed children make it fail; negative counts from the number of children: -1 is all",
        )
        .or("1")])
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        let children = cx.child_count();
        if limit(cx)? > i64::from(children) {
            let why = format!("the threshold is above the number of children, {children}");
            return Err(PortFault::new(cx.tree, cx.id, MAX_FAILURES, why));
        }
        cx.begin_sparsely();
        let first = cx.first_child();
        next(cx, first)
    }

    fn child_done(cx: &mut NodeContext<'_>, child: Child, status: Status) -> Result<Step, PortFault> {
        // `count` is the number of children that have a verdict.
        match status {
            Status::Success => cx.state().count += 1,
            Status::Failure => {
                cx.state().count += 1;
                cx.state().failures += 1;
            }
            Status::Skipped => cx.state().skips += 1,
            Status::Running | Status::Idle => {}
        }
        let following = cx.after(child);
        next(cx, following)
    }
}

/// The next child without a verdict; behind the last one the verdict, when all have ended.
fn next(cx: &mut NodeContext<'_>, from: Option<NodeId>) -> Result<Step, PortFault> {
    let mut child = cx.not_before(from);
    while let Some(it) = child {
        if !cx.status(it).is_completed() {
            return Ok(Step::visit(it));
        }
        let following = cx.next_child(it);
        child = cx.not_before(following);
    }
    let (children, state) = (cx.child_count(), *cx.state());
    if state.skips == children {
        return Ok(Step::answer(Status::Skipped));
    }
    if state.count + state.skips < children {
        return Ok(cx.running_beside_skipped());
    }
    let failed = i64::from(state.failures) >= limit(cx)?;
    Ok(Step::reset_and_answer(if failed { Status::Failure } else { Status::Success }))
}

fn limit(cx: &NodeContext<'_>) -> Result<i64, PortFault> {
    let limit = cx.int(MAX_FAILURES)?;
    Ok(if limit < 0 { (i64::from(cx.child_count()) + limit + 1).max(0) } else { limit })
}
