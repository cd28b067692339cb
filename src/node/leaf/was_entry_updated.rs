//! Says whether a key was written.

use crate::catalog::{Class, Kind, NodeManifest, PortManifest};
use crate::node::{Behavior, Halt, NodeContext, PortFault, Step, Then};
use crate::status::Status;
use crate::value::Type;

/// Success when the key was written since this node last looked.
pub(crate) struct WasEntryUpdated;

const ENTRY: usize = 0;

impl Behavior for WasEntryUpdated {
    fn manifest() -> NodeManifest {
        let doc = "Succeeds when a key was written since the last look, else fails.";
        NodeManifest::builtin("WasEntryUpdated", Kind::WasEntryUpdated, Class::Condition, doc)
            .with_ports([PortManifest::input("entry", Type::Any, "the key that is looked at").key()])
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        let answer = if cx.was_updated(ENTRY) {
            Status::Success
        } else {
            cx.because(|| "the key was not written since the last look".to_owned());
            Status::Failure
        };
        Ok(Step::new(Halt::Nothing, Then::keeping(answer)))
    }
}
