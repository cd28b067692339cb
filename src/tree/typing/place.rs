//! The attribute behind a port or a guard.

use std::sync::Arc;

use crate::id::NodeId;
use crate::text::{Source, Span};
use crate::tree::Tree;
use crate::xml::{self, Attribute, XmlLimits};

/// The value of the attribute `name` of a node, or its start tag when a default stands for it.
pub(super) fn of_attribute(tree: &Tree, node: NodeId, name: &str) -> (Arc<Source>, Span) {
    let tag = tree.place(node);
    // The ports of a tool that is spelled generically lie inside `args`.
    let found = [name, "args"]
        .into_iter()
        .find_map(|name| within(&tag.source, tag.span, name, |attribute| attribute.value_span()));
    (tag.source, found.unwrap_or(tag.span))
}

/// A piece of the value of an attribute.
pub(super) fn in_attribute(
    tree: &Tree,
    node: NodeId,
    name: &str,
    piece: std::ops::Range<usize>,
) -> (Arc<Source>, Span) {
    let tag = tree.place(node);
    let found = within(&tag.source, tag.span, name, |attribute| attribute.span_in_value(piece));
    (tag.source, found.unwrap_or(tag.span))
}

/// Reads the start tag again, as an element of its own, and asks its attribute. A tree keeps no
/// place for each attribute: they would be half its size, and only faults ask for them.
pub(super) fn within(
    source: &Arc<Source>,
    tag: Span,
    name: &str,
    ask: impl FnOnce(Attribute<'_>) -> Span,
) -> Option<Span> {
    let text = source.slice(tag);
    let open = text.strip_suffix("/>").or_else(|| text.strip_suffix('>'))?;
    let alone = Source::new(&**source.name(), format!("{open}/>"));
    let (document, _) = xml::read(&alone, &XmlLimits::default());
    let document = document?;
    let attribute = document.root().attribute(name)?;
    let Span { start, end } = ask(attribute);
    Some(Span { start: start + tag.start, end: end + tag.start })
}
