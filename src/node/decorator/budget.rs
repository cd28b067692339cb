//! Bounds what its child may use.

use crate::catalog::{Class, Kind, NodeManifest, PortManifest};
use crate::node::{Behavior, Child, Halt, Kept, NodeContext, PortFault, Spending, Step};
use crate::status::Status;
use crate::value::Type;

/// When the time, the calls or the bytes are spent, what is still running is halted and the answer is
/// Failure; a child that came to a verdict of its own before keeps it. Of nested budgets each counts
/// for itself, so the least that is left holds. An extension of the dialect.
pub(crate) struct Budget;

const TIME: usize = 0;
const CALLS: usize = 1;
const BYTES: usize = 2;

impl Behavior for Budget {
    fn manifest() -> NodeManifest {
        let doc = "Bounds the time, the calls and the bytes of outputs that its child may use; fails when they are spent.";
        let limit = |name, doc| PortManifest::input(name, Type::Uint64, doc).optional();
        let manifest = NodeManifest::builtin("Budget", Kind::Budget, Class::Decorator, doc).with_ports([
            limit("time_ms", "the milliseconds that the child may take"),
            limit("calls", "how many tool calls it may start"),
            limit("bytes", "how many bytes of outputs it may get before the next call, as JSON text"),
        ]);
        NodeManifest { extension: true, ..manifest }
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        if !cx.state().started {
            cx.state().started = true;
            begin(cx)?;
        }
        if let Some(step) = spent(cx) {
            return Ok(step);
        }
        Ok(cx.first_child().map_or(Step::answer(Status::Skipped), Step::visit))
    }

    fn child_done(cx: &mut NodeContext<'_>, _: Child, status: Status) -> Result<Step, PortFault> {
        match status {
            Status::Running => Ok(spent(cx).unwrap_or(Step::RUNNING)),
            Status::Failure => Ok(spent(cx).unwrap_or(Step::answer(status))),
            other => Ok(Step::answer(other)),
        }
    }

    fn fired(cx: &mut NodeContext<'_>) -> Halt {
        let Some(Kept::Spending(spending)) = cx.kept() else { return Halt::Nothing };
        spending.spent = Some("its time is over".into());
        Halt::Children
    }
}

fn begin(cx: &mut NodeContext<'_>) -> Result<(), PortFault> {
    let until = match cx.optional_millis(TIME)? {
        Some(time) => {
            let until = cx.now() + time;
            cx.set_timer(until);
            Some(until)
        }
        None => None,
    };
    let (calls, bytes) = (cx.count(CALLS)?, cx.count(BYTES)?);
    cx.keep(Kept::Spending(Spending { until, calls, bytes, spent: None }));
    Ok(())
}

/// The answer when something is spent.
fn spent(cx: &mut NodeContext<'_>) -> Option<Step> {
    let Some(Kept::Spending(Spending { spent: Some(why), .. })) = cx.kept() else { return None };
    let why = why.to_string();
    cx.because(|| why);
    Some(Step::reset_and_answer(Status::Failure))
}
