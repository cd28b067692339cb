//! Faults of tags, and of how they pair.

use std::sync::Arc;

use super::quoted_at;
use crate::diag::{Code, Diagnostic};
use crate::text::{Source, Span, count_of};

/// `<` without a name.
pub fn nameless(source: &Arc<Source>, at: usize) -> Diagnostic {
    let next = source.text()[at + 1..].chars().next();
    let is_number = next.is_some_and(|next| next.is_ascii_digit());
    let note = if is_number { "a name does not begin with a digit" } else { "a name follows a `<` at once" };
    Diagnostic::new(Code::E0016, "`<` begins a tag, but no name follows")
        .at(source, Span::new(at, at + 1), "a tag begins here")
        .note(note)
        .help("Write `&lt;` if it is text, or `<Name` if it is a tag.")
}

/// `</` without a name; `open` is the name of the innermost open element.
pub fn nameless_end(source: &Arc<Source>, at: usize, open: Option<Span>) -> Diagnostic {
    let fault = Diagnostic::new(Code::E0016, "`</` begins an end tag, but no name follows")
        .at(source, Span::new(at, at + 2), "a name is expected after this")
        .note("an end tag repeats the name of its start tag, without a blank before it");
    match open {
        Some(open) => fault
            .and_at(source, open, "the element that is open")
            .help(format!("Write `</{}>`.", quoted_at(source, open))),
        None => fault.help("Remove it: no element is open."),
    }
}

/// A start or end tag without `>`, where the next tag begins at `next`.
pub fn unclosed(source: &Arc<Source>, tag: Span, next: usize) -> Diagnostic {
    let shown = quoted_at(source, tag);
    let is_end = shown.starts_with("</");
    let (close, note) = match is_end {
        true => ("`>`", "an end tag is `</`, a name and `>`"),
        false => ("`>` or `/>`", "a `<` cannot stand between the attributes of a tag"),
    };
    Diagnostic::new(Code::E0016, format!("the tag `{shown}` is not closed with {close}"))
        .at(source, Span::new(next, next + 1), "the next tag begins here")
        .and_at(source, tag, "this tag is still open")
        .note(note)
        .help(format!("Put {close} before the next tag."))
}

/// `<!` that is no comment, CDATA or DOCTYPE.
pub fn bang(source: &Arc<Source>, span: Span) -> Diagnostic {
    Diagnostic::new(Code::E0016, "`<!` begins neither a comment nor CDATA")
        .at(source, span, "this is skipped")
        .note("comments begin with `<!--`, CDATA sections with `<![CDATA[`")
        .help("Write a comment as `<!-- .. -->`.")
}

/// An end tag with more in it than a name.
pub fn end_tag_junk(source: &Arc<Source>, name: Span, junk: Span) -> Diagnostic {
    let shown = quoted_at(source, name);
    Diagnostic::new(Code::E0016, format!("the end tag of `{shown}` holds more than the name"))
        .at(source, junk, "this does not belong here")
        .note("attributes stand in the start tag")
        .help(format!("Write `</{shown}>`."))
}

/// An end tag with another name than the element it closes.
pub fn wrong_name(source: &Arc<Source>, open: Span, found: Span) -> Diagnostic {
    let (expected, shown) = (quoted_at(source, open), quoted_at(source, found));
    Diagnostic::new(Code::E0005, format!("`<{expected}>` is closed by `</{shown}>`"))
        .at(source, found, format!("`{expected}` is expected here"))
        .and_at(source, open, "the element begins here")
        .note("an end tag repeats the name of its start tag, capital letters included")
        .help(format!("Write `</{expected}>`."))
}

/// An end tag for an element that is not open.
pub fn stray(source: &Arc<Source>, tag: Span, name: Span, hint: Stray) -> Diagnostic {
    let shown = quoted_at(source, name);
    let fault = Diagnostic::new(Code::E0005, format!("`</{shown}>` closes nothing")).at(
        source,
        tag,
        format!("no `<{shown}>` is open here"),
    );
    match hint {
        Stray::ClosedItself(start) => fault
            .and_at(source, start, "this one has closed itself with `/>`")
            .note("`<A/>` is a whole element; it has no end tag")
            .help("Remove this end tag, or the `/` of the start tag if more belongs inside."),
        Stray::Inside(open) => {
            let around = quoted_at(source, open);
            fault
                .and_at(source, open, format!("`<{around}>` is open"))
                .note("every end tag belongs to the last start tag that has none yet")
                .help(format!("Remove it, or add `<{shown}>` where it begins."))
        }
        Stray::Outside => fault
            .note("every element is closed already")
            .help("Remove it, or add the start tag that it belongs to."),
    }
}

/// What is known about an end tag that closes nothing.
#[derive(Clone, Copy)]
pub enum Stray {
    /// The element before it is of that name and closed itself.
    ClosedItself(Span),
    /// It stands in this element.
    Inside(Span),
    /// It stands in no element.
    Outside,
}

/// Elements that are still open where the end tag `closing` closes the one around them.
/// `open` are the names of the innermost of them, innermost first; `count` is how many there are.
pub fn never_closed(source: &Arc<Source>, open: &[Span], count: usize, closing: Span) -> Diagnostic {
    let name = open.first().map_or_else(String::new, |&open| quoted_at(source, open));
    let around = quoted_at(source, closing);
    let fault = Diagnostic::new(Code::E0005, format!("`<{name}>` is never closed"))
        .at(source, open.first().copied().unwrap_or(closing), "this element has no end tag")
        .and_at(source, closing, format!("`</{around}>` closes the element around it"));
    let fault = match count {
        0 | 1 => fault.note("an end tag closes the last open element, so all inside must be closed before"),
        _ => fault.note(format!("{count} elements are open here: {}", names(source, open, count))),
    };
    fault.help(format!("Add `</{name}>` where it ends, or write `<{name} .. />` if nothing is inside."))
}

/// The names of elements, innermost first.
fn names(source: &Source, open: &[Span], count: usize) -> String {
    let mut names: Vec<_> = open.iter().map(|&open| format!("`<{}>`", quoted_at(source, open))).collect();
    if count > open.len() {
        names.push(format!("{} more", count - open.len()));
    }
    names.join(", ")
}

/// The text ends while elements are open; `open` and `count` as in [`never_closed`].
pub fn truncated(source: &Arc<Source>, open: &[Span], count: usize) -> Diagnostic {
    let name = open.first().map_or_else(String::new, |&open| quoted_at(source, open));
    let ends: String = open.iter().map(|&open| format!("</{}>", quoted_at(source, open))).collect();
    let rest = if count > open.len() {
        format!(" and {}", count_of(count - open.len(), "more end tag"))
    } else {
        String::new()
    };
    let fault = Diagnostic::new(Code::E0004, format!("the file ends inside `<{name}>`")).at(
        source,
        end_of(source),
        format!("`</{name}>` is expected"),
    );
    let fault =
        (open.iter().rev()).fold(fault, |fault, &open| fault.and_at(source, open, "still open at the end"));
    fault
        .note("an end tag is missing, or the file was cut off while it was written or copied")
        .help(format!("Add `{ends}`{rest}, or fetch the whole file again."))
}

/// The text ends inside something that began at `start`.
pub fn truncated_inside(source: &Arc<Source>, start: Span, what: &str, close: &str) -> Diagnostic {
    Diagnostic::new(Code::E0004, format!("the file ends inside {what}"))
        .at(source, start, format!("{what} begins here"))
        .and_at(source, end_of(source), format!("`{close}` is expected"))
        .note("either the file was cut off, or the end was forgotten and all that follows was taken in")
        .help(format!("Add `{close}` where it ends, or fetch the whole file again."))
}

/// The last character that is not blank.
fn end_of(source: &Source) -> Span {
    let text = source.text().trim_end();
    let last = text.chars().next_back().map_or(0, char::len_utf8);
    Span::new(text.len() - last, text.len())
}
