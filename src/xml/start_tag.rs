//! One start tag with its attributes.
//!
//! quick-xml says where a tag begins and, with sound quotes, where it ends. The inside is scanned
//! here and not by its attribute iterator: that one knows no spans, stops at the first fault, and
//! cannot tell a forgotten quote from a long value. So this scan has the last word on the end, too.

use std::ops::ControlFlow;

use super::arena::{AttributeData, narrow};
use super::fault::{attribute, bounds, outside, tag};
use super::growth::Growth;
use super::letters::{is_blank, is_name_start, is_plain, name_end, skip, skip_blanks};
use super::reference;
use super::unclosed::{self, Cut};
use crate::diag::Code;
use crate::text::Span;

/// What a `<` turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// A tag up to this offset; `<A/>` and its like are closed already.
    EndsAt(usize),
    /// No tag; the text goes on after the `<`.
    None,
    /// The text ends inside it, or a bound was reached: nothing more can be read.
    Last,
}

/// Reads the start tag at `start` into the tree.
pub(super) fn read(growth: &mut Growth<'_>, start: usize) -> Tag {
    let name = Span::new(start + 1, name_end(growth.bytes(), start + 1));
    if name.is_empty() {
        growth.faults.fatal(|source| tag::nameless(source, start));
        return Tag::None;
    }
    if growth.open(start, name).is_break() {
        return Tag::Last;
    }
    let first = growth.arena.attributes.len();
    let mut scan = Scan { growth, start, at: name.range().end, first, name, is_overfull: false };
    let end = loop {
        if let ControlFlow::Break(end) = scan.step() {
            break end;
        }
    };
    end.map_or(Tag::Last, |end| settle(growth, end))
}

/// How a tag ended.
#[derive(Clone, Copy)]
struct End {
    after: usize,
    is_closed: bool,
    is_guess: bool,
}

fn settle(growth: &mut Growth<'_>, end: End) -> Tag {
    growth.arena.elements[growth.current as usize].tag_end = narrow(end.after);
    if end.is_closed {
        growth.close(end.after);
    } else if end.is_guess {
        growth.doubtful.push(growth.current);
    }
    Tag::EndsAt(end.after)
}

/// Goes on, or ends: with the end, or with none when the text ends inside the tag.
type Step = ControlFlow<Option<End>>;

struct Scan<'g, 's> {
    growth: &'g mut Growth<'s>,
    start: usize,
    at: usize,
    /// The first attribute of this element.
    first: usize,
    /// The name of the element.
    name: Span,
    is_overfull: bool,
}

impl Scan<'_, '_> {
    /// Reads the next thing in the tag.
    fn step(&mut self) -> Step {
        let (bytes, before) = (self.growth.bytes(), self.at);
        self.at = skip_blanks(bytes, before);
        match bytes.get(self.at).copied() {
            Some(b'>') => self.end(self.at + 1, false, false),
            Some(b'/') if bytes.get(self.at + 1) == Some(&b'>') => self.end(self.at + 2, true, false),
            Some(byte) if is_name_start(byte) => self.attribute(before),
            Some(b'<') => self.next_tag(before),
            Some(b'"' | b'\'') => self.nameless(),
            Some(_) => self.junk(),
            None => {
                let span = Span::new(self.start, self.name.range().end);
                let what = format!("the start tag of `{}`", self.growth.slice(self.name));
                self.growth.faults.fatal(|source| tag::truncated_inside(source, span, &what, "/>"));
                Step::Break(None)
            }
        }
    }

    fn end(&self, after: usize, is_closed: bool, is_guess: bool) -> Step {
        Step::Break(Some(End { after, is_closed, is_guess }))
    }

    /// A `<` between the attributes: the `>` was forgotten.
    fn next_tag(&mut self, before: usize) -> Step {
        let (tag, next) = (Span::new(self.start, before), self.at);
        let shown = Span::new(self.start, self.name.range().end).min(tag);
        self.growth.faults.fatal(|source| tag::unclosed(source, shown, next));
        self.end(next, false, true)
    }

    fn attribute(&mut self, before: usize) -> Step {
        let bytes = self.growth.bytes();
        let name = Span::new(self.at, name_end(bytes, self.at));
        if self.at == before && matches!(bytes[before - 1], b'"' | b'\'') {
            let faults = &mut self.growth.faults;
            faults.warning(Code::W0002, |source| outside::blank_missing(source, name));
        }
        let equals = skip_blanks(bytes, name.range().end);
        if bytes.get(equals) != Some(&b'=') {
            return self.valueless(name, name.range().end);
        }
        let value = skip_blanks(bytes, equals + 1);
        match bytes.get(value) {
            Some(&quote @ (b'"' | b'\'')) => self.quoted(name, value + 1, quote),
            _ => self.unquoted(name, equals + 1, value),
        }
    }

    fn valueless(&mut self, name: Span, after: usize) -> Step {
        let has_equals = after > name.range().end;
        self.growth.faults.error(|source| attribute::valueless(source, name, has_equals));
        self.add(name, Span::new(after, after), false);
        self.at = after;
        Step::Continue(())
    }

    fn unquoted(&mut self, name: Span, after_equals: usize, start: usize) -> Step {
        let bytes = self.growth.bytes();
        let is_inside = |byte| !is_blank(byte) && !matches!(byte, b'>' | b'<' | b'"' | b'\'');
        let mut end = skip(bytes, start, is_inside);
        if bytes.get(end) == Some(&b'>') && end > start && bytes[end - 1] == b'/' {
            end -= 1;
        }
        if end == start {
            return self.valueless(name, after_equals);
        }
        let value = Span::new(start, end);
        self.growth.faults.error(|source| attribute::unquoted(source, name, value));
        self.add(name, value, false);
        self.at = end;
        // `a=1"`: the quote belongs to this fault, not to the next value.
        if matches!(bytes.get(end), Some(b'"' | b'\'')) {
            self.at += 1;
        }
        Step::Continue(())
    }

    fn quoted(&mut self, name: Span, start: usize, quote: u8) -> Step {
        let bytes = self.growth.bytes();
        let plain = skip(bytes, start, is_plain);
        let end = skip(bytes, plain, |byte| byte != quote);
        if end == bytes.len() {
            return match unclosed::find_to_end(bytes, start) {
                Some(cut) => self.cut(name, start, quote, cut),
                None => self.truncated_value(name, start, quote),
            };
        }
        if let Some(cut) = unclosed::find(bytes, start, end) {
            return self.cut(name, start, quote, cut);
        }
        self.add(name, Span::new(start, end), plain < end);
        self.at = end + 1;
        Step::Continue(())
    }

    /// A value whose closing quote is missing or not the first one, cut where it seems to end.
    fn cut(&mut self, name: Span, start: usize, quote: u8, cut: Cut) -> Step {
        let value = Span::new(start, cut.value_end());
        let quote = char::from(quote);
        match cut {
            Cut::Quotes { .. } => {
                self.growth.faults.error(|source| attribute::quotes_inside(source, name, value, quote));
            }
            _ => self.growth.faults.fatal(|source| attribute::unclosed(source, name, value, quote)),
        }
        self.add(name, value, false);
        match cut {
            Cut::Attribute { value_end } => self.at = value_end,
            Cut::Quotes { value_end } => self.at = value_end + 1,
            Cut::Tag { after, is_closed, .. } => return self.end(after, is_closed, true),
        }
        Step::Continue(())
    }

    fn truncated_value(&mut self, name: Span, start: usize, quote: u8) -> Step {
        let what = format!("the value of `{}`", self.growth.slice(name));
        let close = char::from(quote).to_string();
        let span = Span::new(name.range().start, start);
        self.growth.faults.fatal(|source| tag::truncated_inside(source, span, &what, &close));
        Step::Break(None)
    }

    /// A value without a name, or a quote too many. What looks like a value ends on its line and
    /// before the tag does.
    fn nameless(&mut self) -> Step {
        let bytes = self.growth.bytes();
        let (start, quote) = (self.at, bytes[self.at]);
        let end = skip(bytes, start + 1, |byte| byte != quote && !matches!(byte, b'>' | b'<' | b'\n'));
        self.at = if bytes.get(end) == Some(&quote) { end + 1 } else { start + 1 };
        let span = Span::new(start, self.at);
        self.growth.faults.error(|source| match span.len() {
            1 => attribute::quote_too_many(source, span),
            _ => attribute::nameless(source, span),
        });
        Step::Continue(())
    }

    /// Anything else between the attributes: a separator alone, or all of `1x="2"`.
    fn junk(&mut self) -> Step {
        let bytes = self.growth.bytes();
        let start = self.at;
        let is_separator = matches!(bytes[start], b',' | b';' | b'/' | b'=');
        let is_junk = |byte| !is_blank(byte) && !matches!(byte, b'>' | b'<' | b'"' | b'\'' | b'/');
        self.at = if is_separator { start + 1 } else { skip(bytes, start + 1, is_junk) };
        let quote = bytes.get(self.at).copied().filter(|&byte| matches!(byte, b'"' | b'\''));
        if let (b'=', Some(quote)) = (bytes[self.at - 1], quote) {
            let end = skip(bytes, self.at + 1, |byte| byte != quote && !matches!(byte, b'>' | b'<' | b'\n'));
            self.at = if bytes.get(end) == Some(&quote) { end + 1 } else { self.at };
        }
        let span = Span::new(start, self.at);
        self.growth.faults.error(|source| attribute::junk(source, span));
        Step::Continue(())
    }

    /// Adds an attribute, unless it is one too many or has the name of another.
    fn add(&mut self, name: Span, value: Span, is_special: bool) {
        let growth = &mut *self.growth;
        if growth.arena.attributes.len() - self.first >= growth.limits.attributes {
            if !std::mem::replace(&mut self.is_overfull, true) {
                let (element, limit) = (self.name, growth.limits.attributes);
                growth.faults.error(|source| bounds::too_many_attributes(source, element, name, limit));
            }
            return;
        }
        if let Some(first) = self.same_name(name) {
            return self.growth.faults.error(|source| attribute::duplicate(source, first, name));
        }
        let growth = &mut *self.growth;
        if value.len() > growth.limits.value_bytes {
            let limit = growth.limits.value_bytes;
            growth.faults.error(|source| bounds::value_too_long(source, name, value, limit));
        }
        let is_decoded = is_special && reference::decode(growth, name, value);
        growth.arena.attributes.push(AttributeData::new(name, value, is_decoded));
    }

    /// The attribute of this element that already has the name. A plain search: elements have few
    /// attributes, and a bound says how many.
    fn same_name(&self, name: Span) -> Option<Span> {
        let bytes = self.growth.bytes();
        (self.growth.arena.attributes[self.first..].iter())
            .map(AttributeData::name)
            .find(|other| other.len() == name.len() && bytes[other.range()] == bytes[name.range()])
    }
}
