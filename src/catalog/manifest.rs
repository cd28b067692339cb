//! What a node says of itself, and the table of all that say something.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::call::ToolName;
use crate::catalog::enums::Enums;
use crate::catalog::{Kind, Leaf, ToolNode};
use crate::value::Type;

/// The definition of a kind of node.
#[derive(Clone)]
pub struct NodeManifest {
    /// The element's name in XML.
    pub name: Cow<'static, str>,
    /// What it does.
    pub kind: Kind,
    /// How editors group it.
    pub class: Class,
    /// How many children it takes.
    pub children: Children,
    /// Its ports, in the order that nodes and leaves number them by.
    pub ports: Vec<PortManifest>,
    /// What it does, in one sentence.
    pub doc: Cow<'static, str>,
    /// Whether other readers of the dialect lack it.
    pub extension: bool,
    /// The tool behind it, for [`Kind::Tool`].
    pub tool: Option<Arc<ToolNode>>,
    /// The leaf behind it, for [`Kind::Leaf`].
    pub leaf: Option<Arc<dyn Leaf>>,
}

impl NodeManifest {
    /// A built-in node of the dialect.
    pub fn builtin(name: &'static str, kind: Kind, class: Class, doc: &'static str) -> Self {
        let children = match class {
            Class::Control => Children::AtLeast(1),
            Class::Decorator => Children::Exactly(1),
            Class::Action | Class::Condition | Class::SubTree => Children::Exactly(0),
        };
        Self {
            name: Cow::Borrowed(name),
            kind,
            class,
            children,
            ports: Vec::new(),
            doc: Cow::Borrowed(doc),
            extension: false,
            tool: None,
            leaf: None,
        }
    }

    /// The same node with ports.
    #[must_use]
    pub fn with_ports(mut self, ports: impl Into<Vec<PortManifest>>) -> Self {
        self.ports = ports.into();
        self
    }

    /// A leaf of the embedder's own.
    pub fn leaf(
        name: impl Into<Cow<'static, str>>,
        class: Class,
        ports: Vec<PortManifest>,
        leaf: impl Leaf,
    ) -> Self {
        Self {
            ports,
            leaf: Some(Arc::new(leaf)),
            name: name.into(),
            ..Self::builtin("", Kind::Leaf, class, "")
        }
    }

    /// The port of that name, with its number.
    pub fn port(&self, name: &str) -> Option<(usize, &PortManifest)> {
        self.ports.iter().enumerate().find(|(_, port)| port.name == name)
    }
}

impl fmt::Debug for NodeManifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NodeManifest({})", self.name)
    }
}

/// How editors group nodes: the explicit element names of the dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// A leaf that does something.
    Action,
    /// A leaf that only looks.
    Condition,
    /// A node with children.
    Control,
    /// A node with one child.
    Decorator,
    /// A reference to another tree.
    SubTree,
}

impl Class {
    /// The explicit element's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Action => "Action",
            Self::Condition => "Condition",
            Self::Control => "Control",
            Self::Decorator => "Decorator",
            Self::SubTree => "SubTree",
        }
    }
}

/// How many children a node takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Children {
    /// That many.
    Exactly(usize),
    /// That many or more.
    AtLeast(usize),
    /// From the first number to the second.
    Between(usize, usize),
}

impl Children {
    /// Whether `count` children are right.
    pub const fn allow(self, count: usize) -> bool {
        match self {
            Self::Exactly(wanted) => count == wanted,
            Self::AtLeast(wanted) => count >= wanted,
            Self::Between(least, most) => least <= count && count <= most,
        }
    }
}

impl fmt::Display for Children {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(0) => f.write_str("no children"),
            Self::Exactly(1) => f.write_str("exactly one child"),
            Self::AtLeast(1) => f.write_str("at least one child"),
            Self::Exactly(count) => write!(f, "exactly {count} children"),
            Self::AtLeast(count) => write!(f, "at least {count} children"),
            Self::Between(least, most) => write!(f, "{least} to {most} children"),
        }
    }
}

/// The definition of a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortManifest {
    /// The attribute's name.
    pub name: Cow<'static, str>,
    /// Which way values go.
    pub direction: Direction,
    /// What values it takes.
    pub ty: Type,
    /// Whether the node is useless without it.
    pub required: bool,
    /// The attribute's text when the tree gives none: a literal or a pointer.
    pub default: Option<Cow<'static, str>>,
    /// What the attribute's text is.
    pub role: Role,
    /// What it means.
    pub doc: Cow<'static, str>,
}

/// What the text of a port's attribute is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Role {
    /// A value, or a pointer to one.
    #[default]
    Value,
    /// A script, parsed when the tree is loaded; or a pointer to a text that is parsed when it runs.
    Script,
    /// A key: its name alone, or a pointer to it.
    Key,
    /// A list of values of this type: written with `;` between them, or in a key.
    Items(Type),
}

impl PortManifest {
    /// An input port without which the node is useless.
    pub fn input(name: &'static str, ty: Type, doc: &'static str) -> Self {
        Self {
            name: Cow::Borrowed(name),
            direction: Direction::In,
            ty,
            required: true,
            default: None,
            role: Role::Value,
            doc: Cow::Borrowed(doc),
        }
    }

    /// An output port.
    pub fn output(name: &'static str, ty: Type, doc: &'static str) -> Self {
        Self { direction: Direction::Out, required: false, ..Self::input(name, ty, doc) }
    }

    /// A port that is read and written.
    pub fn inout(name: &'static str, ty: Type, doc: &'static str) -> Self {
        Self { direction: Direction::InOut, ..Self::input(name, ty, doc) }
    }

    /// The same port with a text that stands when the tree gives none.
    #[must_use]
    pub fn or(mut self, default: &'static str) -> Self {
        self.required = false;
        self.default = Some(Cow::Borrowed(default));
        self
    }

    /// The same port for a script.
    #[must_use]
    pub fn script(mut self) -> Self {
        self.role = Role::Script;
        self
    }

    /// The same port for the name of a key.
    #[must_use]
    pub fn key(mut self) -> Self {
        self.role = Role::Key;
        self
    }

    /// The same port for a list of values of type `of`.
    #[must_use]
    pub fn items(mut self, of: Type) -> Self {
        self.role = Role::Items(of);
        self
    }

    /// The same port, without which the node is useless.
    #[must_use]
    pub fn needed(mut self) -> Self {
        self.required = true;
        self
    }

    /// The same port, which a tree may leave out.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.required = false;
        self
    }
}

/// Which way a port's values go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the blackboard to the node.
    In,
    /// From the node to the blackboard.
    Out,
    /// Both.
    InOut,
}

impl Direction {
    /// Whether the node reads the port.
    pub const fn reads(self) -> bool {
        matches!(self, Self::In | Self::InOut)
    }

    /// Whether the node writes the port.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Out | Self::InOut)
    }

    /// The element's name in a `TreeNodesModel`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::In => "input_port",
            Self::Out => "output_port",
            Self::InOut => "inout_port",
        }
    }
}

/// All kinds of nodes that a tree may be made of, by name. Every tree keeps the one that it was loaded
/// with, so a clone shares the tables until something is added.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    nodes: Arc<BTreeMap<Cow<'static, str>, Arc<NodeManifest>>>,
    tools: Arc<BTreeMap<ToolName, Arc<NodeManifest>>>,
    enums: Enums,
}

impl Catalog {
    /// No node at all. `node::catalog()` has the built-in ones.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Adds a kind of node.
    ///
    /// # Errors
    /// When there is one of that name.
    pub fn add(&mut self, manifest: NodeManifest) -> Result<&mut Self, CatalogError> {
        let manifest = Arc::new(manifest);
        if self.nodes.contains_key(&manifest.name) {
            return Err(CatalogError { kind: Refused::NodeTwice(manifest.name.to_string()) });
        }
        if let Some(tool) = &manifest.tool {
            Arc::make_mut(&mut self.tools).insert(tool.manifest.name.clone(), manifest.clone());
        }
        Arc::make_mut(&mut self.nodes).insert(manifest.name.clone(), manifest);
        Ok(self)
    }

    /// Gives a number a name: scripts, guards and predicates read it as that number, and so do
    /// number ports and the cases of a switch. It hides an entry of the same name from scripts.
    ///
    /// ```
    /// let mut catalog = helve::node::catalog();
    /// catalog.define_enum("RED", 1)?.define_enum("GREEN", 2)?;
    /// assert_eq!(catalog.enum_value("GREEN"), Some(2));
    /// # Ok::<(), helve::catalog::CatalogError>(())
    /// ```
    ///
    /// # Errors
    /// When no script could name it, or it has another number already.
    pub fn define_enum(&mut self, name: &str, number: i64) -> Result<&mut Self, CatalogError> {
        self.enums.add(name, number)?;
        Ok(self)
    }

    /// The number of an enum name.
    #[inline]
    pub fn enum_value(&self, name: &str) -> Option<i64> {
        self.enums.get(name)
    }

    /// All enum names.
    pub fn enum_names(&self) -> impl Iterator<Item = &str> {
        self.enums.names()
    }

    /// The node of that element name.
    pub fn get(&self, name: &str) -> Option<&Arc<NodeManifest>> {
        self.nodes.get(name)
    }

    /// The node of the tool of that true name.
    pub fn tool(&self, name: &ToolName) -> Option<&Arc<NodeManifest>> {
        self.tools.get(name)
    }

    /// All nodes, by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<NodeManifest>> {
        self.nodes.values()
    }

    /// All element names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.nodes.keys().map(|name| &**name)
    }

    /// All tools' true names.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(ToolName::as_str)
    }
}

/// A name that a catalog does not take: a node's or an enum's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogError {
    kind: Refused,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Refused {
    NodeTwice(String),
    EnumName(String),
    EnumTwice(String, [i64; 2]),
}

impl CatalogError {
    pub(super) fn enum_name(name: &str) -> Self {
        Self { kind: Refused::EnumName(name.to_owned()) }
    }

    pub(super) fn enum_twice(name: &str, numbers: [i64; 2]) -> Self {
        Self { kind: Refused::EnumTwice(name.to_owned(), numbers) }
    }
}

impl fmt::Display for CatalogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Refused::NodeTwice(name) => {
                write!(f, "a node named `{name}` is in the catalog already; give one of the two another name")
            }
            Refused::EnumName(name) => {
                write!(
                    f,
                    "{name:?} is no name that a script can use; write letters, digits and `_`, a letter first"
                )
            }
            Refused::EnumTwice(name, [known, new]) => write!(
                f,
                "the enum name `{name}` is {known} already and cannot be {new} too; give one of the two another name"
            ),
        }
    }
}

impl std::error::Error for CatalogError {}
