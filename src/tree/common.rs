//! The attributes that any element may have beside its ports.

use crate::xml::{Attribute, Element};

/// What one look at all attributes of an element finds. Most elements have a name and nothing else of
/// these, so that whoever reads a guard or a knob asks here first whether there is one at all.
#[derive(Clone, Copy)]
pub(super) struct Common<'c> {
    pub name: Option<Attribute<'c>>,
    pub id: Option<Attribute<'c>>,
    /// Whether there is one whose name begins with `_`.
    pub has_knobs: bool,
}

impl<'c> Common<'c> {
    pub fn of(element: Element<'c>) -> Self {
        let mut common = Self { name: None, id: None, has_knobs: false };
        for attribute in element.attributes() {
            match attribute.name() {
                "name" => common.name = Some(attribute),
                "ID" => common.id = Some(attribute),
                other => common.has_knobs |= other.starts_with('_'),
            }
        }
        common
    }
}
