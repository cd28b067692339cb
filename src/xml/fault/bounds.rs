//! Faults of texts that are larger than they may be.

use std::sync::Arc;

use super::quoted_at;
use crate::diag::{Code, Diagnostic};
use crate::text::{Source, Span};

/// A text with more bytes than allowed.
pub fn too_many_bytes(source: &Arc<Source>, limit: usize) -> Diagnostic {
    super::bytes::too_large(source.name(), source.text().len(), limit)
}

/// An element deeper than allowed.
pub fn too_deep(source: &Arc<Source>, name: Span, limit: usize) -> Diagnostic {
    let shown = quoted_at(source, name);
    Diagnostic::new(Code::E0011, format!("elements are nested too deeply: the limit is {limit}"))
        .at(source, name, format!("`<{shown}>` stands at depth {}", limit + 1))
        .note("reading stopped here; what follows was not looked at")
        .help("Move inner parts into trees of their own and call them with `<SubTree ID=\"..\"/>`.")
}

/// One element more than allowed.
pub fn too_many_elements(source: &Arc<Source>, name: Span, limit: usize) -> Diagnostic {
    let count = limit.saturating_add(1);
    Diagnostic::new(Code::E0010, format!("the text has too many elements: the limit is {limit}"))
        .at(source, name, format!("this is element {count}"))
        .note("reading stopped here; what follows was not looked at")
        .help("Split the trees over several files and join them with `<include path=\"..\"/>`.")
}

/// One attribute more than allowed.
pub fn too_many_attributes(source: &Arc<Source>, element: Span, name: Span, limit: usize) -> Diagnostic {
    let count = limit.saturating_add(1);
    let shown = quoted_at(source, element);
    Diagnostic::new(Code::E0012, format!("`<{shown}>` has too many attributes: the limit is {limit}"))
        .at(source, name, format!("this is attribute {count}"))
        .and_at(source, element, "of this element")
        .note("further attributes of the element are ignored")
        .help("Pass a JSON object through one blackboard key instead of many ports.")
}

/// A value longer than allowed.
pub fn value_too_long(source: &Arc<Source>, name: Span, value: Span, limit: usize) -> Diagnostic {
    let shown = quoted_at(source, name);
    let message = format!("the value of `{shown}` is too long: {} bytes, the limit is {limit}", value.len());
    Diagnostic::new(Code::E0013, message)
        .at(source, name, "this attribute")
        .note("long values are copied wherever the node is used, and nobody can review them")
        .help("Keep the text in a file or a blackboard key and refer to it.")
}

/// A run of text longer than allowed.
pub fn text_too_long(source: &Arc<Source>, text: Span, limit: usize) -> Diagnostic {
    let message =
        format!("text between two tags is too long: {} bytes or more, the limit is {limit}", text.len());
    let first = source.slice(text).chars().next().map_or(0, char::len_utf8);
    Diagnostic::new(Code::E0013, message)
        .at(source, Span::new(text.range().start, text.range().start + first), "the text begins here")
        .note("text between tags means nothing in a tree")
        .help("Remove it, or put it into a comment.")
}
