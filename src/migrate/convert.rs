//! The walk over a document.

use std::collections::HashSet;
use std::sync::Arc;

use super::edit::Edits;
use super::node::{Node, pointer, removed, renamed, renamed_port};
use super::{blackboard_check, subtree, word};
use crate::catalog::Catalog;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::text::{Source, Span};
use crate::xml::{Attribute, Document, Element};

/// The attributes that are scripts in version 4 and were ports in version 3.
const SCRIPTS: [&str; 8] =
    ["_successIf", "_failureIf", "_skipIf", "_while", "_onSuccess", "_onFailure", "_onHalted", "_post"];

/// A converted text.
#[derive(Debug)]
pub struct Migration {
    /// The text of version 4.
    pub text: String,
    /// How many places were changed.
    pub changes: usize,
    /// Whether the text declared version 4 before.
    pub was_v4: bool,
    /// What means something else now, and what was left as it was.
    pub notes: Diagnostics,
}

impl Migration {
    /// Whether something was left as it was that version 4 does not have.
    pub fn is_whole(&self) -> bool {
        self.notes.iter().all(|note| note.code != Code::W0202)
    }
}

/// Converts a document to version 4: one whose outermost element is `<root>`. Names that `catalog` has
/// are nodes even where a tree of the file is called so.
pub fn to_v4(document: &Document, catalog: &Catalog) -> Migration {
    let mut work = Work {
        document,
        edits: Edits::default(),
        notes: Diagnostics::new(),
        is_v3: !declares_v4(document.root()),
        trees: trees(document, catalog),
        stars: Vec::new(),
    };
    work.run();
    work.notes.sort();
    Migration {
        changes: work.edits.len(),
        was_v4: !work.is_v3,
        text: work.edits.apply(document.source().text()),
        notes: work.notes,
    }
}

fn declares_v4(root: Element<'_>) -> bool {
    root.attribute("BTCPP_format").is_some_and(|format| format.value().trim_ascii() == "4")
}

/// The trees that an element can name by being called like them.
fn trees<'d>(document: &'d Document, catalog: &Catalog) -> HashSet<&'d str> {
    let trees = document.root().children().filter(|it| it.name() == "BehaviorTree");
    let is_free = |id: &&str| {
        catalog.get(id).is_none() && renamed(id).is_none() && !blackboard_check::is_check(id) && !is_frame(id)
    };
    trees.filter_map(|tree| tree.attribute("ID")).map(Attribute::value).filter(is_free).collect()
}

/// Elements that are no nodes, or that say in `ID` which node they are.
fn is_frame(name: &str) -> bool {
    matches!(name, "root" | "BehaviorTree" | "TreeNodesModel" | "include" | "SubTree" | "SubTreePlus")
        || matches!(name, "Action" | "Condition" | "Control" | "Decorator")
}

/// A conversion under way.
pub(super) struct Work<'d> {
    pub document: &'d Document,
    pub edits: Edits,
    pub notes: Diagnostics,
    pub is_v3: bool,
    trees: HashSet<&'d str>,
    /// Where sequences stand that remember more than they did.
    stars: Vec<Span>,
}

impl<'d> Work<'d> {
    fn run(&mut self) {
        let root = self.document.root();
        if self.is_v3 {
            match root.attribute("BTCPP_format") {
                Some(format) => self.edits.rewrite(format, "BTCPP_format", "4"),
                None => self.edits.add_first(root, "BTCPP_format", "4"),
            }
        }
        // Only trees hold nodes: models and includes are the same in both versions.
        let mut tree_end = 0;
        for element in self.document.elements().skip(1) {
            let span = element.span().range();
            if element.name() == "BehaviorTree" && element.parent() == Some(root) {
                tree_end = span.end;
            } else if span.start < tree_end {
                self.node(Node::new(element));
            }
        }
        if let Some(&first) = self.stars.first() {
            let count = self.stars.len();
            self.say(|source| word::sequence_star(source, first, count));
        }
    }

    /// Notes something about a place in the text.
    pub fn say(&mut self, words: impl FnOnce(&Arc<Source>) -> Diagnostic) {
        self.notes.push(words(self.document.source()));
    }

    /// Gives a port its new name, unless another attribute has that.
    pub fn rename_port(&mut self, node: Node<'_>, attribute: Attribute<'_>, new: &str) {
        if node.element.attribute(new).is_some() {
            return self.say(|source| word::port_taken(source, attribute.name_span(), attribute.name(), new));
        }
        self.edits.rename(attribute, new);
    }

    fn node(&mut self, node: Node<'d>) {
        let kind = node.kind();
        match kind {
            "SubTreePlus" if node.is_compact() => subtree::plus(self, node),
            "SubTree" if node.is_compact() => return subtree::plain(self, node),
            _ if self.is_v3 && self.is_subtree(node) => return subtree::compact(self, node),
            _ if blackboard_check::is_check(kind) => return blackboard_check::convert(self, node),
            _ => self.named(node, kind),
        }
        if self.is_v3 {
            self.ports(node, kind);
        }
    }

    /// Whether it names a tree of the file by being called like it.
    fn is_subtree(&self, node: Node<'_>) -> bool {
        node.is_compact() && self.trees.contains(node.kind()) && node.element.attribute("ID").is_none()
    }

    fn named(&mut self, node: Node<'d>, kind: &str) {
        if let Some(new) = renamed(kind) {
            node.rename(new, &mut self.edits);
            if kind == "SequenceStar" {
                self.stars.push(node.span());
            }
        } else if let Some(instead) = removed(kind) {
            self.say(|source| word::node_removed(source, node.span(), kind, instead));
        }
    }

    /// `${key}` is `{key}` now.
    pub fn pointer(&mut self, attribute: Attribute<'_>) {
        let span = attribute.value_span();
        let is_old = self.document.source().slice(span).starts_with("${");
        if self.is_v3 && is_old && pointer(attribute.value()).is_some() {
            self.edits.replace(Span::new(span.range().start, span.range().start + 1), "");
        }
    }

    fn ports(&mut self, node: Node<'d>, kind: &str) {
        for attribute in node.ports() {
            let name = attribute.name();
            if SCRIPTS.contains(&name) {
                self.say(|source| word::reserved(source, attribute.name_span(), name));
            } else if let Some(new) = renamed_port(kind, name) {
                self.rename_port(node, attribute, new);
            }
            self.pointer(attribute);
        }
    }
}
