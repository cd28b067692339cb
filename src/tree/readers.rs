//! What a tick may pass by, and which nodes a write brings back.
//!
//! - A *pure* node answers at once, by its keys alone, and does nothing else.
//! - A *quiet* node that is running would answer Running again while nothing happens to what is below it:
//!   no leaf below it is asked at every tick, and whatever is asked again beside what is running is pure.
//!
//! A write marks the nodes that would be asked again and read the key. Each has an *anchor*: the node
//! that asks it again, which does so only while it is running.

use crate::catalog::{Class, Kind};
use crate::id::{NodeId, SlotId};
use crate::tree::{Binding, GuardKind, Script, Traits, Tree};

/// A node that is asked again when a key was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reader {
    pub node: NodeId,
    /// The node that asks it, while it is running.
    pub anchor: NodeId,
}

/// The readers of every slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readers {
    /// Where the readers of a slot begin; those of the last end with the list.
    first: Vec<u32>,
    readers: Vec<Reader>,
}

impl Readers {
    #[inline]
    pub fn of(&self, slot: SlotId) -> &[Reader] {
        match (self.first.get(slot.index()), self.first.get(slot.index() + 1)) {
            (Some(&from), Some(&to)) => &self.readers[from as usize..to as usize],
            // A key that no tree names.
            _ => &[],
        }
    }

    fn new(slots: usize, mut readers: Vec<(SlotId, Reader)>) -> Self {
        if readers.is_empty() {
            return Self::default();
        }
        readers.sort_by_key(|(slot, reader)| (*slot, reader.node));
        readers.dedup();
        let mut first = vec![0; slots + 1];
        for (slot, _) in &readers {
            first[slot.index() + 1] += 1;
        }
        for slot in 0..slots {
            first[slot + 1] += first[slot];
        }
        Self { first, readers: readers.into_iter().map(|(_, reader)| reader).collect() }
    }
}

/// Fills in what a tick may pass by, and the readers. The nodes and their keys must be whole.
pub(super) fn settle(tree: &mut Tree) {
    for index in (0..tree.nodes.len()).rev() {
        let id = NodeId::new(index as u32);
        let is_decorated = tree.parent(id).is_some_and(|parent| tree.node(parent).kind.is_decorator());
        let found = Traits::PURE
            .when(is_pure(tree, id))
            .and(Traits::QUIET.when(is_quiet(tree, id)))
            .and(Traits::DECORATED.when(is_decorated));
        let traits = &mut tree.nodes[index].traits;
        *traits = traits.and(found);
    }
    let mut readers = Vec::new();
    let mut anchors = Vec::with_capacity(tree.nodes.len());
    for id in tree.ids() {
        let anchor = anchor(tree, id, &anchors);
        anchors.push(anchor);
        add_readers(tree, id, anchor, &mut readers);
    }
    tree.readers = Readers::new(tree.layout.slots().len(), readers);
}

fn is_pure(tree: &Tree, id: NodeId) -> bool {
    let by_itself = match tree.node(id).kind {
        Kind::AlwaysSuccess | Kind::AlwaysFailure => true,
        Kind::ScriptCondition => match tree.binding(id, 0) {
            Binding::Script(script) => tree.script(script).program.is_pure(),
            _ => false,
        },
        Kind::Leaf => tree.manifest(id).class == Class::Condition && tree.leaf(id).leaf.is_pure(),
        Kind::Sequence
        | Kind::Fallback
        | Kind::ReactiveSequence
        | Kind::ReactiveFallback
        | Kind::Inverter
        | Kind::ForceSuccess
        | Kind::ForceFailure
        | Kind::SubTree => tree.children(id).all(|child| tree.node(child).traits.has(Traits::PURE)),
        _ => false,
    };
    let Some(guards) = tree.guards(id) else { return by_itself };
    let only_asks = GuardKind::ALL.into_iter().all(|kind| match guards.get(kind) {
        Some(script) => kind.is_condition() && script.program.is_pure(),
        None => true,
    });
    by_itself && only_asks
}

fn is_quiet(tree: &Tree, id: NodeId) -> bool {
    let pure = |child: NodeId| tree.node(child).traits.has(Traits::PURE);
    let below = match tree.node(id).kind {
        Kind::Leaf => tree.leaf(id).leaf.is_pure(),
        // Its status script may read any key.
        Kind::TestNode => false,
        Kind::ReactiveSequence | Kind::ReactiveFallback => {
            let last = tree.children(id).last();
            tree.children(id).all(|child| pure(child) || Some(child) == last)
        }
        Kind::WhileDoElse => tree.first_child(id).is_some_and(pure),
        _ => true,
    };
    below
        && asks_purely(tree, id)
        && tree.children(id).all(|child| tree.node(child).traits.has(Traits::QUIET))
}

/// Whether the conditions that a node itself has depend on keys alone.
fn asks_purely(tree: &Tree, id: NodeId) -> bool {
    let Some(guards) = tree.guards(id) else { return true };
    let conditions = GuardKind::ALL.into_iter().filter(|kind| kind.is_condition());
    conditions.filter_map(|kind| guards.get(kind)).all(|script| script.program.is_pure())
}

fn add_readers(tree: &Tree, id: NodeId, anchor: Option<NodeId>, readers: &mut Vec<(SlotId, Reader)>) {
    let mut add = |slot: SlotId, anchor: NodeId| readers.push((slot, Reader { node: id, anchor }));
    let node = tree.node(id);
    if let Some(guards) = tree.guards(id) {
        for kind in GuardKind::ALL.into_iter().filter(|kind| kind.is_condition()) {
            let slots = guards.get(kind).into_iter().flat_map(Script::slots);
            for slot in slots {
                if kind == GuardKind::While {
                    add(slot, id);
                }
                if let Some(anchor) = anchor {
                    add(slot, anchor);
                }
            }
        }
    }
    let anchor = match node.kind {
        Kind::ScriptCondition => anchor.filter(|&anchor| asks_passed_children(tree.node(anchor).kind)),
        Kind::Leaf if node.traits.has(Traits::PURE) => {
            anchor.filter(|&anchor| asks_passed_children(tree.node(anchor).kind))
        }
        Kind::Leaf if node.traits.has(Traits::QUIET) => Some(id),
        Kind::Switch
        | Kind::Parallel
        | Kind::ParallelAll
        | Kind::Repeat
        | Kind::RetryUntilSuccessful
        | Kind::SkipUnlessUpdated
        | Kind::WaitValueUpdate
        | Kind::WaitFor => Some(id),
        _ => None,
    };
    let Some(anchor) = anchor else { return };
    for index in 0..tree.manifest(id).ports.len() {
        slots_of(tree, tree.binding(id, index), |slot| add(slot, anchor));
    }
}

/// The node that asks this one again while something else is running. Every node lies behind its
/// parent, so that of the parent is known.
fn anchor(tree: &Tree, id: NodeId, anchors: &[Option<NodeId>]) -> Option<NodeId> {
    let above = tree.parent(id)?;
    match tree.node(above).kind {
        Kind::Parallel | Kind::ParallelAll | Kind::Race => Some(above),
        Kind::ReactiveSequence | Kind::ReactiveFallback if !tree.node(above).traits.has(Traits::PURE) => {
            Some(above)
        }
        Kind::WhileDoElse if tree.first_child(above) == Some(id) => Some(above),
        // What is pure is asked whole.
        _ if tree.node(above).traits.has(Traits::PURE) => anchors[above.index()],
        _ => None,
    }
}

/// Whether a node asks children again that have answered; others ask only those that were skipped.
const fn asks_passed_children(kind: Kind) -> bool {
    matches!(kind, Kind::ReactiveSequence | Kind::ReactiveFallback | Kind::WhileDoElse)
}

fn slots_of(tree: &Tree, binding: Binding, mut add: impl FnMut(SlotId)) {
    match binding {
        Binding::Absent | Binding::Literal(_) => {}
        Binding::Slot(slot) => add(slot),
        Binding::Part(part) => add(tree.part(part).key),
        Binding::Template(template) => {
            tree.template(template).parts().into_iter().for_each(|part| add(part.key));
        }
        Binding::Script(script) => {
            tree.script(script).slots().for_each(add);
        }
    }
}
