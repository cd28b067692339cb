//! One tree as its file defines it: elements checked against the catalog, ports and scripts read,
//! subtrees not yet expanded.

use std::sync::Arc;
use std::time::Duration;

use ahash::AHashMap;

use crate::catalog::NodeManifest;
use crate::expr::Program;
use crate::text::{Source, Span};
use crate::tree::names::{Name, Names};
use crate::tree::{Part, Template};
use crate::value::Value;

/// A checked definition.
#[derive(Debug)]
pub(super) struct Definition {
    pub id: Arc<str>,
    pub id_span: Span,
    pub source: Arc<Source>,
    pub nodes: Vec<DefNode>,
    /// One a port of each node's manifest, in the order of the nodes.
    pub bindings: Vec<DefBinding>,
    pub extras: Vec<Extra>,
    pub keys: KeyTable,
    pub parts: Vec<Part<u32>>,
    pub templates: Vec<Template<u32>>,
    pub scripts: Vec<DefScript>,
}

/// One element.
#[derive(Debug)]
pub(super) struct DefNode {
    /// Place in the table of manifests.
    pub manifest: u32,
    /// Place of the parent in the list of nodes; its own for the root.
    pub parent: u32,
    /// The first of its bindings.
    pub ports: u32,
    /// Place in the table of extras, from 1; 0 when there are none.
    pub extra: u32,
    pub name: Name,
    pub span: Span,
}

/// What only some elements have.
#[derive(Debug, Default)]
pub(super) struct Extra {
    pub guards: [Option<DefScript>; 8],
    pub subtree: Option<SubtreeUse>,
    pub tool: Option<ToolKnobs>,
    /// How many lanes a ForEach has.
    pub lanes: Option<u32>,
    /// `_catch`: which failures a handler takes.
    pub catch: Option<Arc<Program>>,
}

impl Extra {
    pub fn says_something(&self) -> bool {
        self.has_guards()
            || self.subtree.is_some()
            || self.tool.is_some()
            || self.catch.is_some()
            || self.lanes.is_some()
    }

    pub fn has_guards(&self) -> bool {
        self.guards.iter().any(Option::is_some)
    }
}

/// A script with the keys of its names.
#[derive(Debug)]
pub(super) struct DefScript {
    pub program: Arc<Program>,
    pub keys: Vec<u32>,
}

/// A SubTree element.
#[derive(Debug)]
pub(super) struct SubtreeUse {
    pub id: Arc<str>,
    pub id_span: Span,
    pub autoremap: bool,
    pub remaps: Vec<Remap>,
}

/// One port of a SubTree element.
#[derive(Debug)]
pub(super) struct Remap {
    pub name: Arc<str>,
    pub target: RemapTarget,
}

/// What a port of a SubTree element is given.
#[derive(Debug)]
pub(super) enum RemapTarget {
    /// A key of the tree that the element is written in.
    Key(u32),
    /// A constant.
    Value(Value),
}

/// The knobs of a tool leaf.
#[derive(Debug, Default)]
pub(super) struct ToolKnobs {
    pub success: Option<Arc<Program>>,
    pub timeout: Option<Duration>,
    /// The key that takes the particulars of a failure.
    pub error: Option<u32>,
}

/// What a port is bound to, keys by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DefBinding {
    Absent,
    /// Place in the table of literals that all definitions share.
    Literal(u32),
    Key(u32),
    Part(u32),
    Template(u32),
    Script(u32),
}

/// The keys that a definition names.
#[derive(Debug, Default)]
pub(super) struct KeyTable {
    pub keys: Vec<DefKey>,
    numbers: AHashMap<Arc<str>, u32>,
}

/// One key.
#[derive(Debug)]
pub(super) struct DefKey {
    pub name: Arc<str>,
}

impl KeyTable {
    /// The number of a key, made at its first mention.
    pub fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.keys.len() as u32;
        let name: Arc<str> = name.into();
        self.keys.push(DefKey { name: name.clone() });
        self.numbers.insert(name, number);
        number
    }
}

impl Definition {
    pub fn new(id: Arc<str>, id_span: Span, source: Arc<Source>) -> Self {
        Self {
            id,
            id_span,
            source,
            nodes: Vec::new(),
            bindings: Vec::new(),
            extras: Vec::new(),
            keys: KeyTable::default(),
            parts: Vec::new(),
            templates: Vec::new(),
            scripts: Vec::new(),
        }
    }

    /// Where what is below a node ends: its place after the last.
    pub fn end_of(&self, place: usize) -> usize {
        let below = |node: &DefNode| node.parent as usize >= place;
        place + 1 + self.nodes[place + 1..].iter().take_while(|node| below(node)).count()
    }

    pub fn extra(&self, node: &DefNode) -> Option<&Extra> {
        node.extra.checked_sub(1).map(|index| &self.extras[index as usize])
    }

    /// The uses of other trees, by the place of their node.
    pub fn subtree_uses(&self) -> impl Iterator<Item = (usize, &SubtreeUse)> {
        (self.nodes.iter().enumerate())
            .filter_map(|(index, node)| Some((index, self.extra(node)?.subtree.as_ref()?)))
    }

    pub fn binding_of(&mut self, part: Part<u32>) -> DefBinding {
        if part.path.is_empty() {
            return DefBinding::Key(part.key);
        }
        self.parts.push(part);
        DefBinding::Part(self.parts.len() as u32 - 1)
    }
}

/// What all definitions of a file share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub manifests: Vec<Arc<NodeManifest>>,
    pub literals: Vec<Value>,
    pub names: Names,
    numbers: AHashMap<usize, u32>,
}

impl Shared {
    /// The number of a manifest, made at its first use. Manifests are told apart by address: the
    /// catalog keeps each alive.
    pub fn manifest(&mut self, manifest: &Arc<NodeManifest>) -> u32 {
        *self.numbers.entry(Arc::as_ptr(manifest) as usize).or_insert_with(|| {
            self.manifests.push(manifest.clone());
            self.manifests.len() as u32 - 1
        })
    }

    pub fn literal(&mut self, value: Value) -> DefBinding {
        self.literals.push(value);
        DefBinding::Literal(self.literals.len() as u32 - 1)
    }
}
