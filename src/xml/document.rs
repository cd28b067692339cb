//! A read text.

use std::fmt;
use std::sync::Arc;

use super::arena::Arena;
use super::element::Element;
use super::item::Items;
use crate::text::Source;

/// An XML text, read: a flat arena in document order, with the source that its spans point into.
///
/// Only [`read`](super::read) makes one, and only with a root, so [`root`](Self::root) always answers.
pub struct Document {
    source: Arc<Source>,
    arena: Arena,
}

/// The number of an element in its document, from 0 in document order; the root is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementId(pub(super) u32);

impl ElementId {
    /// The number as an index, for tables that hold something for every element.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Document {
    /// The document of an arena with a root.
    pub(super) fn new(source: Arc<Source>, arena: Arena) -> Self {
        assert!(!arena.elements.is_empty(), "a document has a root");
        Self { source, arena }
    }

    pub(super) fn arena(&self) -> &Arena {
        &self.arena
    }

    /// The text that all spans point into.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The outermost element.
    pub fn root(&self) -> Element<'_> {
        self.element(ElementId(0))
    }

    /// How many elements there are, the root included.
    #[expect(clippy::len_without_is_empty, reason = "a document always has a root")]
    pub fn len(&self) -> usize {
        self.arena.elements.len()
    }

    /// The element of that number.
    ///
    /// # Panics
    ///
    /// When the number is of another document and this one has fewer elements.
    pub fn element(&self, id: ElementId) -> Element<'_> {
        assert!(id.index() < self.len(), "element {} of a document of {}", id.0, self.len());
        Element::new(self, id.0)
    }

    /// Every element in document order, each before its children.
    pub fn elements(&self) -> impl ExactSizeIterator<Item = Element<'_>> + DoubleEndedIterator + Clone {
        (0..self.arena.elements.len()).map(|index| Element::new(self, super::arena::narrow(index)))
    }

    /// Everything in the order of the text: tags, comments, text, CDATA, instructions. What lies
    /// between two items is blank.
    pub fn items(&self) -> Items<'_> {
        Items::new(self)
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Document({}, {} elements)", self.source.name(), self.len())
    }
}
