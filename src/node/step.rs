//! What a node answers when it is entered or told of a child.

use crate::catalog::NodeManifest;
use crate::id::NodeId;
use crate::node::{NodeContext, PortFault};
use crate::status::Status;

/// A node's answer: first halt and reset, then go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub halt: Halt,
    pub then: Then,
}

/// Which children are halted, when running, and reset to Idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    Nothing,
    Children,
    One(NodeId),
    AllBut(NodeId),
    /// This child and those after it.
    From(NodeId),
}

/// How it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// Visit this child.
    Visit(NodeId),
    /// Answer this. An answer other than Running clears the node's state.
    Return(Status),
    /// Answer this and keep the node's state whatever the answer is.
    ReturnKeeping(Status),
}

impl Step {
    /// Visits a child.
    pub const fn visit(child: NodeId) -> Self {
        Self { halt: Halt::Nothing, then: Then::Visit(child) }
    }

    /// Answers, leaving the children as they are.
    pub const fn answer(status: Status) -> Self {
        Self { halt: Halt::Nothing, then: Then::Return(status) }
    }

    /// Halts and resets the children, then answers.
    pub const fn reset_and_answer(status: Status) -> Self {
        Self { halt: Halt::Children, then: Then::Return(status) }
    }

    /// Answers Running.
    pub const RUNNING: Self = Self::answer(Status::Running);
}

/// The state machine of a node.
pub(crate) trait Behavior {
    /// What the node says of itself.
    fn manifest() -> NodeManifest;

    /// The node is visited.
    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault>;

    /// The visit of `child`, which an earlier step asked for, ended in `status`.
    fn child_done(cx: &mut NodeContext<'_>, child: NodeId, status: Status) -> Result<Step, PortFault> {
        let _ = (cx, child);
        Ok(Step::answer(status))
    }

    /// The node's timer fired between two ticks.
    fn fired(cx: &mut NodeContext<'_>) -> Halt {
        let _ = cx;
        Halt::Nothing
    }

    /// The running node was halted, its children before it.
    fn halted(cx: &mut NodeContext<'_>) {
        cx.clear();
    }
}
