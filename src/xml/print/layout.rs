//! Which thing stands on which line.

use super::comment;
use super::markup::{mended_text, unix_lines};
#[cfg(doc)]
use super::same;
use super::tag::start_tag;
use crate::limits::{XML_INDENT_BLANKS, XML_INDENT_LEVELS_MAX};
use crate::text::Span;
use crate::xml::{Document, Element, Item, Items};

#[doc = include_str!("../../docs/format.md")]
pub fn print(document: &Document) -> String {
    let mut layout = Layout {
        source: document.source().text(),
        items: document.items(),
        out: String::with_capacity(document.source().text().len()),
        depth: 0,
        end: 0,
        is_at_edge: true,
    };
    while let Some(item) = layout.items.next() {
        layout.item(item);
    }
    layout.out.push('\n');
    layout.out
}

struct Layout<'d> {
    source: &'d str,
    items: Items<'d>,
    out: String,
    depth: usize,
    /// Where in the source the last thing ended.
    end: usize,
    /// Whether the last thing was a start tag or nothing: no blank line is kept after it.
    is_at_edge: bool,
}

impl<'d> Layout<'d> {
    fn item(&mut self, item: Item<'d>) {
        match item {
            Item::Open(element) => self.open(element),
            Item::Close(element) => {
                self.depth -= 1;
                self.is_at_edge = true;
                self.line(element.end_tag_span(), &format!("</{}>", element.name()));
            }
            Item::Comment(span) => self.comment(span),
            Item::Text(span) => self.text(span),
            Item::Outside(span) => self.line(span, &comment::outside(self.slice(span))),
            Item::CData(span) | Item::Instruction(span) | Item::Doctype(span) => {
                self.line(span, &unix_lines(self.slice(span)));
            }
        }
    }

    fn slice(&self, span: Span) -> &'d str {
        &self.source[span.range()]
    }

    /// How far things stand in. Deep trees stop there: a text of a hundred thousand levels would
    /// be ten gigabytes of blanks.
    fn indent(&self) -> usize {
        self.depth.min(XML_INDENT_LEVELS_MAX) * XML_INDENT_BLANKS
    }

    /// A thing on a line of its own, after a blank one if the source has some there.
    fn line(&mut self, span: Span, text: &str) {
        let indent = self.indent();
        if !self.out.is_empty() {
            let breaks = line_breaks(&self.source[self.end.min(span.range().start)..span.range().start]);
            self.out.push_str(if breaks > 1 && !self.is_at_edge { "\n\n" } else { "\n" });
        }
        self.out.extend(std::iter::repeat_n(' ', indent));
        self.out.push_str(text);
        self.end = span.range().end;
        self.is_at_edge = false;
    }

    fn open(&mut self, element: Element<'d>) {
        let span = element.start_tag_span();
        let mut ahead = self.items.clone();
        let (first, second) = (ahead.next(), ahead.next());
        if matches!(first, Some(Item::Close(_))) {
            self.line(span, &start_tag(element, self.indent(), true));
            self.skip_to(ahead_after_one(&self.items), element.span());
            return;
        }
        let tag = start_tag(element, self.indent(), false);
        match (first.and_then(|it| self.inline(it)), second) {
            (Some(inside), Some(Item::Close(_))) => {
                self.line(span, &format!("{tag}{inside}</{}>", element.name()));
                self.skip_to(ahead, element.span());
            }
            _ => {
                self.line(span, &tag);
                self.is_at_edge = true;
                self.depth += 1;
            }
        }
    }

    /// What an element may hold in its own line.
    fn inline(&self, item: Item<'d>) -> Option<String> {
        match item {
            Item::CData(span) => Some(unix_lines(self.slice(span)).into_owned()),
            Item::Text(span) if line_breaks(self.slice(span)) == 0 => Some(mended_text(self.slice(span))),
            _ => None,
        }
    }

    /// Goes on after an element that was written whole.
    fn skip_to(&mut self, items: Items<'d>, whole: Span) {
        self.items = items;
        self.end = whole.range().end;
    }

    /// A comment stays at the end of the line that it stands at the end of.
    fn comment(&mut self, span: Span) {
        let start = span.range().start;
        let is_beside = !self.out.is_empty() && line_breaks(&self.source[self.end.min(start)..start]) == 0;
        if !is_beside {
            let text = self.moved(span, |layout| " ".repeat(layout.indent()));
            return self.line(span, &text);
        }
        let text = self.moved(span, |layout| blanks_at(&layout.out, layout.out.len()).to_owned());
        self.out.push(' ');
        self.out.push_str(&text);
        self.end = span.range().end;
    }

    /// A comment as it stands after an indent. Where it began is looked up only if it has lines to
    /// move: a text of a million comments in one line would be read a million times.
    fn moved(&self, span: Span, indent: impl Fn(&Self) -> String) -> String {
        let comment = self.slice(span);
        match line_breaks(comment) {
            0 => comment::moved(comment, "", ""),
            _ => comment::moved(comment, blanks_at(self.source, span.range().start), &indent(self)),
        }
    }

    fn text(&mut self, span: Span) {
        let text = mended_text(self.slice(span));
        let indent = format!("\n{:1$}", "", self.indent());
        let lines: Vec<_> = text.lines().map(str::trim_ascii).filter(|line| !line.is_empty()).collect();
        self.line(span, &lines.join(&indent));
    }
}

fn ahead_after_one<'d>(items: &Items<'d>) -> Items<'d> {
    let mut items = items.clone();
    items.next();
    items
}

/// How many line ends a text holds, whatever they are written as.
fn line_breaks(text: &str) -> usize {
    let pairs = text.matches("\r\n").count();
    text.bytes().filter(|byte| matches!(byte, b'\n' | b'\r')).count() - pairs
}

/// The blanks at the beginning of the line that `at` stands in.
fn blanks_at(source: &str, at: usize) -> &str {
    let line = source[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
    let before = &source[line..at];
    &before[..before.len() - before.trim_start_matches([' ', '\t']).len()]
}
