//! The tree while it grows: flat, in document order, without pointers.

use crate::text::Span;

/// No element: the parent of the root.
pub(super) const NONE: u32 = u32::MAX;

/// One element: 28 bytes.
#[derive(Debug)]
pub(super) struct ElementData {
    /// Offset of `<`.
    pub start: u32,
    /// End of the name, which begins after `<`.
    pub name_end: u32,
    /// After the `>` of the start tag.
    pub tag_end: u32,
    /// After the `>` of the end tag.
    pub end: u32,
    /// The element around it, or [`NONE`].
    pub parent: u32,
    /// The first element after its last descendant.
    pub next: u32,
    /// The first of its attributes; they end where those of the next element begin.
    pub attributes: u32,
}

/// One attribute: 16 bytes.
#[derive(Debug)]
pub(super) struct AttributeData {
    /// Offset of the name.
    name: u32,
    /// Length of the name, and [`DECODED`].
    name_len: u32,
    /// The value, inside the quotes.
    pub value: Span,
}

/// The bit of an attribute whose value is not what the text says letter for letter.
const DECODED: u32 = 1 << 31;

/// The longest text whose offsets leave that bit free.
pub(super) const TEXT_BYTES_MAX: usize = DECODED as usize - 1;

impl AttributeData {
    pub const fn new(name: Span, value: Span, is_decoded: bool) -> Self {
        let decoded = if is_decoded { DECODED } else { 0 };
        Self { name: name.start, name_len: (name.end - name.start) | decoded, value }
    }

    /// Where the name stands.
    pub const fn name(&self) -> Span {
        Span { start: self.name, end: self.name + (self.name_len & !DECODED) }
    }

    pub const fn is_decoded(&self) -> bool {
        self.name_len & DECODED != 0
    }
}

/// A value that is not what the text says letter for letter.
#[derive(Debug)]
pub(super) struct DecodedData {
    /// Where the value begins in the source, by which it is found.
    pub start: u32,
    /// Where it lies in [`Arena::decoded`].
    pub text: Span,
    /// The first of its marks; they end where those of the next value begin.
    pub marks: u32,
}

/// A piece of a decoded value whose length differs from what the text holds there.
#[derive(Debug)]
pub(super) struct Mark {
    /// The piece in the decoded value.
    pub decoded: Span,
    /// The piece in the source.
    pub raw: Span,
}

/// What kind of thing stands between the tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AsideKind {
    Comment,
    Text,
    CData,
    Instruction,
    Doctype,
    Outside,
}

/// Something that is no element.
#[derive(Debug)]
pub(super) struct Aside {
    pub kind: AsideKind,
    pub span: Span,
    /// The element around it, or [`NONE`].
    pub parent: u32,
    /// The number of the next element in the text.
    pub before: u32,
}

/// Everything read so far.
#[derive(Debug, Default)]
pub(super) struct Arena {
    pub elements: Vec<ElementData>,
    pub attributes: Vec<AttributeData>,
    pub asides: Vec<Aside>,
    pub decoded: String,
    pub values: Vec<DecodedData>,
    pub marks: Vec<Mark>,
}

/// An offset or a count as the arena stores it; texts are bounded so that both fit.
pub(super) fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// How much text there is for each element and for each attribute, at a guess: room for as many is made
/// at first, and nothing moves while a file of the usual kind is read.
const ELEMENT_BYTES: usize = 32;
const ATTRIBUTE_BYTES: usize = 16;

impl Arena {
    /// With room for what a text of this length holds.
    pub fn with_room(text_bytes: usize) -> Self {
        Self {
            elements: Vec::with_capacity(text_bytes / ELEMENT_BYTES),
            attributes: Vec::with_capacity(text_bytes / ATTRIBUTE_BYTES),
            ..Self::default()
        }
    }

    /// Adds an element whose end is not known yet, and returns its number.
    pub fn open(&mut self, start: usize, name_end: usize, parent: u32) -> u32 {
        let id = narrow(self.elements.len());
        self.elements.push(ElementData {
            start: narrow(start),
            name_end: narrow(name_end),
            tag_end: narrow(name_end),
            end: narrow(name_end),
            parent,
            next: id + 1,
            attributes: narrow(self.attributes.len()),
        });
        id
    }

    /// Says where an element ends, and returns its parent.
    pub fn close(&mut self, id: u32, end: usize) -> u32 {
        let next = narrow(self.elements.len());
        let element = &mut self.elements[id as usize];
        element.end = narrow(end);
        element.next = next;
        element.parent
    }

    /// Where the name of an element stands.
    pub fn name(&self, id: u32) -> Span {
        let element = &self.elements[id as usize];
        Span { start: element.start + 1, end: element.name_end }
    }

    /// Adds something that is no element. A run of text comes in pieces, which are joined here.
    pub fn aside(&mut self, kind: AsideKind, span: Span, parent: u32) {
        let before = narrow(self.elements.len());
        let joins = matches!(kind, AsideKind::Text | AsideKind::Outside);
        match self.asides.last_mut() {
            Some(last) if joins && last.kind == kind && last.before == before && last.parent == parent => {
                last.span.end = span.end;
            }
            _ => self.asides.push(Aside { kind, span, parent, before }),
        }
    }

    /// The attributes of an element.
    pub fn attributes_of(&self, id: u32) -> &[AttributeData] {
        let end = self.elements.get(id as usize + 1).map_or(self.attributes.len(), |e| e.attributes as usize);
        &self.attributes[self.elements[id as usize].attributes as usize..end]
    }

    /// The decoded value of an attribute with its marks; `None` when the text itself is the value.
    pub fn decoded_of(&self, attribute: &AttributeData) -> Option<(&str, &[Mark])> {
        if !attribute.is_decoded() {
            return None;
        }
        let at = self.values.binary_search_by_key(&attribute.value.start, |value| value.start).ok()?;
        let value = &self.values[at];
        let end = self.values.get(at + 1).map_or(self.marks.len(), |next| next.marks as usize);
        Some((&self.decoded[value.text.range()], &self.marks[value.marks as usize..end]))
    }

    /// Gives back what growing took too much.
    pub fn shrink(&mut self) {
        self.elements.shrink_to_fit();
        self.attributes.shrink_to_fit();
        self.asides.shrink_to_fit();
    }
}
