//! The tree while it grows, with the place in it that the reader has reached.

use std::ops::ControlFlow;

use super::arena::{Arena, NONE};
use super::bounds::XmlLimits;
use super::fault::bounds;
use super::faults::Faults;
use crate::text::Span;

/// What every part of the reader works on.
pub(super) struct Growth<'s> {
    pub text: &'s str,
    pub limits: &'s XmlLimits,
    pub faults: Faults<'s>,
    pub arena: Arena,
    /// The innermost open element, or [`NONE`].
    pub current: u32,
    /// How many elements are open.
    pub depth: usize,
    /// Open elements whose start tag had a fault that may have hidden a `/>`. That they are never
    /// closed is not reported again.
    pub doubtful: Vec<u32>,
    /// Whether the text tried to define entities.
    pub has_doctype: bool,
}

impl<'s> Growth<'s> {
    /// Nothing read yet.
    pub fn new(text: &'s str, limits: &'s XmlLimits, faults: Faults<'s>) -> Self {
        Self {
            text,
            limits,
            faults,
            arena: Arena::with_room(text.len()),
            current: NONE,
            depth: 0,
            doubtful: Vec::new(),
            has_doctype: false,
        }
    }

    pub fn bytes(&self) -> &'s [u8] {
        self.text.as_bytes()
    }

    /// The text under a span.
    pub fn slice(&self, span: Span) -> &'s str {
        &self.text[span.range()]
    }

    /// The name of an element.
    pub fn name(&self, id: u32) -> &'s str {
        self.slice(self.arena.name(id))
    }

    /// Whether the root was opened already.
    pub fn has_root(&self) -> bool {
        !self.arena.elements.is_empty()
    }

    /// Opens an element; breaks at a bound, after which reading must end.
    pub fn open(&mut self, start: usize, name: Span) -> ControlFlow<()> {
        if self.arena.elements.len() >= self.limits.elements {
            let limit = self.limits.elements;
            self.faults.fatal(|source| bounds::too_many_elements(source, name, limit));
            return ControlFlow::Break(());
        }
        if self.depth >= self.limits.depth {
            let limit = self.limits.depth;
            self.faults.fatal(|source| bounds::too_deep(source, name, limit));
            return ControlFlow::Break(());
        }
        self.current = self.arena.open(start, name.range().end, self.current);
        self.depth += 1;
        ControlFlow::Continue(())
    }

    /// Closes the innermost open element.
    pub fn close(&mut self, end: usize) {
        if self.doubtful.last() == Some(&self.current) {
            self.doubtful.pop();
        }
        self.current = self.arena.close(self.current, end);
        self.depth -= 1;
    }

    /// The open elements, innermost first.
    pub fn open_elements(&self) -> impl Iterator<Item = u32> + '_ {
        let parent = |&id: &u32| Some(self.arena.elements[id as usize].parent).filter(|&id| id != NONE);
        std::iter::successors(Some(self.current).filter(|&id| id != NONE), parent)
    }
}
