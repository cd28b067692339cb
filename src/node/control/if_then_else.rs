//! Visits its second child when the first succeeded, and its third when it failed.

use crate::catalog::{Children, Class, Kind, NodeManifest};
use crate::id::NodeId;
use crate::node::{Behavior, Child, NodeContext, PortFault, Step};
use crate::status::Status;

/// The condition is asked once; the branch that it chose is visited until it ends.
pub(crate) struct IfThenElse;

impl Behavior for IfThenElse {
    fn manifest() -> NodeManifest {
        let doc = "Visits its second child when the first succeeds, else its third, which may be missing.";
        let manifest = NodeManifest::builtin("IfThenElse", Kind::IfThenElse, Class::Control, doc);
        NodeManifest { children: Children::Between(2, 3), ..manifest }
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        Ok(cx.current_child().map_or(Step::answer(Status::Skipped), Step::visit))
    }

    fn child_done(cx: &mut NodeContext<'_>, child: Child, status: Status) -> Result<Step, PortFault> {
        if Some(child.id) != cx.first_child() {
            return Ok(match status {
                Status::Running => Step::RUNNING,
                ended => Step::reset_and_answer(ended),
            });
        }
        let Some(then) = cx.after(child) else { return Ok(Step::answer(status)) };
        match status {
            Status::Success => Ok(choose(cx, then)),
            Status::Failure => match cx.next_child(then) {
                Some(otherwise) => Ok(choose(cx, otherwise)),
                None => {
                    cx.because(|| "its condition failed and there is no third child".to_owned());
                    Ok(Step::answer(Status::Failure))
                }
            },
            Status::Skipped => Err(PortFault::of_node(cx.tree, cx.id, "its condition was skipped")),
            Status::Running | Status::Idle => Ok(Step::RUNNING),
        }
    }
}

fn choose(cx: &mut NodeContext<'_>, branch: NodeId) -> Step {
    cx.state().child = branch.get();
    Step::visit(branch)
}
