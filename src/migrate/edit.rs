//! Changes to a text, made at once.

use crate::text::Span;
use crate::xml::{Attribute, Element};

/// Pieces of a text and what stands in their place afterwards. They do not overlap.
#[derive(Debug, Default)]
pub(super) struct Edits {
    edits: Vec<(Span, String)>,
}

impl Edits {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.edits.len()
    }

    /// Puts a text in the place of another.
    pub fn replace(&mut self, span: Span, with: impl Into<String>) {
        self.edits.push((span, with.into()));
    }

    /// Writes an attribute anew, quotes included.
    pub fn rewrite(&mut self, attribute: Attribute<'_>, name: &str, value: &str) {
        self.replace(whole(attribute), format!("{name}=\"{}\"", escaped(value)));
    }

    /// Gives an attribute another name.
    pub fn rename(&mut self, attribute: Attribute<'_>, name: &str) {
        self.replace(attribute.name_span(), name);
    }

    /// Takes an attribute away, with the blanks before it.
    pub fn remove(&mut self, element: Element<'_>, attribute: Attribute<'_>) {
        let whole = whole(attribute);
        let text = element.document().source().text();
        let start = text[..whole.range().start].trim_ascii_end().len();
        self.replace(Span::new(start, whole.range().end), "");
    }

    /// Adds an attribute before all others.
    pub fn add_first(&mut self, element: Element<'_>, name: &str, value: &str) {
        let at = element.name_span().range().end;
        self.replace(Span::new(at, at), format!(" {name}=\"{}\"", escaped(value)));
    }

    /// The text with all of it done.
    pub fn apply(mut self, text: &str) -> String {
        self.edits.sort_by_key(|(span, _)| (span.start, span.end));
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for (span, with) in self.edits {
            assert!(span.range().start >= at, "two edits of one piece");
            out.extend([&text[at..span.range().start], &with]);
            at = span.range().end;
        }
        out + &text[at..]
    }
}

/// From the name to the closing quote.
fn whole(attribute: Attribute<'_>) -> Span {
    Span::new(attribute.name_span().range().start, attribute.value_span().range().end + 1)
}

fn escaped(value: &str) -> String {
    value.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
