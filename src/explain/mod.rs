//! A page for every diagnostic code: what it means, why, a wrong example and a right one.
//!
//! The pages are written once, in `src/docs/errors/`, and read by `helve explain`, by its `--json` and
//! by this documentation. A test runs every example: the wrong ones have the fault of their page and
//! no other, the right ones have none.
//!
//! A page begins with `## CODE slug` and one line that says what is wrong. The fence of an example
//! says what kind of text it is, `wrong` or `right`, and what is special about it: `also:CODE` is a
//! second fault that it cannot be without; `repeat:N` repeats what stands between `⟨` and `⟩`, where
//! `#n` is the number of the repetition and `#m` the next; `elements:N`, `nodes:N` and `includes:N`
//! lower a bound, so that an example of it fits on a page; `enum:NAME` makes a name stand for 1;
//! `in:FOLDER` is where a command is run.
//!
//! # The pages
#![doc = include_str!("../docs/errors/xml.md")]
#![doc = include_str!("../docs/errors/tree.md")]
#![doc = include_str!("../docs/errors/convert.md")]
#![doc = include_str!("../docs/errors/expression.md")]
#![doc = include_str!("../docs/errors/command.md")]
#![doc = include_str!("../docs/errors/tool.md")]
#![doc = include_str!("../docs/errors/permission.md")]

mod block;
mod page;
mod render;

pub use block::{Block, Example, Verdict};
pub use page::{Page, find, page, pages};
