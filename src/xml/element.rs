//! One element of a document.

use std::fmt;
use std::iter::FusedIterator;

use super::arena::{AsideKind, ElementData, NONE};
use super::attribute::{Attribute, Attributes};
use super::document::{Document, ElementId};
use crate::text::Span;

/// One element; a number and a reference, cheap to copy.
#[derive(Clone, Copy)]
pub struct Element<'d> {
    document: &'d Document,
    id: u32,
}

impl<'d> Element<'d> {
    pub(super) const fn new(document: &'d Document, id: u32) -> Self {
        Self { document, id }
    }

    fn data(self) -> &'d ElementData {
        &self.document.arena().elements[self.id as usize]
    }

    /// Its number.
    pub const fn id(self) -> ElementId {
        ElementId(self.id)
    }

    /// The document it belongs to.
    pub const fn document(self) -> &'d Document {
        self.document
    }

    /// Its name.
    pub fn name(self) -> &'d str {
        self.document.source().slice(self.name_span())
    }

    /// Where its name stands in the start tag.
    pub fn name_span(self) -> Span {
        self.document.arena().name(self.id)
    }

    /// From `<` to `>` of the start tag.
    pub fn start_tag_span(self) -> Span {
        Span { start: self.data().start, end: self.data().tag_end }
    }

    /// From `<` to `>` of the end tag; empty for `<A/>`.
    pub fn end_tag_span(self) -> Span {
        let inside = Span { start: self.data().tag_end, end: self.data().end };
        let start = self.document.source().slice(inside).rfind('<').unwrap_or_default();
        Span { start: inside.start + super::arena::narrow(start), end: inside.end }
    }

    /// From `<` of the start tag to `>` of the end tag.
    pub fn span(self) -> Span {
        Span { start: self.data().start, end: self.data().end }
    }

    /// Its attributes, in the order of the text. No two have one name.
    pub fn attributes(self) -> Attributes<'d> {
        Attributes::new(self.document, self.document.arena().attributes_of(self.id))
    }

    /// The attribute of that name.
    pub fn attribute(self, name: &str) -> Option<Attribute<'d>> {
        self.attributes().find(|attribute| attribute.name() == name)
    }

    /// The elements directly inside, in the order of the text.
    pub fn children(self) -> Children<'d> {
        Children { document: self.document, next: self.id + 1, end: self.data().next }
    }

    /// It and every element inside it, in document order: each before its children.
    pub fn and_inside(self) -> impl ExactSizeIterator<Item = Self> + Clone {
        let document = self.document;
        (self.id..self.data().next).map(move |id| Self::new(document, id))
    }

    /// The element around it; `None` for the root.
    pub fn parent(self) -> Option<Self> {
        let parent = self.data().parent;
        (parent != NONE).then(|| Self::new(self.document, parent))
    }

    /// The elements around it, from the inside out.
    pub fn ancestors(self) -> Ancestors<'d> {
        Ancestors { next: self.parent() }
    }

    /// The runs of text directly inside it, as they stand in the source.
    pub fn texts(self) -> impl Iterator<Item = Span> + 'd {
        let (id, next) = (self.id, self.data().next);
        let asides = &self.document.arena().asides;
        let first = asides.partition_point(|aside| aside.before <= id);
        (asides[first..].iter())
            .take_while(move |aside| aside.before <= next)
            .filter(move |aside| aside.kind == AsideKind::Text && aside.parent == id)
            .map(|aside| aside.span)
    }

    /// The comments that stand before it, after its elder sibling or its parent's start tag: those
    /// that a reader takes as being about it. Each span lies inside `<!--` and `-->`.
    pub fn comments(self) -> impl Iterator<Item = Span> + 'd {
        let (id, parent) = (self.id, self.data().parent);
        let asides = &self.document.arena().asides;
        let first = asides.partition_point(|aside| aside.before < id);
        (asides[first..].iter())
            .take_while(move |aside| aside.before == id)
            .filter(move |aside| aside.kind == AsideKind::Comment && aside.parent == parent)
            .map(|aside| Span { start: aside.span.start + 4, end: aside.span.end - 3 })
    }
}

impl PartialEq for Element<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.document, other.document) && self.id == other.id
    }
}

impl Eq for Element<'_> {}

impl fmt::Debug for Element<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}> #{}", self.name(), self.id)
    }
}

/// The elements directly inside one.
#[derive(Clone)]
pub struct Children<'d> {
    document: &'d Document,
    next: u32,
    end: u32,
}

impl<'d> Iterator for Children<'d> {
    type Item = Element<'d>;

    fn next(&mut self) -> Option<Element<'d>> {
        (self.next < self.end).then(|| {
            let child = Element::new(self.document, self.next);
            self.next = child.data().next;
            child
        })
    }
}

impl FusedIterator for Children<'_> {}

/// The elements around one, from the inside out.
#[derive(Clone)]
pub struct Ancestors<'d> {
    next: Option<Element<'d>>,
}

impl<'d> Iterator for Ancestors<'d> {
    type Item = Element<'d>;

    fn next(&mut self) -> Option<Element<'d>> {
        let here = self.next?;
        self.next = here.parent();
        Some(here)
    }
}

impl FusedIterator for Ancestors<'_> {}
