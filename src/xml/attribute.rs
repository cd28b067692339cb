//! One attribute of an element.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;
use std::slice;

use super::arena::{AttributeData, Mark};
use super::document::Document;
use crate::text::Span;

/// One attribute; a number and a reference, cheap to copy.
#[derive(Clone, Copy)]
pub struct Attribute<'d> {
    document: &'d Document,
    data: &'d AttributeData,
}

impl<'d> Attribute<'d> {
    /// Its name.
    pub fn name(self) -> &'d str {
        self.document.source().slice(self.name_span())
    }

    /// Where its name stands.
    pub fn name_span(self) -> Span {
        self.data.name()
    }

    /// Its value: entities decoded, line ends as `\n`, nothing else changed. Most values have neither
    /// and are the text itself.
    pub fn value(self) -> &'d str {
        match self.document.arena().decoded_of(self.data) {
            None => self.document.source().slice(self.data.value),
            Some((value, _)) => value,
        }
    }

    /// Whether its value is what the text says, letter for letter.
    pub fn is_as_written(self) -> bool {
        !self.data.is_decoded()
    }

    /// Where its value stands, inside the quotes.
    pub fn value_span(self) -> Span {
        self.data.value
    }

    /// Where a piece of the decoded [`value`](Self::value) stands in the source: for errors inside
    /// scripts. A piece that touches an entity covers it whole; offsets past the end are cut off.
    pub fn span_in_value(self, decoded: Range<usize>) -> Span {
        let (value, marks) =
            self.document.arena().decoded_of(self.data).unwrap_or_else(|| (self.value(), &[]));
        let (start, end) = (decoded.start.min(value.len()), decoded.end.min(value.len()));
        let base = self.data.value.start as usize;
        if end <= start {
            let here = source_offset(marks, base, start, Edge::Start);
            return Span::new(here, here);
        }
        let (start, end) =
            (source_offset(marks, base, start, Edge::Start), source_offset(marks, base, end, Edge::End));
        Span::new(start, end)
    }
}

/// Which side of an entity an offset inside it goes to.
#[derive(Clone, Copy)]
enum Edge {
    Start,
    End,
}

/// Where the decoded offset `at` stands in the source, for a value that begins at `base`.
fn source_offset(marks: &[Mark], base: usize, at: usize, edge: Edge) -> usize {
    let before = match edge {
        Edge::Start => marks.partition_point(|mark| mark.decoded.start as usize <= at),
        Edge::End => marks.partition_point(|mark| (mark.decoded.start as usize) < at),
    };
    let Some(mark) = before.checked_sub(1).map(|last| &marks[last]) else {
        return base + at;
    };
    let (decoded, raw) = (mark.decoded.range(), mark.raw.range());
    match edge {
        Edge::Start if at < decoded.end => raw.start,
        Edge::End if at < decoded.end => raw.end,
        _ => raw.end + (at - decoded.end),
    }
}

impl fmt::Debug for Attribute<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={:?}", self.name(), self.value())
    }
}

/// The attributes of an element.
#[derive(Clone)]
pub struct Attributes<'d> {
    document: &'d Document,
    data: slice::Iter<'d, AttributeData>,
}

impl<'d> Attributes<'d> {
    pub(super) fn new(document: &'d Document, data: &'d [AttributeData]) -> Self {
        Self { document, data: data.iter() }
    }
}

impl<'d> Iterator for Attributes<'d> {
    type Item = Attribute<'d>;

    fn next(&mut self) -> Option<Attribute<'d>> {
        let document = self.document;
        self.data.next().map(|data| Attribute { document, data })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.data.size_hint()
    }
}

impl ExactSizeIterator for Attributes<'_> {}
impl FusedIterator for Attributes<'_> {}
