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
    if cx.state().sparse {
        return sparsely(cx.again(), child, status, passes);
    }
    let state = cx.state();
    match status {
        Status::Running => {
            state.child = child.id.get();
            Step::new(Halt::AllBut(child.id), Then::answer(Status::Running))
        }
        Status::Skipped => {
            state.skips += 1;
            go_on(cx, child, Halt::One(child.id), passes)
        }
        passed if passed == passes => {
            state.count += 1;
            go_on(cx, child, Halt::Nothing, passes)
        }
        ended => Step::reset_and_answer(ended),
    }
}

/// Goes on behind a child that did not end the node.
#[inline(always)]
fn go_on(cx: &mut NodeContext<'_>, child: Child, halt: Halt, passes: Status) -> Step {
    match cx.after(child) {
        Some(next) => Step::new(halt, Then::visit(next)),
        None if cx.state().count == 0 => Step::reset_and_answer(Status::Skipped),
        None => Step::reset_and_answer(passes),
    }
}

/// A visit that asks the marked children before the running one, and then that one.
#[inline(never)]
fn sparsely(mut cx: NodeContext<'_>, child: Child, status: Status, passes: Status) -> Step {
    if cx.state().child == child.id.get() {
        if status == Status::Running {
            // The others are idle already.
            return Step::RUNNING;
        }
    } else if status == Status::Skipped || status == passes {
        let state = cx.state();
        *(if status == passes { &mut state.count } else { &mut state.skips }) += 1;
        let next = cx.after(child);
        return next_marked(&mut cx, next, Halt::One(child.id));
    }
    cx.state().sparse = false;
    child_done(&mut cx, child, status, passes)
}

/// The next marked child, as far as the running one; without one the answer is as it was.
fn next_marked(cx: &mut NodeContext<'_>, from: Option<NodeId>, halt: Halt) -> Step {
    let running = cx.state().child;
    match cx.marked_child(from) {
        Some(marked) if marked.get() <= running => Step::new(halt, Then::visit(marked)),
        _ => Step::new(halt, Then::answer(Status::Running)),
    }
}
