//! Remapping: what a subtree sees of the tree around it.

use super::convert::Work;
use super::node::{Node, pointer};
use super::word;
use crate::xml::Attribute;

const SHARED: &str = "__shared_blackboard";
const AUTOREMAP_V3: &str = "__autoremap";
const AUTOREMAP_V4: &str = "_autoremap";

/// Whether version 3 has a switch of this name.
pub(super) fn is_old_switch(name: &str) -> bool {
    matches!(name, SHARED | AUTOREMAP_V3)
}

/// `<SubTreePlus>` is `<SubTree>` now; its values mean the same.
pub(super) fn plus(work: &mut Work<'_>, node: Node<'_>) {
    node.rename("SubTree", &mut work.edits);
    autoremap(work, node);
}

/// `__autoremap` has one underscore less now.
fn autoremap(work: &mut Work<'_>, node: Node<'_>) {
    if let Some(attribute) = node.element.attribute(AUTOREMAP_V3) {
        work.rename_port(node, attribute, AUTOREMAP_V4);
    }
}

/// `<SubTree>`: a shared blackboard, or keys without braces.
pub(super) fn plain(work: &mut Work<'_>, node: Node<'_>) {
    autoremap(work, node);
    let is_shared = node.element.attribute(SHARED).is_some_and(|attribute| shared(work, node, attribute));
    if !work.is_v3 {
        return;
    }
    for attribute in node.ports().filter(|it| !it.name().starts_with("__")) {
        match is_shared {
            true => work.say(|source| word::remap_unused(source, attribute.name_span(), attribute.name())),
            false => remap(work, attribute),
        }
    }
}

/// `<T/>` where `T` is a tree: `<SubTree ID="T"/>`.
pub(super) fn compact(work: &mut Work<'_>, node: Node<'_>) {
    let tree = node.kind();
    node.rename("SubTree", &mut work.edits);
    work.edits.add_first(node.element, "ID", tree);
    plain(work, node);
}

/// Converts `__shared_blackboard`; answers whether the blackboard is shared.
fn shared(work: &mut Work<'_>, node: Node<'_>, attribute: Attribute<'_>) -> bool {
    let span = attribute.name_span();
    let is_said = [AUTOREMAP_V3, AUTOREMAP_V4].iter().any(|name| node.element.attribute(name).is_some());
    match attribute.value() {
        "1" | "true" | "TRUE" | "True" if is_said => {
            work.say(|source| word::port_taken(source, span, SHARED, AUTOREMAP_V4));
            true
        }
        "1" | "true" | "TRUE" | "True" => {
            work.edits.rewrite(attribute, AUTOREMAP_V4, "true");
            work.say(|source| word::shared(source, span));
            true
        }
        "0" | "false" | "FALSE" | "False" => {
            work.edits.remove(node.element, attribute);
            false
        }
        _ => {
            work.say(|source| word::no_switch(source, span, SHARED));
            false
        }
    }
}

/// `a="b"` meant the key `b`.
fn remap(work: &mut Work<'_>, attribute: Attribute<'_>) {
    let (value, span) = (attribute.value(), attribute.value_span());
    if pointer(value).is_some() || value == "=" {
        return work.say(|source| word::remap_braced(source, attribute.name_span(), value));
    }
    let first = value.chars().next();
    if first.is_none_or(|first| first.is_ascii_digit() || "+-.".contains(first)) || value.contains(' ') {
        work.say(|source| word::remap_doubtful(source, attribute.name_span(), value));
    }
    // The raw text goes into the braces, so its entities stay as they are.
    let raw = work.document.source().slice(span);
    work.edits.replace(span, format!("{{{raw}}}"));
}
