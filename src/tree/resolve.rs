//! Finds the trees of a document and checks each.

use std::collections::HashMap;
use std::sync::Arc;

use crate::catalog::Catalog;
use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::text::{Source, Span};
use crate::tree::check::Checker;
use crate::tree::contradiction;
use crate::tree::definition::{Definition, Shared};
use crate::tree::graph::{SubtreeGraph, Use, circle_text};
use crate::tree::model::{self, TreeModels};
use crate::xml::{Document, Element};

/// The trees of a document, every one checked, the main one known, no circles among them.
#[derive(Debug)]
pub struct Resolved {
    pub(super) catalog: Catalog,
    pub(super) shared: Shared,
    pub(super) definitions: Vec<Definition>,
    pub(super) by_id: HashMap<Arc<str>, usize>,
    pub(super) main: usize,
    pub(super) models: TreeModels,
}

impl Resolved {
    /// The ID of the main tree.
    pub fn main_id(&self) -> &Arc<str> {
        &self.definitions[self.main].id
    }

    /// The IDs of all trees, in document order.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = &Arc<str>> {
        self.definitions.iter().map(|definition| &definition.id)
    }
}

/// Finds and checks all trees of a document. Never stops at the first fault. There is a result
/// unless the document's own structure leaves no main tree; with errors among the diagnostics it
/// is only good for looking at.
pub fn resolve(document: &Document, catalog: &Catalog) -> (Option<Resolved>, Diagnostics) {
    let mut diagnostics = Diagnostics::new();
    let root = document.root();
    let source = document.source();
    if !check_root(root, source, &mut diagnostics) {
        return (None, diagnostics);
    }
    let mut models = TreeModels::new();
    let mut trees = Vec::new();
    for child in root.children() {
        match child.name() {
            "BehaviorTree" => trees.push(child),
            "TreeNodesModel" => {
                model::read(child, source, &mut models, &mut diagnostics);
                contradiction::check(child, source, catalog, &mut diagnostics);
            }
            "include" => refuse_include(child, source, &mut diagnostics),
            // Anything else is some editor's own and ignored, as the dialect has it.
            _ => {}
        }
    }
    let needs_ids = root.children().count() > 1;
    let mut shared = Shared::default();
    let mut definitions = Vec::new();
    for tree in trees {
        let Some((id, span)) = tree_id(tree, needs_ids, source, catalog, &mut diagnostics) else { continue };
        let definition = Definition::new(id, span, source.clone());
        let Some(only) = only_child(tree, source, &mut diagnostics) else { continue };
        let checker = Checker::new(source, catalog, &mut shared, &mut diagnostics, definition);
        definitions.push(checker.read(only));
    }
    let definitions = last_of_each_id(definitions, &mut diagnostics);
    let by_id = definitions.iter().enumerate().map(|(index, it)| (it.id.clone(), index)).collect();
    let mut resolved = Resolved { catalog: catalog.clone(), shared, definitions, by_id, main: 0, models };
    match find_main(root, source, &resolved, &mut diagnostics) {
        Some(main) => resolved.main = main,
        None => return (None, diagnostics),
    }
    check_uses(&resolved, &mut diagnostics);
    (Some(resolved), diagnostics)
}

fn check_root(root: Element<'_>, source: &Arc<Source>, diagnostics: &mut Diagnostics) -> bool {
    if root.name() != "root" {
        diagnostics.push(
            Diagnostic::new(
                Code::E0101,
                format!("the outermost element is `<{}>`, not `<root>`", root.name()),
            )
            .at(source, root.name_span(), "expected `root`")
            .help("A tree file begins with `<root BTCPP_format=\"4\">`."),
        );
        return false;
    }
    if root.attribute("BTCPP_format").is_none() {
        diagnostics.push(
            Diagnostic::new(Code::W0102, "the file does not say which format it has")
                .at(source, root.start_tag_span(), "`BTCPP_format` is missing")
                .help("Write `<root BTCPP_format=\"4\">`."),
        );
    }
    true
}

fn refuse_include(include: Element<'_>, source: &Arc<Source>, diagnostics: &mut Diagnostics) {
    diagnostics.push(
        Diagnostic::new(Code::E0125, "this version does not read included files")
            .at(source, include.start_tag_span(), "not read")
            .help("Copy the trees of that file into this one."),
    );
}

/// The ID of a tree, when it has a good one. A file's only tree may go without.
fn tree_id(
    tree: Element<'_>,
    needs_id: bool,
    source: &Arc<Source>,
    catalog: &Catalog,
    diagnostics: &mut Diagnostics,
) -> Option<(Arc<str>, Span)> {
    let Some(attribute) = tree.attribute("ID") else {
        if !needs_id {
            return Some((Arc::from("Main"), tree.start_tag_span()));
        }
        diagnostics.push(
            Diagnostic::new(Code::E0103, "a tree without an `ID`")
                .at(source, tree.start_tag_span(), "`ID` is missing")
                .note("only a tree that is alone under `<root>` may go without")
                .help("Write `<BehaviorTree ID=\"...\">`."),
        );
        return None;
    };
    let id = attribute.value();
    let why = if id.is_empty() {
        Some("an ID is not empty".to_owned())
    } else if let Some(odd) = id.chars().find(|&c| is_odd(c)) {
        Some(format!("an ID holds no {odd:?}"))
    } else if id.eq_ignore_ascii_case("root") {
        Some("`root` is the outermost element's name".to_owned())
    } else if catalog.get(id).is_some() {
        Some("a node has that name".to_owned())
    } else {
        None
    };
    let Some(why) = why else {
        return Some((Arc::from(id), attribute.value_span()));
    };
    diagnostics.push(
        Diagnostic::new(Code::E0104, format!("{:?} cannot be the ID of a tree", id))
            .at(source, attribute.value_span(), why)
            .help("Give the tree another ID, and the `SubTree` elements that use it."),
    );
    None
}

/// The characters that the reference refuses in IDs, blanks but not letters of other scripts.
fn is_odd(c: char) -> bool {
    c.is_control() || " \t<>&\"'/\\:*?|.".contains(c)
}

fn only_child<'d>(
    tree: Element<'d>,
    source: &Arc<Source>,
    diagnostics: &mut Diagnostics,
) -> Option<Element<'d>> {
    let mut children = tree.children();
    let first = children.next();
    let Some(second) = children.next() else {
        if first.is_none() {
            diagnostics.push(
                Diagnostic::new(Code::E0105, "a tree without a node")
                    .at(source, tree.start_tag_span(), "nothing inside")
                    .help("Put one node inside, such as `<Sequence>`."),
            );
        }
        return first;
    };
    diagnostics.push(
        Diagnostic::new(Code::E0105, "a tree has exactly one node at its top")
            .at(source, second.start_tag_span(), "a second one")
            .and_at(source, first.map_or_else(Span::default, |first| first.start_tag_span()), "the first")
            .help("Put them together under a control node such as `<Sequence>`."),
    );
    first
}

/// Of trees with one ID the last stands, as in the reference; the others are warned of.
fn last_of_each_id(definitions: Vec<Definition>, diagnostics: &mut Diagnostics) -> Vec<Definition> {
    let mut last: HashMap<Arc<str>, usize> = HashMap::new();
    for (index, definition) in definitions.iter().enumerate() {
        if let Some(earlier) = last.insert(definition.id.clone(), index) {
            let earlier = &definitions[earlier];
            diagnostics.push(
                Diagnostic::new(Code::W0103, format!("two trees have the ID `{}`", definition.id))
                    .at(&definition.source, definition.id_span, "this one stands")
                    .and_at(&earlier.source, earlier.id_span, "this one is replaced")
                    .help("Rename one of them."),
            );
        }
    }
    let mut index = 0;
    let stands = |definition: &Definition| {
        index += 1;
        last[&definition.id] == index - 1
    };
    definitions.into_iter().filter(stands).collect()
}

fn find_main(
    root: Element<'_>,
    source: &Arc<Source>,
    resolved: &Resolved,
    diagnostics: &mut Diagnostics,
) -> Option<usize> {
    let ids = || resolved.ids().map(|id| &**id).collect::<Vec<_>>();
    if let Some(attribute) = root.attribute("main_tree_to_execute") {
        let id = attribute.value();
        if let Some(&main) = resolved.by_id.get(id) {
            return Some(main);
        }
        if diagnostics.has_errors() && ids().is_empty() {
            return None;
        }
        let near = did_you_mean(id, ids());
        diagnostics.push(
            Diagnostic::new(Code::E0116, format!("there is no tree `{}` to execute", id))
                .at(source, attribute.value_span(), "not in this file")
                .note(format!("the trees are {}", ids().join(", ")))
                .help(near.map_or("Name one of them.".to_owned(), |near| format!("Did you mean `{near}`?"))),
        );
        return None;
    }
    match resolved.definitions.len() {
        1 => Some(0),
        0 if diagnostics.has_errors() => None,
        0 => {
            diagnostics.push(
                Diagnostic::new(Code::E0102, "there is no tree in this file")
                    .at(source, root.start_tag_span(), "no `<BehaviorTree>` inside")
                    .help("Add `<BehaviorTree ID=\"Main\">...</BehaviorTree>`."),
            );
            None
        }
        _ => {
            diagnostics.push(
                Diagnostic::new(Code::E0116, "the file does not say which tree to execute")
                    .at(source, root.start_tag_span(), "`main_tree_to_execute` is missing")
                    .note(format!("the trees are {}", ids().join(", ")))
                    .help("Add `main_tree_to_execute=\"...\"` with one of them."),
            );
            None
        }
    }
}

/// Unknown subtrees, circles and unused trees.
fn check_uses(resolved: &Resolved, diagnostics: &mut Diagnostics) {
    let mut uses = Vec::new();
    for (user, definition) in resolved.definitions.iter().enumerate() {
        for (node, subtree) in definition.subtree_uses() {
            match resolved.by_id.get(&subtree.id) {
                Some(&used) => uses.push(Use { user, used, node }),
                None => {
                    let near = did_you_mean(&subtree.id, resolved.ids().map(|id| &**id));
                    diagnostics.push(
                        Diagnostic::new(
                            Code::E0111,
                            format!("there is no tree with the ID `{}`", subtree.id),
                        )
                        .at(&definition.source, subtree.id_span, "not in this file")
                        .help(match near {
                            Some(near) => format!("Did you mean `{near}`?"),
                            None => format!("Add `<BehaviorTree ID=\"{}\">`.", subtree.id),
                        }),
                    );
                }
            }
        }
    }
    let graph = SubtreeGraph::new(resolved.definitions.len(), &uses);
    let ids: Vec<_> = resolved.ids().cloned().collect();
    for circle in graph.circles() {
        diagnostics.push(circle_fault(&circle, &ids, resolved));
    }
    for (definition, used) in resolved.definitions.iter().zip(graph.used_from(resolved.main)) {
        if !used {
            diagnostics.push(
                Diagnostic::new(Code::W0101, format!("the tree `{}` is not used", definition.id))
                    .at(&definition.source, definition.id_span, "no `SubTree` leads here from the main tree")
                    .help("Use it, name it as `main_tree_to_execute`, or remove it."),
            );
        }
    }
}

fn circle_fault(circle: &[Use], ids: &[Arc<str>], resolved: &Resolved) -> Diagnostic {
    let text = circle_text(circle, ids);
    let mut diagnostic = Diagnostic::new(Code::E0112, format!("subtrees go in a circle: {text}"))
        .note("a subtree is expanded where it is used, so a circle would never end")
        .help("Break the circle: repeat with `Repeat` or `RetryUntilSuccessful` instead.");
    for (place, step) in circle.iter().enumerate() {
        let definition = &resolved.definitions[step.user];
        let node = &definition.nodes[step.node];
        let used = definition.extra(node).and_then(|extra| extra.subtree.as_ref());
        let span = used.map_or(node.span, |used| used.id_span);
        let label = format!("`{}` uses `{}`", ids[step.user], ids[step.used]);
        diagnostic = match place {
            0 => diagnostic.at(&definition.source, span, label),
            _ => diagnostic.and_at(&definition.source, span, label),
        };
    }
    diagnostic
}
