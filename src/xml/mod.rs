//! XML text to a [`Document`] in which everything knows its place.
//!
//! The bytes of a file become a [`Source`](crate::text::Source) ([`source_from_bytes`]), the source a
//! document and a list of faults ([`read`]). Reading does not stop at the first fault, and what the
//! dialect's reference reader accepts although it is no XML is read as that reader does, with a
//! warning. Nothing here recurses: nesting costs arena entries, never machine stack.
//!
//! | file | holds |
//! |---|---|
//! | `source` | bytes to text: byte order mark, encoding, binary files |
//! | `bounds` | [`XmlLimits`] |
//! | `reading` | the loop over the text: tags and text here, the rest by quick-xml |
//! | `start_tag` | one start tag with its attributes, scanned by hand |
//! | `unclosed` | where a value ends whose closing quote is missing |
//! | `end_tag` | end tags, and which element a wrong one was meant for |
//! | `reference` | `&amp;`, `&#10;` and line ends in values |
//! | `letters` | which bytes may stand where |
//! | `arena`, `growth` | the tree while it grows, and where in it the reader stands |
//! | `document`, `element`, `attribute`, `item` | the tree to read from |
//! | `print` | the canonical writer, which is what `helve fmt` does |
//! | `faults`, `fault` | the faults found so far, and the words for each |

mod arena;
mod attribute;
mod bounds;
mod document;
mod element;
mod end_tag;
mod fault;
mod faults;
mod growth;
mod item;
mod letters;
mod print;
mod reading;
mod reference;
mod source;
mod start_tag;
mod unclosed;

pub use attribute::{Attribute, Attributes};
pub use bounds::XmlLimits;
pub use document::{Document, ElementId};
pub use element::{Ancestors, Children, Element};
pub use item::{Item, Items};
pub use print::{print, same};
pub use reading::read;
pub use source::source_from_bytes;
