//! The attributes of an element, sorted in one look.

use crate::catalog::PortManifest;
use crate::xml::{Attribute, Element};

/// What an element has beside its ports. Most have a name and nothing else of these, so that whoever
/// reads guards and knobs, or tells of what is unknown, asks here first whether there is any.
#[derive(Clone, Copy, Default)]
pub(super) struct Reserved<'c> {
    pub name: Option<Attribute<'c>>,
    pub id: Option<Attribute<'c>>,
    /// Whether there is one whose name begins with `_`.
    pub has_knobs: bool,
    /// Whether there is one that is nothing of all this.
    pub has_others: bool,
}

impl<'c> Reserved<'c> {
    /// Looks at all attributes; those of ports are put into `by_port`, by the port's number.
    pub fn of(
        element: Element<'c>,
        ports: &[PortManifest],
        by_port: &mut Vec<Option<Attribute<'c>>>,
    ) -> Self {
        by_port.clear();
        by_port.resize(ports.len(), None);
        let mut reserved = Self::default();
        for attribute in element.attributes() {
            let name = attribute.name();
            let mut is_port = false;
            for (port, place) in ports.iter().zip(&mut *by_port) {
                if port.name == name {
                    *place = Some(attribute);
                    is_port = true;
                }
            }
            match name {
                "name" => reserved.name = Some(attribute),
                "ID" => reserved.id = Some(attribute),
                _ if name.starts_with('_') => reserved.has_knobs = true,
                _ => reserved.has_others |= !is_port,
            }
        }
        reserved
    }
}
