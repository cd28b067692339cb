//! The loop over a text: tags and text are read here, the rest is found by quick-xml.
//!
//! A tag is scanned once, by who knows what a forgotten quote looks like; text ends where markup
//! begins. Comments, CDATA, instructions and document types have ends of their own kind, and what
//! follows the root is only looked for: of these quick-xml says where they end.

use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::events::Event;

use super::arena::{AsideKind, NONE, TEXT_BYTES_MAX};
use super::bounds::XmlLimits;
use super::document::Document;
use super::fault::{bounds, bytes, outside, tag};
use super::faults::Faults;
use super::growth::Growth;
use super::letters::{skip, skip_blanks, trim_end};
use super::print::is_broken_comment;
use super::reference::raw_reference;
use super::start_tag::Tag;
use super::{end_tag, start_tag};
use crate::diag::{Code, Diagnostics};
use crate::text::{Source, Span};

/// Reads a text whole and says all that is wrong with it.
///
/// There is a document whenever the structure is what the author meant, so that later stages can find
/// their own faults in the same run: with warnings, and with errors that concern a single attribute.
/// After a truncated file or tags that do not pair there is none.
pub fn read(source: &Arc<Source>, limits: &XmlLimits) -> (Option<Document>, Diagnostics) {
    let mut faults = Faults::new(source);
    let text: &str = source.text();
    if text.len() > limits.bytes.min(TEXT_BYTES_MAX) {
        faults.fatal(|source| bounds::too_many_bytes(source, limits.bytes));
        return (None, faults.finish());
    }
    if let Some(what) = foreign(text) {
        let start = skip_blanks(text.as_bytes(), bom_end(text, 0));
        faults.fatal(|source| bytes::not_xml(source, start, what));
        return (None, faults.finish());
    }
    let mut growth = Reading::new(Growth::new(text, limits, faults)).run();
    growth.arena.shrink();
    let is_usable = growth.has_root() && growth.faults.is_usable();
    let diagnostics = growth.faults.finish();
    (is_usable.then(|| Document::new(source.clone(), growth.arena)), diagnostics)
}

/// Whether the text is something else than XML, and what it looks like if that can be told. Text
/// before the root is read over when a root follows.
fn foreign(text: &str) -> Option<Option<&'static str>> {
    let start = text[bom_end(text, 0)..].trim_ascii_start();
    let is_html =
        |prefix: &str| start.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix));
    match start.as_bytes().first() {
        None => None,
        Some(b'<') if is_html("<!DOCTYPE html") || is_html("<html") => Some(Some("an HTML page")),
        Some(b'<') => None,
        Some(_) if start.contains("<root") || start.contains("<?xml") => None,
        Some(b'{' | b'[') => Some(Some("JSON")),
        Some(_) if start.starts_with("---") => Some(Some("YAML")),
        Some(_) => Some(None),
    }
}

/// Where the byte order marks at `at` end.
fn bom_end(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start_matches('\u{FEFF}').len()
}

struct Reading<'s> {
    growth: Growth<'s>,
    /// Up to where the text was read.
    at: usize,
    /// Where the run of text begins that raw markup was last found in.
    raw_text: Option<u32>,
    /// How many elements beside the root are open.
    outside: usize,
    /// Whether nothing more can be read.
    is_over: bool,
    /// Whether that is so because all was read, so that what is open now is open for good.
    is_whole: bool,
}

impl<'s> Reading<'s> {
    fn new(growth: Growth<'s>) -> Self {
        let at = bom_end(growth.text, 0);
        Self { growth, at, raw_text: None, outside: 0, is_over: false, is_whole: false }
    }

    fn run(mut self) -> Growth<'s> {
        while !self.is_over && !self.growth.faults.is_full() {
            self.step();
        }
        self.finish()
    }

    /// Reads the next thing in the text.
    fn step(&mut self) {
        let bytes = self.growth.bytes();
        let start = skip_blanks(bytes, self.at);
        match bytes[start..] {
            [] => (self.is_over, self.is_whole) = (true, true),
            [b'<', b'!' | b'?', ..] => self.markup(start),
            [b'<', ..] if self.is_past_root() => self.markup(start),
            [b'<', b'/', ..] => self.end_tag(start),
            [b'<', ..] => self.start_tag(start),
            _ => self.text(start),
        }
    }

    /// What quick-xml finds the end of.
    fn markup(&mut self, start: usize) {
        let mut reader = reader_at(self.growth.text, start);
        let event = reader.read_event();
        // The position is at most the length of a text that is in memory.
        self.at = start + reader.buffer_position() as usize;
        match event {
            Ok(Event::Comment(_)) => self.comment(start),
            Ok(Event::CData(_)) => self.cdata(start),
            Ok(Event::PI(_) | Event::Decl(_)) => self.aside(AsideKind::Instruction, start),
            Ok(Event::DocType(_)) => self.doctype(start),
            Ok(Event::End(_)) if self.outside > 0 => {
                self.outside -= 1;
                self.aside(AsideKind::Outside, start);
            }
            Ok(Event::End(_)) => self.end_tag(start),
            Ok(_) => self.second_root(start),
            Err(_) => self.broken(start),
        }
    }

    /// Whether the root is closed, so that nothing that follows counts.
    fn is_past_root(&self) -> bool {
        self.growth.has_root() && self.growth.current == NONE
    }

    fn start_tag(&mut self, start: usize) {
        let tag = start_tag::read(&mut self.growth, start);
        self.go_on(start, tag);
    }

    fn end_tag(&mut self, start: usize) {
        let tag = end_tag::read(&mut self.growth, start);
        self.go_on(start, tag);
    }

    fn go_on(&mut self, start: usize, tag: Tag) {
        match tag {
            Tag::EndsAt(end) => self.at = end,
            Tag::None => {
                self.growth.arena.aside(AsideKind::Text, Span::new(start, start + 1), self.growth.current);
                self.at = start + 1;
            }
            Tag::Last => self.is_over = true,
        }
    }

    /// Only the first element beside the root is worth a warning: all that follow are one mistake.
    fn second_root(&mut self, start: usize) {
        let tag = Span::new(start, self.at);
        if self.outside == 0 {
            let root = self.growth.arena.name(0);
            self.growth.faults.warning(Code::W0004, |source| outside::second_root(source, tag, root));
        }
        let is_closed = self.growth.slice(tag).ends_with("/>");
        self.outside += usize::from(!is_closed);
        self.aside(AsideKind::Outside, start);
    }

    fn aside(&mut self, kind: AsideKind, start: usize) {
        let kind = if self.outside > 0 { AsideKind::Outside } else { kind };
        self.growth.arena.aside(kind, Span::new(start, self.at), self.growth.current);
    }

    fn comment(&mut self, start: usize) {
        let inside = Span::new(start + "<!--".len(), (self.at - "-->".len()).max(start + "<!--".len()));
        if self.outside == 0 && is_broken_comment(self.growth.slice(inside)) {
            self.growth.faults.warning(Code::W0006, |source| outside::comment_dashes(source, inside));
        }
        self.aside(AsideKind::Comment, start);
    }

    fn text(&mut self, start: usize) {
        self.at = piece_end(self.growth.bytes(), start);
        let span = Span::new(start, trim_end(self.growth.bytes(), self.at));
        if self.growth.current == NONE {
            return self.text_outside(span);
        }
        self.growth.arena.aside(AsideKind::Text, span, self.growth.current);
        let whole = self.growth.arena.asides.last().map_or(span, |aside| aside.span);
        let limit = self.growth.limits.text_bytes;
        // A run comes in pieces; only the piece that crosses the limit is to be reported.
        if whole.len() > limit && whole.len() - span.len() <= limit {
            self.growth.faults.error(|source| bounds::text_too_long(source, whole, limit));
        }
        self.raw_text(whole, span);
    }

    /// One warning a run of text is enough.
    fn raw_text(&mut self, whole: Span, piece: Span) {
        let Some(at) = raw_reference(self.growth.slice(piece)) else { return };
        if self.raw_text.replace(whole.start) != Some(whole.start) {
            let raw = Span::new(piece.range().start + at, piece.range().start + at + 1);
            self.growth.faults.warning(Code::W0007, |source| outside::raw_text(source, raw));
        }
    }

    fn text_outside(&mut self, span: Span) {
        let is_new =
            !matches!(self.growth.arena.asides.last(), Some(last) if last.kind == AsideKind::Outside);
        if is_new && self.outside == 0 {
            let root = self.growth.has_root().then(|| self.growth.arena.name(0));
            self.growth.faults.warning(Code::W0003, |source| outside::text(source, span, root));
        }
        self.growth.arena.aside(AsideKind::Outside, span, NONE);
    }

    fn cdata(&mut self, start: usize) {
        let is_outside = self.growth.current == NONE;
        if is_outside {
            self.text_outside(Span::new(start, self.at))
        } else {
            self.aside(AsideKind::CData, start)
        }
    }

    fn doctype(&mut self, start: usize) {
        let span = Span::new(start, self.at);
        self.growth.faults.error(|source| outside::doctype(source, span));
        self.growth.has_doctype = true;
        self.aside(AsideKind::Doctype, start);
    }

    /// What quick-xml cannot read: something that the text ends in, or `<!` before something odd.
    fn broken(&mut self, start: usize) {
        let rest = &self.growth.text[start..];
        let unclosed = [
            ("<!--", "a comment", "-->"),
            ("<![CDATA[", "a CDATA section", "]]>"),
            ("<!DOCTYPE", "a document type declaration", ">"),
            ("<?", "a processing instruction", "?>"),
        ];
        match unclosed.iter().find(|(open, ..)| rest.starts_with(open)) {
            Some(&(open, what, close)) => {
                let span = Span::new(start, start + open.len());
                self.growth.faults.fatal(|source| tag::truncated_inside(source, span, what, close));
                self.is_over = true;
            }
            None if rest.starts_with("<!") => self.bang(start),
            None if rest.starts_with("</") => self.end_tag(start),
            // Nothing that is broken after the root can matter: it is not read.
            None => {
                self.at = self.growth.text.len();
                self.is_over = true;
                self.second_root(start);
            }
        }
    }

    fn bang(&mut self, start: usize) {
        let bytes = self.growth.bytes();
        let end = skip(bytes, start, |byte| byte != b'>' && byte != b'\n');
        let end = if bytes.get(end) == Some(&b'>') { end + 1 } else { trim_end(bytes, end) };
        let span = Span::new(start, end);
        self.growth.faults.fatal(|source| tag::bang(source, span));
        self.at = end;
    }

    fn finish(mut self) -> Growth<'s> {
        if !self.growth.has_root() && self.growth.faults.is_usable() {
            self.growth.faults.fatal(bytes::empty);
        } else if self.is_whole {
            end_tag::end_of_text(&mut self.growth);
        }
        self.growth
    }
}

/// Where a piece of a run of text ends: before markup, and before and after what looks like a
/// reference.
fn piece_end(bytes: &[u8], start: usize) -> usize {
    let is_reference = bytes[start] == b'&';
    let is_inside = |byte| !(matches!(byte, b'&' | b'<') || is_reference && byte == b';');
    let end = skip(bytes, start + 1, is_inside);
    if is_reference && bytes.get(end) == Some(&b';') { end + 1 } else { end }
}

fn reader_at(text: &str, at: usize) -> Reader<&[u8]> {
    let mut reader = Reader::from_str(&text[at..]);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    reader
}
