//! Visits its child when a key was written since the last look.

use crate::catalog::{Class, Kind, NodeManifest, PortManifest};
use crate::node::{Behavior, Child, Halt, NodeContext, PortFault, Step, Then};
use crate::status::Status;
use crate::value::Type;

/// Skips when the key was not written.
pub(crate) struct SkipUnlessUpdated;

/// Waits until the key is written.
pub(crate) struct WaitValueUpdate;

const ENTRY: usize = 0;

fn entry() -> [PortManifest; 1] {
    [PortManifest::input("entry", Type::Any, "the key that is looked at").key()]
}

impl Behavior for SkipUnlessUpdated {
    fn manifest() -> NodeManifest {
        let doc = "Visits its child when a key was written since the last look, else skips.";
        NodeManifest::builtin("SkipUnlessUpdated", Kind::SkipUnlessUpdated, Class::Decorator, doc)
            .with_ports(entry())
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        Ok(enter(cx, Status::Skipped))
    }

    fn child_done(cx: &mut NodeContext<'_>, _: Child, status: Status) -> Result<Step, PortFault> {
        Ok(child_done(cx, status))
    }

    fn halted(cx: &mut NodeContext<'_>) {
        cx.state().started = false;
    }
}

impl Behavior for WaitValueUpdate {
    fn manifest() -> NodeManifest {
        let doc = "Waits until a key is written, then visits its child.";
        NodeManifest::builtin("WaitValueUpdate", Kind::WaitValueUpdate, Class::Decorator, doc)
            .with_ports(entry())
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        let step = enter(cx, Status::Running);
        if !cx.state().started {
            cx.wait_for_write(ENTRY);
        }
        Ok(step)
    }

    fn child_done(cx: &mut NodeContext<'_>, _: Child, status: Status) -> Result<Step, PortFault> {
        Ok(child_done(cx, status))
    }

    fn halted(cx: &mut NodeContext<'_>) {
        cx.state().started = false;
    }
}

/// Goes on with a child that has begun; begins when the key was written.
fn enter(cx: &mut NodeContext<'_>, otherwise: Status) -> Step {
    if cx.state().started || cx.was_updated(ENTRY) {
        cx.state().started = true;
        return cx.first_child().map_or(Step::answer(Status::Skipped), Step::visit);
    }
    Step::new(Halt::Nothing, Then::keeping(otherwise))
}

/// What was seen of the key is kept over the end of the child and of the run of the tree.
fn child_done(cx: &mut NodeContext<'_>, status: Status) -> Step {
    cx.state().started = status == Status::Running;
    Step::new(Halt::Nothing, Then::keeping(status))
}
