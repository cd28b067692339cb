//! Finds the trees of all documents and checks each.

use std::collections::HashMap;
use std::sync::Arc;

use crate::catalog::Catalog;
use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::migrate;
use crate::text::{Source, Span};
use crate::tree::check::Checker;
use crate::tree::contradiction;
use crate::tree::definition::{Definition, Shared};
use crate::tree::graph::{SubtreeGraph, Use, circle_text};
use crate::tree::model::{self, TreeModels};
use crate::tree::{Documents, Sources};
use crate::xml::{Attribute, Document, Element};

/// The trees of all documents, every one checked, the main one known, no circles among them.
#[derive(Debug)]
pub struct Resolved {
    pub(super) catalog: Catalog,
    pub(super) shared: Shared,
    pub(super) definitions: Vec<Definition>,
    pub(super) by_id: HashMap<Arc<str>, usize>,
    pub(super) main: usize,
    pub(super) models: TreeModels,
    pub(super) sources: Sources,
    /// Whether every tree that there should be is here.
    is_whole: bool,
}

impl Resolved {
    /// The ID of the main tree.
    pub fn main_id(&self) -> &Arc<str> {
        &self.definitions[self.main].id
    }

    /// The IDs of all trees, in the order of loading.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = &Arc<str>> {
        self.definitions.iter().map(|definition| &definition.id)
    }

    /// Whether a tree is the main file's own.
    fn is_own(&self, definition: &Definition) -> bool {
        Arc::ptr_eq(&definition.source, self.sources.main())
    }

    /// What is said under an ID that no tree has.
    fn not_here(&self) -> &'static str {
        match self.sources.files() {
            [_] => "not in this file",
            _ => "not in this file, nor in those that it includes",
        }
    }
}

/// Finds and checks all trees of a tree's documents. Never stops at the first fault. There is a
/// result unless the main document's own structure leaves no main tree; with errors among the
/// diagnostics it is only good for looking at.
pub fn resolve(documents: &Documents, catalog: &Catalog) -> (Option<Resolved>, Diagnostics) {
    let mut reading = Reading {
        catalog,
        models: TreeModels::new(),
        shared: Shared::default(),
        definitions: Vec::new(),
        diagnostics: Diagnostics::new(),
    };
    let mut is_whole = documents.is_whole();
    for included in documents.included() {
        is_whole &= reading.read(included, Place::Included);
    }
    let has_root = reading.read(documents.main(), Place::Main);
    let Reading { models, shared, definitions, mut diagnostics, .. } = reading;
    if !has_root {
        return (None, diagnostics);
    }
    let definitions = last_of_each_id(definitions, &mut diagnostics);
    let by_id = definitions.iter().enumerate().map(|(index, it)| (it.id.clone(), index)).collect();
    let sources = documents.sources().clone();
    let catalog = catalog.clone();
    let mut resolved = Resolved { catalog, shared, definitions, by_id, main: 0, models, sources, is_whole };
    match find_main(documents.main(), &resolved, &mut diagnostics) {
        Some(main) => resolved.main = main,
        None => return (None, diagnostics),
    }
    check_uses(&resolved, &mut diagnostics);
    (Some(resolved), diagnostics)
}

/// Whether a document is what was asked for, or comes with it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Main,
    Included,
}

/// Reads documents in the order of loading.
struct Reading<'c> {
    catalog: &'c Catalog,
    models: TreeModels,
    shared: Shared,
    definitions: Vec<Definition>,
    diagnostics: Diagnostics,
}

impl Reading<'_> {
    /// Reads the models and trees of a document; answers whether it has the root of one.
    fn read(&mut self, document: &Document, place: Place) -> bool {
        let (root, source) = (document.root(), document.source());
        if !check_root(root, source, &mut self.diagnostics) {
            return false;
        }
        let mut trees = Vec::new();
        for child in root.children() {
            match child.name() {
                "BehaviorTree" => trees.push(child),
                "TreeNodesModel" => {
                    model::read(child, source, &mut self.models, &mut self.diagnostics);
                    contradiction::check(child, source, self.catalog, &mut self.diagnostics);
                }
                // `include` was followed. Anything else is some editor's own and ignored, as the
                // dialect has it.
                _ => {}
            }
        }
        let needs_ids = root.children().count() > 1;
        for tree in trees {
            let id = tree_id(tree, needs_ids, source, self.catalog, &mut self.diagnostics);
            let Some((id, span)) = id else { continue };
            let Some(only) = only_child(tree, source, &mut self.diagnostics) else { continue };
            let definition = Definition::new(id, span, source.clone());
            let (shared, diagnostics) = (&mut self.shared, &mut self.diagnostics);
            let checker = Checker::new(source, self.catalog, shared, diagnostics, definition);
            let definition = checker.read(only);
            if place == Place::Included && tree.attribute("ID").is_none() {
                self.diagnostics.push(nameless(source, tree));
            } else {
                self.definitions.push(definition);
            }
        }
        true
    }
}

/// A tree that runs when its file does, and that no other file can name.
fn nameless(source: &Arc<Source>, tree: Element<'_>) -> Diagnostic {
    Diagnostic::new(Code::W0101, "a tree without an `ID` in an included file is not used")
        .at(source, tree.start_tag_span(), "no `SubTree` can name it")
        .help("Give it an ID.")
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
    match root.attribute("BTCPP_format") {
        Some(format) if format.value().trim_ascii() == "4" => {}
        format => diagnostics.push(other_format(root, format, source)),
    }
    true
}

/// A file that is read as version 4 although it does not say so.
fn other_format(root: Element<'_>, format: Option<Attribute<'_>>, source: &Arc<Source>) -> Diagnostic {
    let command = migrate::command(source);
    let fault = match format {
        None => Diagnostic::new(Code::W0102, "the file does not say which format it has").at(
            source,
            root.start_tag_span(),
            "`BTCPP_format` is missing",
        ),
        Some(format) => Diagnostic::new(Code::W0102, format!("the file has the format `{}`", format.value()))
            .at(source, format.value_span(), "read as format 4"),
    };
    let is_old = format.is_some_and(|it| it.value().trim_ascii() == "3");
    fault.help(match is_old || migrate::looks_old(root.document()) {
        true => format!("The file looks like one of version 3: {command} writes it in version 4."),
        false => format!("Write `<root BTCPP_format=\"4\">`; {command} converts one of version 3."),
    })
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

fn find_main(document: &Document, resolved: &Resolved, diagnostics: &mut Diagnostics) -> Option<usize> {
    let (root, source) = (document.root(), document.source());
    let ids = || resolved.ids().map(|id| &**id).collect::<Vec<_>>();
    if let Some(attribute) = root.attribute("main_tree_to_execute") {
        let id = attribute.value();
        if let Some(&main) = resolved.by_id.get(id) {
            return Some(main);
        }
        if !resolved.is_whole || diagnostics.has_errors() && ids().is_empty() {
            return None;
        }
        let near = did_you_mean(id, ids());
        diagnostics.push(
            Diagnostic::new(Code::E0116, format!("there is no tree `{}` to execute", id))
                .at(source, attribute.value_span(), resolved.not_here())
                .note(format!("the trees are {}", ids().join(", ")))
                .help(near.map_or("Name one of them.".to_owned(), |near| format!("Did you mean `{near}`?"))),
        );
        return None;
    }
    match resolved.definitions.len() {
        1 => Some(0),
        0 if diagnostics.has_errors() || !resolved.is_whole => None,
        0 => {
            diagnostics.push(
                Diagnostic::new(Code::E0102, "there is no tree in this file")
                    .at(source, root.start_tag_span(), "no `<BehaviorTree>` inside")
                    .help("Add `<BehaviorTree ID=\"Main\">...</BehaviorTree>`."),
            );
            None
        }
        _ => {
            let mut own = resolved.definitions.iter().filter(|it| resolved.is_own(it)).map(|it| &*it.id);
            let help = match (own.next(), own.next()) {
                (Some(only), None) => format!("Add `main_tree_to_execute=\"{only}\"`."),
                _ => "Add `main_tree_to_execute=\"...\"` with one of them.".to_owned(),
            };
            diagnostics.push(
                Diagnostic::new(Code::E0116, "the file does not say which tree to execute")
                    .at(source, root.start_tag_span(), "`main_tree_to_execute` is missing")
                    .note(format!("the trees are {}", ids().join(", ")))
                    .help(help),
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
                // It may well be in the file that is missing.
                None if !resolved.is_whole => {}
                None => {
                    let near = did_you_mean(&subtree.id, resolved.ids().map(|id| &**id));
                    diagnostics.push(
                        Diagnostic::new(
                            Code::E0111,
                            format!("there is no tree with the ID `{}`", subtree.id),
                        )
                        .at(&definition.source, subtree.id_span, resolved.not_here())
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
    // A node that there is not, such as the `SubTreePlus` of version 3, may well lead to it.
    if diagnostics.iter().any(|fault| fault.code == Code::E0106) {
        return;
    }
    for (definition, used) in resolved.definitions.iter().zip(graph.used_from(resolved.main)) {
        // Who includes a file need not use all of it.
        if !used && resolved.is_own(definition) {
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
