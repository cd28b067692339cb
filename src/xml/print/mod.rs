//! The canonical writer: one form for every tree file, with what its author chose kept. The rules
//! stand in `docs/format.md`, which is the documentation of [`print`].
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
