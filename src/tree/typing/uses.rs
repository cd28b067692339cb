//! What the ports of a tree say of its keys.

use crate::catalog::{Kind, PortManifest, Role};
use crate::id::{NodeId, SlotId};
use crate::tree::{Binding, GuardKind, Layout, Script, Tree};
use crate::value::Type;

/// One way in which a key is used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub ty: Type,
    /// Whether it gives the key values.
    pub writes: bool,
    /// Whether JSON Schema says its type, which knows fewer kinds of numbers than the dialect.
    pub by_tool: bool,
    pub origin: Origin,
}

/// Where a use stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The value that is there before the tree is loaded.
    Outside,
    /// The model of the main tree.
    Model,
    /// A port of a node.
    Port(NodeId, u32),
}

impl Use {
    /// The use of a slot by a port; `None` when the port takes any type.
    pub fn of_port(tree: &Tree, node: NodeId, index: usize) -> Option<Self> {
        let manifest = tree.manifest(node);
        let port = &manifest.ports[index];
        (port.ty != Type::Any).then(|| Self {
            ty: port.ty,
            writes: port.direction.writes(),
            by_tool: manifest.tool.is_some(),
            origin: Origin::Port(node, index as u32),
        })
    }

    /// The use that stands for what a slot is before any node is looked at.
    pub fn from_outside(layout: &Layout, slot: SlotId) -> Option<Self> {
        let info = layout.slot(slot);
        let origin = info.declared.map_or(Origin::Outside, |_| Origin::Model);
        let writes = info.declared.is_none_or(|declared| declared.is_input);
        (info.ty != Type::Any).then_some(Self { ty: info.ty, writes, by_tool: false, origin })
    }

    /// What it says, for a label: "`n` of `Inc` writes int".
    pub fn text(&self, tree: &Tree) -> String {
        let Origin::Port(node, index) = self.origin else { return format!("declared as {}", self.ty) };
        let manifest = tree.manifest(node);
        let port = &manifest.ports[index as usize];
        let verb = match (port.direction.reads(), port.direction.writes()) {
            (true, true) => "reads and writes",
            (false, true) => "writes",
            _ => "reads",
        };
        format!("`{}` of `{}` {verb} {}", port.name, manifest.name, self.ty)
    }

    const fn says_the_same(&self, other: &Self) -> bool {
        self.ty as u8 == other.ty as u8 && self.writes == other.writes && self.by_tool == other.by_tool
    }
}

/// The uses of one slot, each way once. Few slots are used in more than one, and those need no heap.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    first: Option<Use>,
    more: Vec<Use>,
    pub written: Written,
}

impl Uses {
    /// What a slot is before any node is looked at.
    pub fn of_beginning(tree: &Tree, slot: SlotId) -> Self {
        let mut uses = Self::default();
        let info = tree.layout().slot(slot);
        if let Some(outside) = Use::from_outside(tree.layout(), slot) {
            uses.add(outside);
        }
        if info.is_given {
            uses.written = uses.written.and(kind_of(info.ty));
        }
        if let Some(value) = &info.initial {
            uses.written = uses.written.and(Some(value.kind()));
        }
        uses
    }

    /// Adds a use, unless an earlier one says the same.
    pub fn add(&mut self, new: Use) {
        match &self.first {
            None => self.first = Some(new),
            Some(_) if self.iter().any(|known| known.says_the_same(&new)) => {}
            Some(_) => self.more.push(new),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Use> {
        self.first.iter().chain(&self.more)
    }

    /// Whether there are two ways at all.
    pub fn are_mixed(&self) -> bool {
        !self.more.is_empty()
    }
}

/// The kind of all values that a key may come to hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Written {
    /// Nothing in the tree writes it.
    #[default]
    Nothing,
    /// Everything that is known to write it writes this kind.
    Kind(Type),
    /// Nobody knows.
    Anything,
}

impl Written {
    /// The same after one more writer, of the kind `kind` when that is known.
    pub fn and(self, kind: Option<Type>) -> Self {
        match (self, kind) {
            (Self::Nothing, Some(kind)) => Self::Kind(kind),
            (Self::Kind(known), Some(kind)) if known == kind => self,
            _ => Self::Anything,
        }
    }

    /// The kind, when it is one that scripts calculate with.
    pub fn known(self) -> Option<Type> {
        match self {
            Self::Kind(kind @ (Type::Int64 | Type::Real | Type::Text)) => Some(kind),
            _ => None,
        }
    }
}

/// The kind of the values of a type.
pub(super) const fn kind_of(ty: Type) -> Option<Type> {
    match ty {
        Type::Any => None,
        Type::Int | Type::Int64 | Type::Uint | Type::Uint64 => Some(Type::Int64),
        Type::Status | Type::Text => Some(Type::Text),
        Type::Bool | Type::Real | Type::Json => Some(ty),
    }
}

/// The uses of every slot, by slot.
pub(super) fn of_tree(tree: &Tree) -> Vec<Uses> {
    let mut uses: Vec<Uses> = tree.layout().slots().map(|(slot, _)| Uses::of_beginning(tree, slot)).collect();
    let mut any_script = false;
    for node in tree.ids() {
        for (index, (port, &binding)) in ports(tree, node).enumerate() {
            match binding {
                Binding::Slot(slot) => {
                    let here = &mut uses[slot.index()];
                    if let Some(new) = Use::of_port(tree, node, index) {
                        here.add(new);
                    }
                    if port.direction.writes() {
                        here.written = here.written.and(kind_of(port.ty));
                    }
                    any_script |= port.role == Role::Script;
                }
                Binding::Script(script) => add_script(tree.script(script), &mut uses),
                _ => {}
            }
        }
        guards(tree, node).for_each(|(script, _)| add_script(script, &mut uses));
        if tree.node(node).kind == Kind::TestNode {
            tree.test_node(node).scripts().for_each(|script| add_script(script, &mut uses));
        }
        if let Some(error) = error_key(tree, node) {
            uses[error.index()].written = Written::Anything;
        }
    }
    // A script whose text comes from a key may write whatever it likes.
    if any_script {
        uses.iter_mut().for_each(|uses| uses.written = Written::Anything);
    }
    uses
}

fn add_script(script: &Script, uses: &mut [Uses]) {
    for (name, slot) in script.program.names().iter().zip(script.slots()) {
        if name.creates {
            let here = &mut uses[slot.index()];
            here.written = here.written.and(name.written_kind);
        }
    }
}

/// The key that takes the particulars of a tool's failure.
fn error_key(tree: &Tree, node: NodeId) -> Option<SlotId> {
    match tree.node(node).kind {
        Kind::Tool | Kind::DynamicTool => tree.tool_leaf(node).error,
        _ => None,
    }
}

/// The ports of a node that are bound to whole keys.
pub(super) fn bound_slots(tree: &Tree, node: NodeId) -> impl Iterator<Item = (usize, SlotId)> {
    ports(tree, node).enumerate().filter_map(|(index, (_, binding))| match binding {
        Binding::Slot(slot) => Some((index, *slot)),
        _ => None,
    })
}

/// What a script of a node is: one of its guards, or a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ScriptOf {
    Guard(GuardKind),
    Port(u32),
}

/// All scripts of a node.
pub(super) fn scripts(tree: &Tree, node: NodeId) -> impl Iterator<Item = (&Script, ScriptOf)> {
    let ports = ports(tree, node).enumerate().filter_map(|(index, (_, binding))| match binding {
        Binding::Script(script) => Some((tree.script(*script), ScriptOf::Port(index as u32))),
        _ => None,
    });
    guards(tree, node).chain(ports)
}

fn guards(tree: &Tree, node: NodeId) -> impl Iterator<Item = (&Script, ScriptOf)> {
    tree.guards(node).into_iter().flat_map(|guards| {
        GuardKind::ALL.into_iter().filter_map(|kind| Some((guards.get(kind)?, ScriptOf::Guard(kind))))
    })
}

/// The ports of a node with what they are bound to. A SubTree's attributes are no ports: they
/// became names of slots.
fn ports(tree: &Tree, node: NodeId) -> impl Iterator<Item = (&PortManifest, &Binding)> {
    tree.manifest(node).ports.iter().zip(tree.bindings(node))
}
