//! The names that elements are given: where they stand, for nearly all of them stand in a text that is
//! kept anyway. A hundred thousand texts of their own would take more room around them than in them.

use crate::limits::XML_BYTES_MAX;
use crate::text::{Source, Span};

/// The bit of a name that stands in no text.
const KEPT: u32 = 1 << 31;
const _: () = assert!(XML_BYTES_MAX < KEPT as usize);

/// Where a name is; the default is that of no name.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Name {
    start: u32,
    len: u32,
}

impl Name {
    /// A name that stands in a text.
    pub const fn at(span: Span) -> Self {
        Self { start: span.start, len: span.end - span.start }
    }
}

/// The names that stand in no text letter for letter.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    kept: String,
}

impl Names {
    /// Keeps a name.
    pub fn keep(&mut self, name: &str) -> Name {
        let span = Span::new(self.kept.len(), self.kept.len() + name.len());
        self.kept.push_str(name);
        Name { start: span.start | KEPT, ..Name::at(span) }
    }

    /// The name of an element of a text; `None` when it has none.
    pub fn get<'t>(&'t self, name: Name, source: &'t Source) -> Option<&'t str> {
        let start = name.start & !KEPT;
        let span = Span { start, end: start + name.len };
        match name {
            Name { len: 0, .. } => None,
            Name { start: KEPT.., .. } => Some(&self.kept[span.range()]),
            _ => Some(source.slice(span)),
        }
    }
}
