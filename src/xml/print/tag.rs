//! A start tag on one line or several.

use super::markup::quoted;
use crate::limits::{XML_HANGING_NAME_CHARS_MAX, XML_LINE_COLUMNS};
use crate::xml::Element;

/// How far attributes stand in when the name is too long to stand below it.
const LONG_NAME_INDENT: usize = 4;

/// The start tag of an element that begins in column `indent`, closed at once when nothing is inside.
pub(super) fn start_tag(element: Element<'_>, indent: usize, is_empty: bool) -> String {
    let close = if is_empty { "/>" } else { ">" };
    let values: Vec<_> =
        element.attributes().map(|it| format!("{}={}", it.name(), quoted(raw(element, it)))).collect();
    let head = format!("<{}", element.name());
    if values.is_empty() {
        return head + close;
    }
    let one_line = format!("{head} {}{close}", values.join(" "));
    if values.len() == 1 || fits(&one_line, indent) {
        return one_line;
    }
    let name = element.name().chars().count();
    let hang = if name <= XML_HANGING_NAME_CHARS_MAX { name + 2 } else { LONG_NAME_INDENT };
    format!("{head} {}{close}", values.join(&format!("\n{:1$}", "", indent + hang)))
}

fn raw<'d>(element: Element<'d>, attribute: crate::xml::Attribute<'d>) -> &'d str {
    element.document().source().slice(attribute.value_span())
}

/// Whether every line of a tag that begins in column `indent` ends before the margin.
fn fits(tag: &str, indent: usize) -> bool {
    let mut lines = tag.split('\n').map(|line| line.chars().count());
    lines.next().is_none_or(|first| indent + first <= XML_LINE_COLUMNS)
        && lines.all(|line| line <= XML_LINE_COLUMNS)
}
