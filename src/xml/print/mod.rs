//! The canonical writer: one form for every tree file, with what its author chose kept.
//!
//! What is kept: the order of everything, comments (those at the end of a line stay there), one
//! blank line where there were some between two things, how a value is spelled where XML allows that
//! spelling (`&gt;` or `>`, `&#10;` or a line break), CDATA sections, processing instructions and the
//! XML declaration to the letter.
//!
//! What is made one:
//!
//! - line ends are `\n`, the text ends with one, there is no byte order mark;
//! - two blanks a level, up to [`XML_INDENT_LEVELS_MAX`](crate::limits::XML_INDENT_LEVELS_MAX);
//! - one element, comment or instruction a line; an element that holds one text or CDATA section
//!   and nothing else keeps it in its line;
//! - a start tag that is wider than [`XML_LINE_COLUMNS`](crate::limits::XML_LINE_COLUMNS) has one
//!   attribute a line, the first beside the name and the others below it;
//! - `<A></A>` is `<A/>`; values stand in `"` unless they hold one.
//!
//! What is read although it is no XML is written as XML: raw `<` and `&` become `&lt;` and `&amp;`,
//! what stands outside the root becomes a comment, for the field's reader ignores it, and `--`
//! inside a comment becomes `- -`, a longer run of dashes as many `=`.
//!
//! | file | holds |
//! |---|---|
//! | `layout` | [`print`]: which thing stands on which line |
//! | `tag` | a start tag on one line or several |
//! | `markup` | values and text as XML spells them |
//! | `comment` | comments, moved and mended |
//! | `same` | [`same`]: whether two documents say the same |

mod comment;
mod layout;
mod markup;
mod same;
mod tag;

pub(super) use comment::is_broken as is_broken_comment;
pub use layout::print;
pub use same::same;
