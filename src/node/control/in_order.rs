//! What the nodes share that visit their children in order: Sequence, Fallback, and the variants
//! that yield or remember.

use crate::catalog::NodeManifest;
use crate::id::NodeId;
use crate::node::{Behavior, Child, Halt, NodeContext, PortFault, Step, Then};
use crate::status::Status;

/// What tells them apart.
pub(crate) trait InOrder {
    /// The verdict of a child that leads on to the next; the other one ends the node.
    const PASSES: Status;
    /// Whether the node answers Running after a child that passed in one visit, and asks to be
    /// visited again: so it can be interrupted between two quick children.
    const YIELDS: bool = false;
    /// Whether the node keeps its place over a failure and a halt.
    const REMEMBERS: bool = false;

    /// What the node says of itself.
    fn manifest() -> NodeManifest;
}

impl<T: InOrder> Behavior for T {
    fn manifest() -> NodeManifest {
        <T as InOrder>::manifest()
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        if !cx.state().started {
            cx.state().started = true;
            // Whoever goes on where it stopped has passed the children before: not all were skipped.
            cx.state().count = u32::from(T::REMEMBERS && cx.current_child() != cx.first_child());
        }
        Ok(match cx.current_child() {
            Some(child) => visit::<T>(cx, child),
            None => Step::answer(Status::Skipped),
        })
    }

    #[inline(always)]
    fn child_done(cx: &mut NodeContext<'_>, child: Child, status: Status) -> Result<Step, PortFault> {
        // `count` is the number of children that passed and were not skipped.
        match status {
            Status::Running => {
                cx.state().child = child.id.get();
                return Ok(Step::RUNNING);
            }
            Status::Skipped => {}
            passed if passed == T::PASSES => cx.state().count += 1,
            ended if T::REMEMBERS => return Ok(stop_at(cx, child.id, ended)),
            ended => return Ok(Step::reset_and_answer(ended)),
        }
        Ok(match cx.after(child) {
            Some(next) if T::YIELDS && status == T::PASSES && cx.state().fresh => {
                cx.state().child = next.get();
                cx.wake();
                Step::RUNNING
            }
            Some(next) => visit::<T>(cx, next),
            None if cx.state().count == 0 => Step::reset_and_answer(Status::Skipped),
            None => Step::reset_and_answer(T::PASSES),
        })
    }

    fn halted(cx: &mut NodeContext<'_>) {
        let child = cx.state().child;
        cx.clear();
        if T::REMEMBERS {
            cx.state().child = child;
        }
    }
}

#[inline(always)]
fn visit<T: InOrder>(cx: &mut NodeContext<'_>, child: NodeId) -> Step {
    if T::YIELDS {
        cx.state().fresh = cx.status(child) == Status::Idle;
    }
    Step::visit(child)
}

/// Ends, keeping the place: the next visit begins with the child that ended it. The children
/// before keep their verdicts until the node has passed them all.
fn stop_at(cx: &mut NodeContext<'_>, child: NodeId, status: Status) -> Step {
    cx.state().child = child.get();
    cx.state().started = false;
    Step::new(Halt::From(child), Then::keeping(status))
}
