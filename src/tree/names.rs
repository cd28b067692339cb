//! The names that elements are given, behind each other in one text: a hundred thousand texts of their
//! own would take more room around them than in them.

use crate::text::Span;

/// Names, each known by its place.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    text: String,
}

impl Names {
    /// Keeps a name, and says where. An empty one is none.
    pub fn add(&mut self, name: &str) -> Span {
        let start = self.text.len();
        self.text.push_str(name);
        Span::new(start, self.text.len())
    }

    /// The name of that place; `None` for an empty one.
    pub fn get(&self, place: Span) -> Option<&str> {
        (!place.is_empty()).then(|| &self.text[place.range()])
    }
}
