//! The compiled tree: flat tables in pre-order, shared by every run of it.
//!
//! A node's first child is the node after it, a child's next sibling is where the child's subtree
//! ends. So there are no child lists, and walking needs no stack: parent and end say the way.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::call::ToolName;
use crate::catalog::{Catalog, Kind, Leaf, NodeManifest, ToolNode};
use crate::convert::{self, ConvertFault};
use crate::diag::Label;
use crate::expr::Program;
use crate::id::{NodeId, ScopeId, SlotId};
use crate::manifest::ToolManifest;
use crate::text::{Source, Span};
use crate::tree::names::{Name, Names};
use crate::tree::{
    Lane, Layout, Part, Reader, Readers, Script, Sources, Substituted, Substitutions, Template, TestNode,
    Traits,
};
use crate::value::{Type, Value};

/// A compiled tree. Immutable; one serves thousands of runs.
#[derive(Debug)]
pub struct Tree {
    pub(super) name: Arc<str>,
    pub(super) nodes: Vec<Node>,
    pub(super) infos: Vec<NodeInfo>,
    pub(super) names: Names,
    pub(super) manifests: Vec<Arc<NodeManifest>>,
    pub(super) sources: Vec<Arc<Source>>,
    pub(super) texts: Sources,
    pub(super) bindings: Vec<Binding>,
    pub(super) literals: Vec<Value>,
    pub(super) parts: Vec<Part>,
    pub(super) templates: Vec<Template>,
    pub(super) scripts: Vec<Script>,
    pub(super) guards: Vec<Guards>,
    pub(super) tool_leaves: Vec<ToolLeaf>,
    pub(super) leaf_kinds: Vec<LeafKind>,
    pub(super) lanes: Vec<Lane>,
    pub(super) readers: Readers,
    pub(super) layout: Layout,
    pub(super) inputs: Vec<TreeInput>,
    pub(super) catalog: Catalog,
    /// Which kinds of nodes there are, a bit each.
    pub(super) kinds: u128,
    /// The predicates of handlers.
    pub(super) catches: BTreeMap<NodeId, Arc<Program>>,
    pub(super) tests: Vec<TestNode>,
    /// The leaves that others stand for.
    pub(super) substituted: BTreeMap<NodeId, Substituted>,
    /// The rules that said so.
    pub(super) rules: Option<Substitutions>,
}

/// What the engine needs of a node while it walks.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Where the node's subtree ends: the id after its last descendant.
    pub end: u32,
    /// The parent; the root is its own.
    pub parent: u32,
    /// The first of its bindings, one a port of its manifest.
    pub ports: u32,
    /// Its place in the table of its kind: tool leaf, kind of leaf, or scope. For any other node the
    /// number of its children.
    pub data: u32,
    /// What it does.
    pub kind: Kind,
    /// What a visit asks first.
    pub traits: Traits,
}

/// What people need of a node.
#[derive(Clone, Debug)]
pub struct NodeInfo {
    pub(super) name: Name,
    /// The start tag.
    pub span: Span,
    /// Place in the table of manifests.
    pub manifest: u32,
    /// The scope that its keys belong to, which knows the text too.
    pub scope: ScopeId,
    /// Place in the table of guards, when the node is guarded.
    pub(super) guards: u32,
}

/// Where a port's value comes from or goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// Bound to nothing.
    Absent,
    /// A literal, read once when the tree was compiled.
    Literal(u32),
    /// A key.
    Slot(SlotId),
    /// A part of the value of a key.
    Part(u32),
    /// Text or JSON with keys inside.
    Template(u32),
    /// A script.
    Script(u32),
}

/// Which condition or script of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum GuardKind {
    /// `_failureIf`
    FailureIf,
    /// `_successIf`
    SuccessIf,
    /// `_skipIf`
    SkipIf,
    /// `_while`
    While,
    /// `_onHalted`
    OnHalted,
    /// `_onFailure`
    OnFailure,
    /// `_onSuccess`
    OnSuccess,
    /// `_post`
    Post,
}

impl GuardKind {
    /// All of them, in the order that they are evaluated in.
    pub const ALL: [Self; 8] = [
        Self::FailureIf,
        Self::SuccessIf,
        Self::SkipIf,
        Self::While,
        Self::OnHalted,
        Self::OnFailure,
        Self::OnSuccess,
        Self::Post,
    ];

    /// Whether it is asked before a visit, and decides.
    pub const fn is_condition(self) -> bool {
        matches!(self, Self::FailureIf | Self::SuccessIf | Self::SkipIf | Self::While)
    }

    /// The attribute's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FailureIf => "_failureIf",
            Self::SuccessIf => "_successIf",
            Self::SkipIf => "_skipIf",
            Self::While => "_while",
            Self::OnHalted => "_onHalted",
            Self::OnFailure => "_onFailure",
            Self::OnSuccess => "_onSuccess",
            Self::Post => "_post",
        }
    }
}

/// The conditions and scripts of one node.
#[derive(Clone, Debug, Default)]
pub struct Guards {
    pub(super) scripts: [Option<Script>; 8],
}

impl Guards {
    /// The script of that kind.
    pub fn get(&self, kind: GuardKind) -> Option<&Script> {
        self.scripts[kind as usize].as_ref()
    }
}

/// What a tool leaf adds to its ports.
#[derive(Clone, Debug)]
pub struct ToolLeaf {
    /// The tool; `None` when it is chosen when the leaf starts.
    pub tool: Option<Arc<ToolNode>>,
    /// `_success`: the predicate that stands in place of the manifest's.
    pub success: Option<Arc<Program>>,
    /// `_timeout_ms`.
    pub timeout: Option<Duration>,
    /// The key that takes the particulars of a failure: `<result key>_error`.
    pub error: Option<SlotId>,
    /// Its path, once somebody has asked for it.
    pub(super) caller: OnceLock<Arc<str>>,
}

/// A leaf of the embedder's own, with the types of its ports: one for all nodes of a kind.
#[derive(Clone)]
pub struct LeafKind {
    /// The leaf.
    pub leaf: Arc<dyn Leaf>,
    /// The types of its ports.
    pub types: Arc<[Type]>,
}

impl std::fmt::Debug for LeafKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LeafKind({:?})", self.types)
    }
}

/// A key that the main tree declares as its input.
#[derive(Clone, Debug)]
pub struct TreeInput {
    /// The key.
    pub key: Arc<str>,
    /// Its type.
    pub ty: Type,
    /// Its value when none is given.
    pub default: Option<Value>,
    /// What it means.
    pub doc: Arc<str>,
    /// Where it is declared.
    pub place: Label,
}

impl Tree {
    /// The main tree's ID.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// How many nodes it has, subtrees expanded.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether it has no node: never, but asked for beside `len`.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether there is a node of that kind.
    #[inline]
    pub const fn has(&self, kind: Kind) -> bool {
        self.kinds >> kind as u8 & 1 == 1
    }

    /// Which failures a handler takes; `None` for all of them.
    pub fn catch(&self, id: NodeId) -> Option<&Program> {
        self.catches.get(&id).map(|program| &**program)
    }

    /// The root.
    pub fn root(&self) -> NodeId {
        NodeId::new(0)
    }

    /// All nodes in pre-order.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId::new)
    }

    /// What the engine needs of a node.
    #[inline(always)]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// What people need of a node.
    pub fn info(&self, id: NodeId) -> &NodeInfo {
        &self.infos[id.index()]
    }

    /// The first child.
    #[inline(always)]
    pub fn first_child(&self, id: NodeId) -> Option<NodeId> {
        let first = id.get() + 1;
        (first < self.node(id).end).then_some(NodeId::new(first))
    }

    /// The next sibling of `child` under `parent`.
    #[inline(always)]
    pub fn next_child(&self, parent: NodeId, child: NodeId) -> Option<NodeId> {
        let next = self.node(child).end;
        (next < self.node(parent).end).then_some(NodeId::new(next))
    }

    /// How many children a control or a decorator has.
    #[inline]
    pub fn child_count(&self, id: NodeId) -> u32 {
        match self.node(id).kind {
            Kind::Tool | Kind::DynamicTool | Kind::Leaf | Kind::TestNode => 0,
            Kind::SubTree | Kind::Lane => 1,
            _ => self.node(id).data,
        }
    }

    /// Whether all its children are leaves.
    #[inline]
    pub fn has_leaves_only(&self, id: NodeId) -> bool {
        id.get() + 1 + self.child_count(id) == self.node(id).end
    }

    /// The children, in order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.first_child(id), move |&child| self.next_child(id, child))
    }

    /// The parent; `None` for the root.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        (id.get() > 0).then(|| NodeId::new(self.node(id).parent))
    }

    /// The manifest of a node.
    pub fn manifest(&self, id: NodeId) -> &Arc<NodeManifest> {
        &self.manifests[self.info(id).manifest as usize]
    }

    /// Where a node stands.
    pub fn place(&self, id: NodeId) -> Label {
        let source = self.sources[self.source(id) as usize].clone();
        Label { source, span: self.info(id).span, text: String::new() }
    }

    /// Which of the sources a node stands in.
    pub(super) fn source(&self, id: NodeId) -> u32 {
        self.layout.scope(self.info(id).scope).source
    }

    /// The `name` attribute of a node, unless it says nothing that the element does not.
    pub fn name_of(&self, id: NodeId) -> Option<&str> {
        self.names.get(self.info(id).name, &self.sources[self.source(id) as usize])
    }

    /// The texts that the tree was loaded from, also those that only a model or an unused tree is in.
    pub fn texts(&self) -> &Sources {
        &self.texts
    }

    /// What the node is called: its name, or `Type::UID` with the UID counting nodes from 1.
    pub fn label(&self, id: NodeId) -> String {
        match self.name_of(id) {
            Some(name) => name.to_string(),
            None if self.node(id).kind == Kind::SubTree => {
                format!("{}::{}", self.layout.scope(self.subtree_scope(id)).tree, id.get() + 1)
            }
            None => format!("{}::{}", self.written_as(id).name, id.get() + 1),
        }
    }

    /// The manifest of what the text has there, whatever runs in its place.
    pub fn written_as(&self, id: NodeId) -> &Arc<NodeManifest> {
        self.substituted.get(&id).map_or_else(|| self.manifest(id), |it| &it.original)
    }

    /// The leaf that a node stands for by a rule.
    pub fn substituted(&self, id: NodeId) -> Option<&Substituted> {
        self.substituted.get(&id)
    }

    /// All leaves that others stand for, in pre-order.
    pub fn all_substituted(&self) -> impl ExactSizeIterator<Item = (NodeId, &Substituted)> {
        self.substituted.iter().map(|(&id, it)| (id, it))
    }

    /// The rules that the tree was compiled with.
    pub const fn rules(&self) -> Option<&Substitutions> {
        self.rules.as_ref()
    }

    /// How a test node behaves.
    pub fn test_node(&self, id: NodeId) -> &TestNode {
        &self.tests[self.node(id).data as usize]
    }

    /// The full path: the path of the enclosing subtree instance, `/`, the label.
    pub fn path(&self, id: NodeId) -> String {
        let Some(above) = self.layout.scope(self.info(id).scope).node else { return self.label(id) };
        let mut labels = vec![self.label(id), self.label(above)];
        let mut scope = self.info(above).scope;
        while let Some(node) = self.layout.scope(scope).node {
            labels.push(self.label(node));
            scope = self.info(node).scope;
        }
        labels.reverse();
        labels.join("/")
    }

    /// The path of a tool leaf as its calls name it: made when it calls for the first time, and then
    /// shared by all of its calls in all runs.
    pub fn caller(&self, id: NodeId) -> &Arc<str> {
        self.tool_leaf(id).caller.get_or_init(|| self.path(id).into())
    }

    /// The nodes that must be asked again when a key was written.
    #[inline]
    pub(crate) fn readers(&self, slot: SlotId) -> &[Reader] {
        self.readers.of(slot)
    }

    /// What is known of a lane.
    pub(crate) fn lane(&self, id: NodeId) -> &Lane {
        &self.lanes[self.node(id).data as usize]
    }

    /// The scope of the keys under a SubTree node.
    pub fn subtree_scope(&self, id: NodeId) -> ScopeId {
        ScopeId::new(self.node(id).data)
    }

    /// The binding of a node's port.
    #[inline]
    pub fn binding(&self, id: NodeId, port: usize) -> Binding {
        self.binding_of(self.node(id), port)
    }

    #[inline(always)]
    pub(crate) fn binding_of(&self, node: &Node, port: usize) -> Binding {
        self.bindings[node.ports as usize + port]
    }

    /// The bindings of a node's ports, in the order of its manifest. A SubTree has none.
    pub(super) fn bindings(&self, id: NodeId) -> &[Binding] {
        if self.node(id).kind == Kind::SubTree {
            return &[];
        }
        &self.bindings[self.node(id).ports as usize..][..self.manifest(id).ports.len()]
    }

    /// The value of a literal binding.
    #[inline]
    pub fn literal(&self, index: u32) -> &Value {
        &self.literals[index as usize]
    }

    /// The part of a part binding.
    pub fn part(&self, index: u32) -> &Part {
        &self.parts[index as usize]
    }

    /// The template of a template binding.
    pub fn template(&self, index: u32) -> &Template {
        &self.templates[index as usize]
    }

    /// The script of a script binding.
    pub fn script(&self, index: u32) -> &Script {
        &self.scripts[index as usize]
    }

    /// The conditions and scripts of a node.
    pub fn guards(&self, id: NodeId) -> Option<&Guards> {
        self.node(id).traits.has(Traits::GUARDED).then(|| &self.guards[self.info(id).guards as usize])
    }

    /// What a tool leaf adds to its ports.
    pub fn tool_leaf(&self, id: NodeId) -> &ToolLeaf {
        &self.tool_leaves[self.node(id).data as usize]
    }

    /// How many tool leaves there are.
    pub fn tool_leaf_count(&self) -> usize {
        self.tool_leaves.len()
    }

    /// The tools that leaves name, once for each leaf. A leaf that chooses its tool when it starts
    /// names none.
    pub fn tools_named(&self) -> impl Iterator<Item = &ToolManifest> {
        self.tool_leaves.iter().filter_map(|leaf| leaf.tool.as_deref()).map(|tool| &*tool.manifest)
    }

    /// A leaf of the embedder's own.
    pub fn leaf(&self, id: NodeId) -> &LeafKind {
        self.leaf_of(self.node(id))
    }

    #[inline(always)]
    pub(crate) fn leaf_of(&self, node: &Node) -> &LeafKind {
        &self.leaf_kinds[node.data as usize]
    }

    /// The keys and scopes.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The keys that the main tree declares as its inputs.
    pub fn inputs(&self) -> &[TreeInput] {
        &self.inputs
    }

    /// The node of the tool of that name: for leaves that choose their tool when they start.
    pub fn tool(&self, name: &ToolName) -> Option<&Arc<ToolNode>> {
        self.catalog.tool(name).and_then(|manifest| manifest.tool.as_ref())
    }

    /// The number of an enum name.
    #[inline]
    pub fn enum_value(&self, name: &str) -> Option<i64> {
        self.catalog.enum_value(name)
    }

    /// The value as a port or a key of type `to` takes it: [`convert::convert`], and to a number an
    /// enum name is its number.
    ///
    /// # Errors
    /// As [`convert::convert`].
    #[inline]
    pub fn convert(&self, value: &Value, to: Type) -> Result<Value, ConvertFault> {
        convert::convert(value, to).or_else(|fault| match value {
            Value::Text(name) if to.is_number() => match self.enum_value(name) {
                Some(number) => convert::convert(&Value::Int(number), to),
                None => Err(fault),
            },
            _ => Err(fault),
        })
    }

    /// The slot of a key of the main tree.
    pub fn slot(&self, key: &str) -> Option<SlotId> {
        self.layout.find(ScopeId::new(0), key)
    }
}
