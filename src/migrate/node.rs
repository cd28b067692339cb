//! A node in its two spellings, and the names that changed.

use super::edit::Edits;
use crate::text::Span;
use crate::xml::{Attribute, Element};

/// Names that only changed.
const RENAMED: [(&str, &str); 2] =
    [("SequenceStar", "SequenceWithMemory"), ("RetryUntilSuccesful", "RetryUntilSuccessful")];

/// Nodes that version 4 does not have, with what to do instead.
const REMOVED: [(&str, &str); 3] = [
    ("ManualSelector", "Let a `Switch2` .. `Switch6` choose by a key that is set from outside."),
    ("FallbackStar", "Write `Fallback` if it shall go on at the child that was running."),
    ("ParallelNode", "Write `Parallel` with `success_count` and `failure_count`."),
];

/// Ports that only changed their names: node, old, new.
const PORTS_RENAMED: [(&str, &str, &str); 3] = [
    ("Parallel", "success_threshold", "success_count"),
    ("Parallel", "failure_threshold", "failure_count"),
    ("Parallel", "threshold", "success_count"),
];

/// The name that version 4 has for a node.
pub(super) fn renamed(kind: &str) -> Option<&'static str> {
    RENAMED.iter().find(|(old, _)| *old == kind).map(|&(_, new)| new)
}

/// What to do about a node that version 4 does not have.
pub(super) fn removed(kind: &str) -> Option<&'static str> {
    REMOVED.iter().find(|(old, _)| *old == kind).map(|&(_, instead)| instead)
}

/// The name that version 4 has for a port.
pub(super) fn renamed_port(kind: &str, port: &str) -> Option<&'static str> {
    PORTS_RENAMED.iter().find(|(node, old, _)| *node == kind && *old == port).map(|&(.., new)| new)
}

/// An element that is a node of a tree.
#[derive(Clone, Copy)]
pub(super) struct Node<'d> {
    pub element: Element<'d>,
    /// The attribute that names its kind, for `<Action ID="Kind"/>`; `None` for `<Kind/>`.
    id: Option<Attribute<'d>>,
}

impl<'d> Node<'d> {
    pub fn new(element: Element<'d>) -> Self {
        let is_explicit = matches!(element.name(), "Action" | "Condition" | "Control" | "Decorator");
        Self { element, id: if is_explicit { element.attribute("ID") } else { None } }
    }

    /// What kind of node it is.
    pub fn kind(self) -> &'d str {
        self.id.map_or(self.element.name(), Attribute::value)
    }

    /// Where the kind stands.
    pub fn span(self) -> Span {
        self.id.map_or(self.element.name_span(), Attribute::value_span)
    }

    /// Whether the kind is the name of the element.
    pub fn is_compact(self) -> bool {
        self.id.is_none()
    }

    /// The attributes that are neither its kind nor its name.
    pub fn ports(self) -> impl Iterator<Item = Attribute<'d>> {
        self.element.attributes().filter(|it| !matches!(it.name(), "ID" | "name"))
    }

    /// Gives it another kind.
    pub fn rename(self, kind: &str, edits: &mut Edits) {
        edits.replace(self.span(), kind);
        let end = self.element.end_tag_span();
        if self.is_compact() && !end.is_empty() {
            let start = end.range().start + "</".len();
            edits.replace(Span::new(start, start + self.element.name().len()), kind);
        }
    }
}

/// The key that a value points to: `{key}`, or `${key}` as version 3 allowed.
pub(super) fn pointer(value: &str) -> Option<&str> {
    let value = value.trim_ascii();
    let inside = value.strip_prefix('$').unwrap_or(value).strip_prefix('{')?.strip_suffix('}')?;
    (!inside.is_empty()).then_some(inside)
}
