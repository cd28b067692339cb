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

/// How it goes on: to a child, or with an answer. Plain fields, so that it stays in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Then {
    /// The child that is visited, when there is no answer.
    pub child: NodeId,
    /// The node's answer. One other than Running clears the node's state.
    pub answer: Option<Status>,
    /// Whether the state is kept whatever the answer is.
    pub keeps: bool,
}

impl Then {
    /// Visit this child.
    #[inline(always)]
    pub const fn visit(child: NodeId) -> Self {
        Self { child, answer: None, keeps: false }
    }

    /// Answer this. An answer other than Running clears the node's state.
    #[inline(always)]
    pub const fn answer(status: Status) -> Self {
        Self { child: NodeId::new(0), answer: Some(status), keeps: false }
    }

    /// Answer this and keep the node's state whatever the answer is.
    #[inline(always)]
    pub const fn keeping(status: Status) -> Self {
        Self { child: NodeId::new(0), answer: Some(status), keeps: true }
    }
}

impl Step {
    /// Visits a child.
    #[inline(always)]
    pub const fn visit(child: NodeId) -> Self {
        Self { halt: Halt::Nothing, then: Then::visit(child) }
    }

    /// Answers, leaving the children as they are.
    pub const fn answer(status: Status) -> Self {
        Self { halt: Halt::Nothing, then: Then::answer(status) }
    }

    /// Halts and resets the children, then answers.
    pub const fn reset_and_answer(status: Status) -> Self {
        Self { halt: Halt::Children, then: Then::answer(status) }
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
