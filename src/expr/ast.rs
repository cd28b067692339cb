//! The syntax tree: flat, in the order in which its nodes were read, children before parents.

use std::sync::Arc;

use regex::Regex;
use serde_json::Value as Json;

use super::function::Function;
use super::operator::{Assigner, Binary, Level, Unary};
use super::program::NameId;
use crate::json_path::JsonPath;
use crate::text::Span;

/// The place of a node in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Id(u32);

/// A run of neighbours in one of the tree's side tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    start: u32,
    len: u32,
}

/// One node.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Where it stands, without the parentheses around it.
    pub(super) span: Span,
    /// Levels below and including this one; bounds how deep an evaluation recurses.
    pub(super) height: u16,
    /// Whether nothing in it assigns.
    pub(super) pure: bool,
}

/// What a node is. It has a tag of its own: one that hides in a field costs three instructions more
/// at every look, and evaluating is looking.
#[derive(Clone, Debug)]
#[repr(u8)]
pub(super) enum Kind {
    Null,
    Truth(bool),
    Int(i64),
    Real(f64),
    Text(Arc<str>),
    /// A list all of whose items are literals.
    Const(Arc<Json>),
    List(Run),
    /// An entry.
    Name(NameId),
    /// The part of an entry that a path leads to.
    Part(NameId, u32),
    Unary(Unary, Id),
    /// A row of operators of one level. It is one node however long it is, so that a condition
    /// of a thousand alternatives is two levels deep and not a thousand.
    Chain(Level, Id, Links),
    If(Id, Id, Id),
    Assign(Assigner, NameId, Id),
    Call(Function, Run),
    Match(Id, u32),
}

/// What follows the first operand of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Links {
    /// Most chains have one operator, and it is read without a look into the table.
    One(Link),
    Many(Run),
}

/// An operator of a chain and the operand to its right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) operator: Binary,
    pub(super) operand: Id,
}

/// A whole text, parsed.
#[derive(Clone, Debug, Default)]
pub(super) struct Ast {
    nodes: Vec<Node>,
    links: Vec<Link>,
    items: Vec<Id>,
    paths: Vec<JsonPath>,
    patterns: Vec<Regex>,
    pub(super) statements: Vec<Id>,
}

impl Ast {
    #[inline]
    pub(super) fn node(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize]
    }

    #[inline]
    pub(super) fn kind(&self, id: Id) -> &Kind {
        &self.node(id).kind
    }

    /// How many nodes there are: the steps of an evaluation that looks at no large value.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    #[inline]
    pub(super) fn links<'a>(&'a self, links: &'a Links) -> &'a [Link] {
        match links {
            Links::One(link) => std::slice::from_ref(link),
            Links::Many(run) => &self.links[run.start as usize..][..run.len as usize],
        }
    }

    #[inline]
    pub(super) fn items(&self, run: Run) -> &[Id] {
        &self.items[run.start as usize..][..run.len as usize]
    }

    #[inline]
    pub(super) fn path(&self, path: u32) -> &JsonPath {
        &self.paths[path as usize]
    }

    pub(super) fn pattern(&self, pattern: u32) -> &Regex {
        &self.patterns[pattern as usize]
    }

    /// Adds a node; its height and purity follow from its children.
    pub(super) fn push(&mut self, kind: Kind, span: Span) -> Id {
        let mut height = 0;
        let mut pure = !matches!(kind, Kind::Assign(..));
        self.children(&kind, |child| {
            height = height.max(child.height);
            pure &= child.pure;
        });
        self.nodes.push(Node { kind, span, height: height + 1, pure });
        Id(narrow(self.nodes.len() - 1))
    }

    fn children(&self, kind: &Kind, mut visit: impl FnMut(&Node)) {
        let mut visit = |id: Id| visit(self.node(id));
        match kind {
            Kind::Null | Kind::Truth(_) | Kind::Int(_) | Kind::Real(_) => {}
            Kind::Text(_) | Kind::Const(_) | Kind::Name(_) | Kind::Part(..) => {}
            Kind::Unary(_, operand) | Kind::Assign(_, _, operand) | Kind::Match(operand, _) => {
                visit(*operand);
            }
            Kind::List(run) | Kind::Call(_, run) => self.items(*run).iter().copied().for_each(visit),
            Kind::Chain(_, first, links) => {
                visit(*first);
                self.links(links).iter().for_each(|link| visit(link.operand));
            }
            Kind::If(condition, then, other) => [*condition, *then, *other].into_iter().for_each(visit),
        }
    }

    /// Takes the last node back; nothing may refer to it.
    pub(super) fn pop(&mut self) {
        self.nodes.pop();
    }

    /// The names whose values are read.
    pub(super) fn read_names(&self) -> impl Iterator<Item = NameId> {
        self.nodes.iter().filter_map(|node| match node.kind {
            Kind::Name(name) | Kind::Part(name, _) => Some(name),
            _ => None,
        })
    }

    pub(super) fn add_links(&mut self, links: &[Link]) -> Links {
        if let [link] = links {
            return Links::One(*link);
        }
        let start = narrow(self.links.len());
        self.links.extend_from_slice(links);
        Links::Many(Run { start, len: narrow(links.len()) })
    }

    pub(super) fn add_items(&mut self, items: &[Id]) -> Run {
        let start = narrow(self.items.len());
        self.items.extend_from_slice(items);
        Run { start, len: narrow(items.len()) }
    }

    pub(super) fn add_path(&mut self, path: JsonPath) -> u32 {
        self.paths.push(path);
        narrow(self.paths.len() - 1)
    }

    pub(super) fn add_pattern(&mut self, pattern: Regex) -> u32 {
        self.patterns.push(pattern);
        narrow(self.patterns.len() - 1)
    }
}

/// Offsets in one tree fit: its text is bounded by [`EXPR_BYTES_MAX`](crate::limits::EXPR_BYTES_MAX),
/// and every entry of a table has its byte in the text.
fn narrow(index: usize) -> u32 {
    u32::try_from(index).expect("a text of a few kilobytes has fewer parts than a u32 counts")
}

impl PartialEq for Ast {
    /// The same tree, wherever its parts stand in their texts. Trees are built in reading order,
    /// so equal trees have equal tables.
    fn eq(&self, other: &Self) -> bool {
        (self.nodes.iter().map(|node| &node.kind)).eq(other.nodes.iter().map(|node| &node.kind))
            && self.links == other.links
            && self.items == other.items
            && self.paths == other.paths
            && self.statements == other.statements
            && self.patterns.iter().map(Regex::as_str).eq(other.patterns.iter().map(Regex::as_str))
    }
}

impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Truth(a), Self::Truth(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Real(a), Self::Real(b)) => a.to_bits() == b.to_bits(),
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Const(a), Self::Const(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Name(a), Self::Name(b)) => a == b,
            (Self::Part(a, p), Self::Part(b, q)) => a == b && p == q,
            (Self::Unary(o, a), Self::Unary(p, b)) => o == p && a == b,
            (Self::Chain(l, a, r), Self::Chain(m, b, s)) => l == m && a == b && r == s,
            (Self::If(a, b, c), Self::If(d, e, f)) => a == d && b == e && c == f,
            (Self::Assign(o, n, a), Self::Assign(p, m, b)) => o == p && n == m && a == b,
            (Self::Call(f, a), Self::Call(g, b)) => f == g && a == b,
            (Self::Match(a, p), Self::Match(b, q)) => a == b && p == q,
            _ => false,
        }
    }
}
