//! Trees of several files.
//!
//! `<include path="lib/search.xml"/>`, directly under `<root>`, brings the trees of another file and
//! the models of its subtrees. The path is relative to the including file. The main tree of an
//! included file is ignored: what runs is what the outermost file says. Of trees with one ID the
//! last loaded stands, and a file is loaded after all that it includes: so it may replace a tree of
//! theirs, with a warning. A file that several others include is loaded once, at its first mention.
//!
//! A text reaches others through a [`Loader`](crate::loader::Loader) alone, which decides what may
//! be read; a text that is loaded without one includes nothing. How deep, how many and how large is
//! bounded by [`IncludeLimits`]. A circle, a file that is not there, one that lies outside: each is
//! a fault at the `<include>`, and the rest of all files is still checked.
//!
//! | file | holds |
//! |---|---|
//! | `bounds` | [`IncludeLimits`] |
//! | `includes` | [`Includes`]: the loader, the place of the main text, the bounds |
//! | `gather` | all documents of a tree, each after those that it includes |
//! | `request` | one `<include>` element |
//! | `fault` | the words for everything that can be wrong |
//! | `memory` | [`MemoryLoader`] |
//! | `sources` | [`Sources`]: the texts that were loaded, for a recording |

mod bounds;
mod fault;
mod gather;
mod includes;
mod memory;
mod request;
mod sources;

pub use bounds::IncludeLimits;
pub(super) use fault::{misplaced, unreadable};
pub use gather::{Documents, gather};
pub use includes::Includes;
pub use memory::MemoryLoader;
pub use sources::{SourceFile, Sources};
