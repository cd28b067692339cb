//! Elements to be written.

use std::fmt::Write as _;

/// Blanks a level.
const INDENT: usize = 2;

/// An element with its attributes, and inside it either a text or other elements.
#[derive(Clone, Debug, Default)]
pub(super) struct Markup {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    text: String,
    children: Vec<Self>,
}

impl Markup {
    /// An empty element.
    pub fn new(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    /// The same with an attribute.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.attributes.push((name, value.into()));
        self
    }

    /// The same with an attribute, when there is a value.
    #[must_use]
    pub fn with_some(self, name: &'static str, value: Option<impl Into<String>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The same with a text inside.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    /// The same with one more element inside.
    #[must_use]
    pub fn child(mut self, child: Self) -> Self {
        self.children.push(child);
        self
    }

    /// The same with more elements inside.
    #[must_use]
    pub fn children(mut self, children: impl IntoIterator<Item = Self>) -> Self {
        self.children.extend(children);
        self
    }

    /// A whole document.
    pub fn document(&self) -> String {
        let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
        self.write(0, &mut out);
        out
    }

    fn write(&self, depth: usize, out: &mut String) {
        let indent = " ".repeat(depth * INDENT);
        let _ = write!(out, "{indent}<{}", self.name);
        for (name, value) in &self.attributes {
            let _ = write!(out, " {name}=\"{}\"", escaped(value, true));
        }
        if !self.text.is_empty() {
            let _ = writeln!(out, ">{}</{}>", escaped(&self.text, false), self.name);
        } else if self.children.is_empty() {
            out.push_str("/>\n");
        } else {
            out.push_str(">\n");
            self.children.iter().for_each(|child| child.write(depth + 1, out));
            let _ = writeln!(out, "{indent}</{}>", self.name);
        }
    }
}

/// A text as XML writes it. In a value a line end is a reference, for readers make a blank of it;
/// what no XML can hold becomes the replacement character.
fn escaped(text: &str, is_value: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if is_value => out.push_str("&quot;"),
            '\n' | '\t' | '\r' if is_value || c == '\r' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            '\n' | '\t' => out.push(c),
            '\0'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}

/// Whether a text can be the name of an attribute, without a namespace.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_indented_and_escaped() {
        let leaf = Markup::new("b").with("v", "a<\"&\">\n").text("x < y\nz \u{1}\r");
        let root = Markup::new("a").child(leaf).child(Markup::new("c").with_some("d", None::<&str>));
        assert_eq!(
            root.document(),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a>\n  <b v=\"a&lt;&quot;&amp;&quot;&gt;&#10;\">x &lt; y\nz \u{FFFD}&#13;</b>\n  <c/>\n</a>\n"
        );
    }

    #[test]
    fn a_name_is_of_letters() {
        for good in ["a", "_a-1.b", "größe"] {
            assert!(is_name(good), "{good}");
        }
        for bad in ["", "1a", "a b", "a:b", "$ref", "-a"] {
            assert!(!is_name(bad), "{bad}");
        }
    }
}
