//! What shows that a text is of version 3, for whoever reads it as one of version 4.

use super::node::{Node, pointer, removed, renamed, renamed_port};
use super::{blackboard_check, subtree};
use crate::text::Source;
use crate::xml::{Document, Element};

/// What to do about a node that only version 3 has; `None` for every other name.
pub(crate) fn help_for_node(source: &Source, kind: &str) -> Option<String> {
    let is_converted = kind == "SubTreePlus" || renamed(kind).is_some() || blackboard_check::is_check(kind);
    match removed(kind) {
        Some(instead) => Some(instead.to_owned()),
        None if is_converted => Some(convert(source, kind)),
        None => None,
    }
}

/// What to do about an attribute that only version 3 has, of a node of that kind.
pub(crate) fn help_for_attribute(source: &Source, kind: &str, name: &str) -> Option<String> {
    let is_old = renamed_port(kind, name).is_some()
        || matches!(kind, "SubTree" | "SubTreePlus") && subtree::is_old_switch(name);
    is_old.then(|| convert(source, name))
}

fn convert(source: &Source, name: &str) -> String {
    format!("`{name}` is of version 3: {} writes the file in version 4.", command(source))
}

/// The command that converts a file, as people type it.
pub(crate) fn command(source: &Source) -> String {
    let name = if &**source.name() == "<stdin>" { "-" } else { &**source.name() };
    match name.contains(char::is_whitespace) {
        true => format!("`helve convert '{name}'`"),
        false => format!("`helve convert {name}`"),
    }
}

/// Whether a text that does not declare its version looks like one of version 3.
pub(crate) fn looks_old(document: &Document) -> bool {
    document.elements().any(|element| {
        let node = Node::new(element);
        let source = document.source();
        help_for_node(source, node.kind()).is_some()
            || node.ports().any(|port| {
                help_for_attribute(source, node.kind(), port.name()).is_some()
                    || port.value().starts_with("${") && pointer(port.value()).is_some()
            })
            || is_remapped_bare(element)
    })
}

/// Whether a subtree is given what looks like names of keys without braces. Version 4 reads them as
/// texts, which it may well be given on purpose; so this is a sign and no fault.
fn is_remapped_bare(element: Element<'_>) -> bool {
    let is_name = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !matches!(text, "true" | "false")
    };
    element.name() == "SubTree"
        && element.attributes().any(|it| {
            !matches!(it.name(), "ID" | "name") && !it.name().starts_with('_') && is_name(it.value())
        })
}
