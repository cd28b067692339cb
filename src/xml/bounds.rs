//! The bounds of one reading.

use crate::limits;

/// What a text may cost to read. The defaults are the crate's [`limits`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XmlLimits {
    /// Largest text, in bytes.
    pub bytes: usize,
    /// Deepest nesting of elements; the root stands at depth 1.
    pub depth: usize,
    /// Most elements.
    pub elements: usize,
    /// Most attributes on one element.
    pub attributes: usize,
    /// Longest attribute value, in bytes as written.
    pub value_bytes: usize,
    /// Longest run of text between two tags, in bytes as written.
    pub text_bytes: usize,
}

impl Default for XmlLimits {
    fn default() -> Self {
        Self {
            bytes: limits::XML_BYTES_MAX,
            depth: limits::XML_DEPTH_MAX,
            elements: limits::XML_ELEMENTS_MAX,
            attributes: limits::XML_ATTRIBUTES_MAX,
            value_bytes: limits::XML_VALUE_BYTES_MAX,
            text_bytes: limits::XML_TEXT_BYTES_MAX,
        }
    }
}
