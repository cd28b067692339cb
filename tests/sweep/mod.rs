//! What must be absent from the sources, as rules over their text.

mod code;
mod floors;
mod rules;
mod shape;

pub use rules::breaches;

/// One place that breaks a rule.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Breach {
    pub path: String,
    /// From 1.
    pub line: usize,
    /// The sentence that it breaks.
    pub says: String,
}
