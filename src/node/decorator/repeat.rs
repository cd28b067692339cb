//! Visits its child again while it succeeds, so many times.

use crate::catalog::{Class, Kind, NodeManifest, PortManifest};
use crate::node::decorator::rounds::{self, Next};
use crate::node::{Behavior, Child, NodeContext, PortFault, Step};
use crate::status::Status;
use crate::value::Type;

/// Succeeds when all rounds did, and fails with the first that does not.
pub(crate) struct Repeat;

impl Behavior for Repeat {
    fn manifest() -> NodeManifest {
        let doc = "Visits its child again while it succeeds, so many times.";
        NodeManifest::builtin("Repeat", Kind::Repeat, Class::Decorator, doc)
            .with_ports([PortManifest::input("num_cycles", Type::Int, "how many cycles; -1 is without end")])
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        Ok(rounds::enter(cx)?.unwrap_or(Step::answer(Status::Success)))
    }

    fn child_done(cx: &mut NodeContext<'_>, child: Child, status: Status) -> Result<Step, PortFault> {
        Ok(match rounds::after(cx, child.id, status, Status::Success)? {
            Next::Answer(step) => step,
            Next::Spent => Step::answer(Status::Success),
            Next::Round => rounds::again(cx, child.id),
        })
    }
}
