//! Visits its child once for every item of a list.

use crate::catalog::{Class, Kind, NodeManifest, PortManifest};
use crate::node::{Behavior, Child, Halt, Kept, NodeContext, PortFault, Step, Then, read_items};
use crate::status::Status;
use crate::value::Type;

/// `LoopInt`, `LoopBool`, `LoopDouble` and `LoopString`. Answers Running after every item, also the
/// last: the tick that finds nothing left answers `if_empty`. The list is read when the loop begins
/// and gone through as it was then.
pub(crate) struct Loop;

const QUEUE: usize = 0;
const IF_EMPTY: usize = 1;
const VALUE: usize = 2;

/// The dialect's four forms and the type of their items.
const FORMS: [(&str, Type); 4] = [
    ("LoopInt", Type::Int),
    ("LoopBool", Type::Bool),
    ("LoopDouble", Type::Real),
    ("LoopString", Type::Text),
];

impl Loop {
    /// What each form says of itself.
    pub fn manifests() -> impl Iterator<Item = NodeManifest> {
        FORMS.iter().map(|&(name, ty)| {
            let doc = "Visits its child once for every item of a list; fails when the child fails.";
            let queue = "the items: a list such as `1;2;3`, or a key with such a text or a JSON array";
            NodeManifest::builtin(name, Kind::Loop, Class::Decorator, doc).with_ports([
                PortManifest::input("queue", Type::Any, queue).items(ty),
                PortManifest::input("if_empty", Type::Status, "the answer when no item is left")
                    .or("SUCCESS"),
                PortManifest::output("value", ty, "the key that takes the item"),
            ])
        })
    }
}

impl Behavior for Loop {
    fn manifest() -> NodeManifest {
        Self::manifests().next().expect("there are four forms")
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        let Some(child) = cx.first_child() else { return Ok(Step::answer(Status::Skipped)) };
        // A loop that has answered and was not reset goes on where it stands, as the reference has it.
        if cx.status(cx.id) == Status::Idle {
            let ty = cx.tree.manifest(cx.id).ports[VALUE].ty;
            let items = read_items(cx, QUEUE, ty)?;
            cx.keep(Kept::List { items, next: 0 });
        }
        // Not by its status: a composite that was skipped is Running too, and has no work that goes on.
        if std::mem::take(&mut cx.state().fresh) {
            return Ok(Step::visit(child));
        }
        if let Some(Kept::List { items, next }) = cx.kept()
            && let Some(item) = items.get(*next).cloned()
        {
            *next += 1;
            cx.write(VALUE, item);
            return Ok(Step::visit(child));
        }
        let status = cx.status_word(IF_EMPTY)?;
        Ok(keeping(status))
    }

    fn child_done(cx: &mut NodeContext<'_>, _: Child, status: Status) -> Result<Step, PortFault> {
        match status {
            Status::Running => {
                cx.state().fresh = true;
                Ok(Step::RUNNING)
            }
            Status::Success | Status::Skipped => {
                cx.come_back();
                Ok(Step::RUNNING)
            }
            ended => Ok(keeping(ended)),
        }
    }
}

/// An answer after which the list stays where it is, until the loop is reset.
const fn keeping(status: Status) -> Step {
    Step::new(Halt::Nothing, Then::keeping(status))
}
