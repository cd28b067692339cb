//! Visits all its children until enough succeeded or too many failed.

use crate::catalog::{Class, Kind, NodeManifest, PortManifest};
use crate::id::NodeId;
use crate::node::{Behavior, Child, NodeContext, PortFault, Step};
use crate::status::Status;
use crate::value::Type;

/// Visits every unfinished child on every tick and counts after each.
pub(crate) struct Parallel;

const SUCCESS_COUNT: usize = 0;
const FAILURE_COUNT: usize = 1;

impl Behavior for Parallel {
    fn manifest() -> NodeManifest {
        NodeManifest::builtin(
            "Parallel",
            Kind::Parallel,
            Class::Control,
            "Visits all its children; succeeds or fails as soon as enough of them did.",
        )
        .with_ports([
            PortManifest::input(
                "success_count",
                Type::Int,
                "how many children must succeed; negative counts from the number of children: -1 is all",
            )
            .or("-1"),
            PortManifest::input(
                "failure_count",
                Type::Int,
                "how many children must fail; negative counts from the number of children: -1 is all",
            )
            .or("1"),
        ])
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        let children = cx.child_count();
        for port in [SUCCESS_COUNT, FAILURE_COUNT] {
            if threshold(cx.int(port)?, children) > i64::from(children) {
                let why = format!("the threshold is above the number of children, {children}");
                return Err(PortFault::new(cx.tree, cx.id, port, why));
            }
        }
        cx.begin_sparsely();
        let first = cx.first_child();
        next(cx, first)
    }

    fn child_done(cx: &mut NodeContext<'_>, child: Child, status: Status) -> Result<Step, PortFault> {
        match status {
            Status::Success => cx.state().count += 1,
            Status::Failure => cx.state().failures += 1,
            Status::Skipped => cx.state().skips += 1,
            Status::Running | Status::Idle => {}
        }
        if let Some(verdict) = verdict(cx)? {
            return Ok(Step::reset_and_answer(verdict));
        }
        let following = cx.after(child);
        next(cx, following)
    }
}

/// The next child that has no verdict yet; the verdicts of those passed over are counted already.
fn next(cx: &mut NodeContext<'_>, from: Option<NodeId>) -> Result<Step, PortFault> {
    let mut child = cx.not_before(from);
    while let Some(it) = child {
        if !cx.status(it).is_completed() {
            return Ok(Step::visit(it));
        }
        if let Some(verdict) = verdict(cx)? {
            return Ok(Step::reset_and_answer(verdict));
        }
        let following = cx.next_child(it);
        child = cx.not_before(following);
    }
    if cx.state().skips == cx.child_count() {
        return Ok(Step::answer(Status::Skipped));
    }
    Ok(cx.running_beside_skipped())
}

/// The verdict that the counts allow, if any.
fn verdict(cx: &mut NodeContext<'_>) -> Result<Option<Status>, PortFault> {
    let children = cx.child_count();
    let (successes, failures) = (cx.int(SUCCESS_COUNT)?, cx.int(FAILURE_COUNT)?);
    let (need, limit) = (threshold(successes, children), threshold(failures, children));
    let state = *cx.state();
    let done = i64::from(state.count) + if successes < 0 { i64::from(state.skips) } else { 0 };
    if done >= need {
        return Ok(Some(Status::Success));
    }
    let failed = i64::from(state.failures);
    let lost = i64::from(children) - failed < need || failed == limit;
    Ok(lost.then_some(Status::Failure))
}

/// A threshold with negative numbers counted from the number of children.
fn threshold(count: i64, children: u32) -> i64 {
    if count < 0 { (i64::from(children) + count + 1).max(0) } else { count }
}
