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

/// How it goes on: to a child, or with an answer.
///
/// One number, so that it is handed on in a register. As fields the parts lie where the fault of a visit
/// lies when there is one, and every step goes through memory piece by piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Then(u64);

impl Then {
    const ANSWER_SHIFT: u32 = 32;
    const KEEPS: u64 = 1 << 40;
    const VISITS: u64 = 1 << 41;

    /// Visit this child.
    #[inline(always)]
    pub const fn visit(child: NodeId) -> Self {
        Self(child.get() as u64 | Self::VISITS)
    }

    /// Answer this. An answer other than Running clears the node's state.
    #[inline(always)]
    pub const fn answer(status: Status) -> Self {
        Self((status as u64) << Self::ANSWER_SHIFT)
    }

    /// Answer this and keep the node's state whatever the answer is.
    #[inline(always)]
    pub const fn keeping(status: Status) -> Self {
        Self(Self::answer(status).0 | Self::KEEPS)
    }

    /// The child that is visited; `None` when there is an answer.
    #[inline(always)]
    pub const fn child(self) -> Option<NodeId> {
        if self.0 & Self::VISITS == 0 { None } else { Some(NodeId::new(self.0 as u32)) }
    }

    /// The node's answer, when it visits no child.
    #[inline(always)]
    pub const fn status(self) -> Status {
        match (self.0 >> Self::ANSWER_SHIFT) as u8 {
            1 => Status::Running,
            2 => Status::Success,
            3 => Status::Failure,
            4 => Status::Skipped,
            _ => Status::Idle,
        }
    }

    /// Whether the node skips itself.
    #[inline(always)]
    pub fn is_skipped(self) -> bool {
        self.child().is_none() && self.status() == Status::Skipped
    }

    /// Whether the state is kept whatever the answer is.
    #[inline(always)]
    pub const fn keeps(self) -> bool {
        self.0 & Self::KEEPS != 0
    }
}

/// A child as its parent sees it at the end of its visit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child {
    pub id: NodeId,
    /// The node behind the child and all that is below it.
    pub end: u32,
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
    fn child_done(cx: &mut NodeContext<'_>, child: Child, status: Status) -> Result<Step, PortFault> {
        let _ = (cx, child.id);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_into_one_number_comes_out_of_it() {
        for id in [1, 7, u32::MAX] {
            let child = NodeId::new(id);
            assert_eq!(Then::visit(child).child(), Some(child));
            assert!(!Then::visit(child).keeps() && !Then::visit(child).is_skipped());
        }
        for status in [Status::Idle, Status::Running, Status::Success, Status::Failure, Status::Skipped] {
            let (answer, keeping) = (Then::answer(status), Then::keeping(status));
            assert_eq!((answer.child(), answer.status(), answer.keeps()), (None, status, false));
            assert_eq!((keeping.child(), keeping.status(), keeping.keeps()), (None, status, true));
            assert_eq!(answer.is_skipped(), status == Status::Skipped);
        }
    }
}
