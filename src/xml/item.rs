//! Everything in a document, in the order of the text.

use std::iter::FusedIterator;

use super::arena::{Aside, AsideKind, NONE};
use super::document::Document;
use super::element::Element;
use crate::text::Span;

/// One thing in the text. The spans cover it with its delimiters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item<'d> {
    /// A start tag, or a whole `<A/>`.
    Open(Element<'d>),
    /// An end tag; it comes after `<A/>` too, with an empty span.
    Close(Element<'d>),
    /// `<!-- -->`.
    Comment(Span),
    /// A run of text that is not blank, without the blanks before it.
    Text(Span),
    /// `<![CDATA[ ]]>`.
    CData(Span),
    /// `<? ?>`, the XML declaration included.
    Instruction(Span),
    /// `<!DOCTYPE >`, which is refused but kept.
    Doctype(Span),
    /// Text or elements outside the root, which are ignored.
    Outside(Span),
}

impl Item<'_> {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Self::Open(element) => element.start_tag_span(),
            Self::Close(element) => element.end_tag_span(),
            Self::Comment(span)
            | Self::Text(span)
            | Self::CData(span)
            | Self::Instruction(span)
            | Self::Doctype(span)
            | Self::Outside(span) => *span,
        }
    }
}

/// The items of a document. End tags are not stored: an element ends when what comes next in the
/// text stands outside it, so memory is spent on what people write and not on tags.
#[derive(Clone)]
pub struct Items<'d> {
    document: &'d Document,
    element: u32,
    aside: usize,
    inside: u32,
}

impl<'d> Items<'d> {
    pub(super) const fn new(document: &'d Document) -> Self {
        Self { document, element: 0, aside: 0, inside: NONE }
    }

    /// The aside that comes before the next element, if one does.
    fn next_aside(&self) -> Option<&'d Aside> {
        let aside = self.document.arena().asides.get(self.aside)?;
        (aside.before <= self.element).then_some(aside)
    }
}

impl<'d> Iterator for Items<'d> {
    type Item = Item<'d>;

    fn next(&mut self) -> Option<Item<'d>> {
        let aside = self.next_aside();
        let element = self.document.arena().elements.get(self.element as usize);
        let around =
            aside.map(|aside| aside.parent).or(element.map(|element| element.parent)).unwrap_or(NONE);
        if around != self.inside {
            let closed = Element::new(self.document, self.inside);
            self.inside = closed.parent().map_or(NONE, |parent| parent.id().0);
            return Some(Item::Close(closed));
        }
        if let Some(aside) = aside {
            self.aside += 1;
            return Some(item(aside));
        }
        element?;
        self.inside = self.element;
        self.element += 1;
        Some(Item::Open(Element::new(self.document, self.inside)))
    }
}

impl FusedIterator for Items<'_> {}

fn item<'d>(aside: &Aside) -> Item<'d> {
    match aside.kind {
        AsideKind::Comment => Item::Comment(aside.span),
        AsideKind::Text => Item::Text(aside.span),
        AsideKind::CData => Item::CData(aside.span),
        AsideKind::Instruction => Item::Instruction(aside.span),
        AsideKind::Doctype => Item::Doctype(aside.span),
        AsideKind::Outside => Item::Outside(aside.span),
    }
}
