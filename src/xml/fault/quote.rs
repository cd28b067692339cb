//! Pieces of the text, as a message has them.

use crate::text::{Source, Span};

/// The most characters of a name or a value that a message repeats.
const QUOTED_CHARS_MAX: usize = 40;

/// A piece of the text as a message repeats it: on one line and not too long.
pub(super) fn quoted(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let short: String = line.chars().take(QUOTED_CHARS_MAX).collect();
    if short.len() == text.len() { short } else { format!("{short}...") }
}

/// The text under a span as a message repeats it.
pub(super) fn quoted_at(source: &Source, span: Span) -> String {
    quoted(source.slice(span))
}
