//! Faults of one attribute.

use std::sync::Arc;

use super::{quoted, quoted_at};
use crate::diag::{Code, Diagnostic};
use crate::text::{Source, Span};

/// The same name twice on one element.
pub fn duplicate(source: &Arc<Source>, first: Span, again: Span) -> Diagnostic {
    let name = quoted_at(source, again);
    Diagnostic::new(Code::E0007, format!("the attribute `{name}` is given twice"))
        .at(source, again, "given again here")
        .and_at(source, first, "first given here")
        .note("an element has at most one attribute of a name; the first is taken for the rest of this check")
        .help("Remove one of the two.")
}

/// A value without quotes.
pub fn unquoted(source: &Arc<Source>, name: Span, value: Span) -> Diagnostic {
    let (name, shown) = (quoted_at(source, name), quoted_at(source, value));
    Diagnostic::new(Code::E0006, format!("the value of `{name}` is not in quotes"))
        .at(source, value, "quotes are missing around this")
        .note("XML wants every attribute value in `\"` or `'`, numbers too")
        .help(format!("Write `{name}=\"{shown}\"`."))
}

/// A name without a value.
pub fn valueless(source: &Arc<Source>, name: Span, has_equals: bool) -> Diagnostic {
    let shown = quoted_at(source, name);
    let (label, help) = match has_equals {
        true => ("a value in quotes is expected after the `=`", format!("Write `{shown}=\"..\"`.")),
        false => (
            "`=` and a value are expected after it",
            format!("Write `{shown}=\"..\"`, or `{shown}=\"true\"` if it is a switch."),
        ),
    };
    Diagnostic::new(Code::E0006, format!("the attribute `{shown}` has no value"))
        .at(source, name, label)
        .note("XML has no attributes without a value, unlike HTML")
        .help(help)
}

/// A value whose closing quote is missing; `value` is where it seems to end.
pub fn unclosed(source: &Arc<Source>, name: Span, value: Span, quote: char) -> Diagnostic {
    let shown = quoted_at(source, name);
    let text = quoted(source.slice(value));
    let open = Span::new(value.range().start - 1, value.range().end.max(value.range().start));
    Diagnostic::new(Code::E0006, format!("the value of `{shown}` has no closing quote"))
        .at(source, open, format!("`{quote}` seems to be missing at the end of this"))
        .note(format!("without it the value runs on to the next `{quote}` in the file"))
        .help(format!("Write `{shown}={quote}{text}{quote}`."))
}

/// A value that holds its own kind of quote.
pub fn quotes_inside(source: &Arc<Source>, name: Span, value: Span, quote: char) -> Diagnostic {
    let (shown, text) = (quoted_at(source, name), source.slice(value));
    let (escaped, other) = if quote == '"' { ("&quot;", '\'') } else { ("&apos;", '"') };
    let help = match text.contains(other) {
        true => format!("Write `{escaped}` for each `{quote}` inside the value."),
        false => format!(
            "Write `{shown}={other}{}{other}`, or `{escaped}` for each `{quote}` inside.",
            quoted(text)
        ),
    };
    Diagnostic::new(Code::E0006, format!("the value of `{shown}` holds a `{quote}`"))
        .at(source, value, format!("the value seems to be this, but its first `{quote}` ends it"))
        .note(format!("a value in `{quote}` ends at the next `{quote}`"))
        .help(help)
}

/// A quote that neither opens nor closes a value.
pub fn quote_too_many(source: &Arc<Source>, quote: Span) -> Diagnostic {
    let shown = quoted_at(source, quote);
    Diagnostic::new(Code::E0006, format!("a `{shown}` too many"))
        .at(source, quote, "no value begins or ends here")
        .note("the value before it is closed already")
        .help(format!("Remove this `{shown}`."))
}

/// A value in quotes where a name is expected.
pub fn nameless(source: &Arc<Source>, value: Span) -> Diagnostic {
    Diagnostic::new(Code::E0006, "a quoted value stands where an attribute name is expected")
        .at(source, value, "no name and `=` before this")
        .note("either the name is missing, or a quote inside the value before it ended that value early")
        .help(
            "Write `name=\"value\"`; inside a value in `\"`, write `&quot;` for a quote or use `'` around it.",
        )
}

/// Something between the attributes that is none.
pub fn junk(source: &Arc<Source>, junk: Span) -> Diagnostic {
    let shown = quoted_at(source, junk);
    let help = match shown.as_str() {
        "," | ";" => "Attributes are separated by blanks: remove it.".to_owned(),
        "/" => "Write `/>` without anything between the two, or remove the `/`.".to_owned(),
        equals if equals.starts_with('=') => "Write a name before the `=`.".to_owned(),
        named if named.contains('=') => "Give it a name that begins with a letter.".to_owned(),
        _ => format!("Remove it, or write it as a value: `name=\"{shown}\"`."),
    };
    Diagnostic::new(Code::E0006, format!("`{shown}` stands where an attribute name is expected"))
        .at(source, junk, "no attribute begins like this")
        .note("a name begins with a letter, `_` or `:`")
        .help(help)
}
