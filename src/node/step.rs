//! What a node answers when it is entered or told of a child.

use std::num::NonZeroU64;

use crate::catalog::NodeManifest;
use crate::id::NodeId;
use crate::node::{NodeContext, PortFault};
use crate::status::Status;

/// A node's answer: first halt and reset, then go on.
///
/// Two numbers, so that it is handed on in two registers. As fields its parts lie where the fault of a visit
/// lies when there is one, and every step goes through memory piece by piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// A [`Halt`]; never 0, which leaves room for the fault.
    halt: NonZeroU64,
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

impl Halt {
    const NOTHING: u64 = 1;
    const CHILDREN: u64 = 2;
    const ONE: u64 = 3;
    const ALL_BUT: u64 = 4;
    const FROM: u64 = 5;
    const KINDS: u64 = 7;
    const SHIFT: u32 = 3;

    /// The kind, and above it the child.
    #[inline(always)]
    const fn number(self) -> NonZeroU64 {
        let (kind, child) = match self {
            Self::Nothing => (Self::NOTHING, 0),
            Self::Children => (Self::CHILDREN, 0),
            Self::One(child) => (Self::ONE, child.get()),
            Self::AllBut(child) => (Self::ALL_BUT, child.get()),
            Self::From(child) => (Self::FROM, child.get()),
        };
        // No kind is 0; said so that nothing is left to be looked at.
        NonZeroU64::MIN.saturating_add(((child as u64) << Self::SHIFT | kind) - 1)
    }
}

/// How it goes on: to a child, or with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Then(u64);

impl Then {
    const VISITS: u64 = 1;
    const CHILD_SHIFT: u32 = 1;
    /// Of an answer alone, as the other one.
    const KEEPS: u64 = 2;
    const ANSWER_SHIFT: u32 = 2;

    /// Visit this child.
    #[inline(always)]
    pub const fn visit(child: NodeId) -> Self {
        Self((child.get() as u64) << Self::CHILD_SHIFT | Self::VISITS)
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
        if self.0 & Self::VISITS == 0 {
            None
        } else {
            Some(NodeId::new((self.0 >> Self::CHILD_SHIFT) as u32))
        }
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
        self.0 & (Self::VISITS | Self::KEEPS) == Self::KEEPS
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
    /// Halts and resets, then goes on.
    #[inline(always)]
    pub const fn new(halt: Halt, then: Then) -> Self {
        Self { halt: halt.number(), then }
    }

    /// Visits a child.
    #[inline(always)]
    pub const fn visit(child: NodeId) -> Self {
        Self::new(Halt::Nothing, Then::visit(child))
    }

    /// Answers, leaving the children as they are.
    #[inline(always)]
    pub const fn answer(status: Status) -> Self {
        Self::new(Halt::Nothing, Then::answer(status))
    }

    /// Halts and resets the children, then answers.
    #[inline(always)]
    pub const fn reset_and_answer(status: Status) -> Self {
        Self::new(Halt::Children, Then::answer(status))
    }

    /// Whether anything is halted or reset.
    #[inline(always)]
    pub const fn halts(self) -> bool {
        self.halt.get() != Halt::NOTHING
    }

    /// What is halted and reset.
    #[inline(always)]
    pub const fn halt(self) -> Halt {
        let child = NodeId::new((self.halt.get() >> Halt::SHIFT) as u32);
        match self.halt.get() & Halt::KINDS {
            Halt::ONE => Halt::One(child),
            Halt::ALL_BUT => Halt::AllBut(child),
            Halt::FROM => Halt::From(child),
            Halt::CHILDREN => Halt::Children,
            _ => Halt::Nothing,
        }
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
            for child in [1, 7, u32::MAX].map(NodeId::new) {
                let halts =
                    [Halt::Nothing, Halt::Children, Halt::One(child), Halt::AllBut(child), Halt::From(child)];
                for halt in halts {
                    let step = Step::new(halt, answer);
                    assert_eq!((step.halt(), step.then), (halt, answer));
                }
            }
        }
    }
}
