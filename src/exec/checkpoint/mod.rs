//! Files as they were before a write, kept in a folder.
//!
//! ```text
//! .helve/checkpoints/
//!   lock                     held by whoever changes something here
//!   entries/000012.json      one checkpoint: what, when, who, which files
//!   content/<blake3 hash>    what files held, each content once
//! ```
//!
//! Every file is written whole under another name and renamed, contents before the entry that names
//! them; so whatever ends the process, an entry that is there can be restored. The folder is bounded
//! by count and by bytes, the oldest go first, and with them the contents that nobody names any more.
//!
//! | file | noun |
//! |---|---|
//! | `entry` | one checkpoint as a file |
//! | `folder` | the folder: entries and contents, and its bounds |
//! | `kept` | what people are told of a checkpoint |
//! | `undo` | bringing files back |
//! | `store` | the folder as the executor's collaborator |

mod entry;
mod folder;
mod kept;
mod store;
mod undo;

pub use kept::{Kept, KeptFile, Standing};
pub use store::FolderCheckpoints;
pub use undo::{Undo, UndoError};
