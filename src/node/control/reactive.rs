//! What ReactiveSequence and ReactiveFallback share: every tick begins with the first child.

use crate::id::NodeId;
use crate::node::{Child, Halt, NodeContext, Step, Then};
use crate::status::Status;

/// Begins with the first child. When nothing happened to the node itself and no child was skipped the
/// last time, those before the running child have passed and would pass again: only the marked ones
/// among them are asked.
pub(crate) fn enter(cx: &mut NodeContext<'_>) -> Step {
    let first = cx.first_child();
    let is_sparse = cx.is_sparse();
    let state = cx.state();
    state.sparse = is_sparse && state.child > 0 && state.skips == 0;
    if state.sparse {
        let running = NodeId::new(state.child);
        // Those before the running child count as one that has passed.
        state.count = u32::from(first != Some(running));
        return next_marked(cx, first, Halt::Nothing);
    }
    (state.count, state.skips, state.child) = (0, 0, 0);
    first.map_or(Step::answer(Status::Skipped), Step::visit)
}

/// Goes on while children end in `passes`. A child that is running halts all others, earlier and
/// later ones; a skipped one is reset and asked again at the next tick.
#[inline(always)]
pub(crate) fn child_done(cx: &mut NodeContext<'_>, child: Child, status: Status, passes: Status) -> Step {
    let mut halt = Halt::Nothing;
    let is_sparse = cx.state().sparse;
    let is_same = is_sparse && cx.state().child == child.id.get();
    match status {
        // The others are idle already.
        Status::Running if is_same => return Step::RUNNING,
        Status::Running => {
            cx.state().child = child.id.get();
            return Step { halt: Halt::AllBut(child.id), then: Then::answer(Status::Running) };
        }
        Status::Skipped => {
            cx.state().skips += 1;
            halt = Halt::One(child.id);
        }
        passed if passed == passes => cx.state().count += 1,
        ended => return Step::reset_and_answer(ended),
    }
    let next = cx.after(child);
    if is_sparse && !is_same {
        return next_marked(cx, next, Halt::One(child.id));
    }
    cx.state().sparse = false;
    match next {
        Some(next) => Step { halt, then: Then::visit(next) },
        None if cx.state().count == 0 => Step::reset_and_answer(Status::Skipped),
        None => Step::reset_and_answer(passes),
    }
}

/// The next marked child, as far as the running one; without one the answer is as it was.
fn next_marked(cx: &mut NodeContext<'_>, from: Option<NodeId>, halt: Halt) -> Step {
    let running = cx.state().child;
    match cx.marked_child(from) {
        Some(marked) if marked.get() <= running => Step { halt, then: Then::visit(marked) },
        _ => Step { halt, then: Then::answer(Status::Running) },
    }
}
