//! Visits its child to its end once in a run.

use crate::catalog::{Class, Kind, NodeManifest, PortManifest};
use crate::node::{Behavior, Child, Halt, NodeContext, PortFault, Step, Then};
use crate::status::Status;
use crate::value::Type;

/// After the first verdict the child is never visited again; a halt before it forgets nothing.
pub(crate) struct RunOnce;

const THEN_SKIP: usize = 0;

impl Behavior for RunOnce {
    fn manifest() -> NodeManifest {
        let doc = "Visits its child until it ended once; afterwards skips, or answers the same again.";
        NodeManifest::builtin("RunOnce", Kind::RunOnce, Class::Decorator, doc).with_ports([
            PortManifest::input("then_skip", Type::Bool, "whether it is skipped once its child has ended")
                .or("true"),
        ])
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        let skips = cx.flag(THEN_SKIP)?;
        // `count` is 1 after a success and 2 after a failure.
        let answer = match (cx.state().count, skips) {
            (0, _) => return Ok(cx.first_child().map_or(Step::answer(Status::Skipped), Step::visit)),
            (_, true) => Status::Skipped,
            (1, false) => Status::Success,
            (_, false) => Status::Failure,
        };
        Ok(Step::new(Halt::Nothing, Then::keeping(answer)))
    }

    fn child_done(cx: &mut NodeContext<'_>, _: Child, status: Status) -> Result<Step, PortFault> {
        match status {
            Status::Success => cx.state().count = 1,
            Status::Failure => cx.state().count = 2,
            Status::Running | Status::Skipped | Status::Idle => {}
        }
        Ok(Step::new(Halt::Nothing, Then::keeping(status)))
    }

    fn halted(_: &mut NodeContext<'_>) {}
}
