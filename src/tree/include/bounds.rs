//! The bounds of one gathering.

use crate::limits;

/// What the included texts of one tree may cost. The defaults are the crate's [`limits`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncludeLimits {
    /// Longest chain of includes.
    pub depth: usize,
    /// Most texts, the main one included.
    pub files: usize,
    /// Most `<include>` elements in all texts together.
    pub elements: usize,
    /// Most bytes of all texts together.
    pub bytes: usize,
}

impl IncludeLimits {
    /// No bound: for texts that were loaded once under bounds, and are all at hand.
    pub(super) const NONE: Self =
        Self { depth: usize::MAX, files: usize::MAX, elements: usize::MAX, bytes: usize::MAX };
}

impl Default for IncludeLimits {
    fn default() -> Self {
        Self {
            depth: limits::INCLUDE_DEPTH_MAX,
            files: limits::INCLUDE_FILES_MAX,
            elements: limits::INCLUDE_ELEMENTS_MAX,
            bytes: limits::INCLUDE_BYTES_MAX,
        }
    }
}
