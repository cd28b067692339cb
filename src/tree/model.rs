//! `TreeNodesModel`: what a file says of the ports of its trees.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::catalog::Direction;
use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::text::{Source, Span};
use crate::value::Type;
use crate::xml::Element;

/// The declared ports of a tree.
#[derive(Clone, Debug, Default)]
pub(super) struct TreeModel {
    pub ports: Vec<ModelPort>,
}

/// One declared port.
#[derive(Clone, Debug)]
pub(super) struct ModelPort {
    pub name: Arc<str>,
    pub direction: Direction,
    pub ty: Type,
    pub default: Option<Arc<str>>,
    pub doc: Arc<str>,
    pub source: Arc<Source>,
    pub span: Span,
}

/// The models of all trees, by tree ID.
pub(super) type TreeModels = HashMap<Arc<str>, TreeModel>;

/// Reads the `SubTree` models of a `TreeNodesModel`. Models of other nodes are for editors.
pub(super) fn read(
    models: Element<'_>,
    source: &Arc<Source>,
    to: &mut TreeModels,
    diagnostics: &mut Diagnostics,
) {
    for model in models.children().filter(|child| child.name() == "SubTree") {
        let Some(id) = model.attribute("ID") else {
            diagnostics.push(
                Diagnostic::new(Code::E0120, "a SubTree model without an `ID`")
                    .at(source, model.start_tag_span(), "which tree is this the model of?")
                    .help("Add `ID=\"...\"` with the ID of the tree."),
            );
            continue;
        };
        let id: Arc<str> = Arc::from(id.value());
        let ports = model.children().filter_map(|port| read_port(port, source, diagnostics)).collect();
        to.insert(id, TreeModel { ports });
    }
}

fn read_port(port: Element<'_>, source: &Arc<Source>, diagnostics: &mut Diagnostics) -> Option<ModelPort> {
    let known = [Direction::In, Direction::Out, Direction::InOut];
    let Some(direction) = known.into_iter().find(|direction| direction.as_str() == port.name()) else {
        let near = did_you_mean(port.name(), known.map(Direction::as_str));
        diagnostics.push(
            Diagnostic::new(Code::E0120, format!("`{}` is no port of a model", port.name()))
                .at(source, port.name_span(), "not known here")
                .help(format!("Write `{}`.", near.unwrap_or("input_port"))),
        );
        return None;
    };
    let Some(name) = port.attribute("name") else {
        diagnostics.push(
            Diagnostic::new(Code::E0120, "a port of a model without a `name`")
                .at(source, port.start_tag_span(), "this port has no name")
                .help("Add `name=\"...\"`."),
        );
        return None;
    };
    // A type that this engine does not know is some embedder's own and opaque here.
    let ty = port.attribute("type").and_then(|ty| Type::parse(ty.value().trim())).unwrap_or_default();
    Some(ModelPort {
        name: Arc::from(name.value()),
        direction,
        ty,
        default: port.attribute("default").map(|it| Arc::from(it.value())),
        doc: doc_of(port, source),
        source: source.clone(),
        span: port.start_tag_span(),
    })
}

/// What a port means: its `description`, or the text inside it, which is where editors write it.
fn doc_of(port: Element<'_>, source: &Source) -> Arc<str> {
    match port.attribute("description") {
        Some(description) => Arc::from(description.value()),
        None => {
            let texts = port.texts().map(|span| unescape_lossy(source.slice(span)));
            texts.collect::<Vec<_>>().join(" ").trim().into()
        }
    }
}

/// The text with its entities read; as it stands where one is none.
fn unescape_lossy(text: &str) -> Cow<'_, str> {
    quick_xml::escape::unescape(text).unwrap_or(Cow::Borrowed(text))
}
