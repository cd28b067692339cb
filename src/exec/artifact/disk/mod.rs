//! Artifacts in a folder, shared by all processes that use it.
//!
//! ```text
//! artifacts/
//!   3f/3f0c...      a content under its name; `3f0c....json` beside it says which tool made it
//!   tmp/            contents that are being written, each locked by its writer
//!   pins/           a file a process, locked by it: what it refers to
//!   lock            whoever adds or evicts holds it; it says how much there is
//! ```
//!
//! The locks are the system's own (`flock`), so a process that is killed lets go of them: nobody has to
//! guess whether the writer of a file or the owner of a pin is still there.
//!
//! | file | noun |
//! |---|---|
//! | `artifacts` | the store |
//! | `place` | where the folder is, and opening it |
//! | `folder` | the open folder: contents, records, eviction |
//! | `temporary` | a file that is being written |
//! | `pin_table` | the file of this process's pins, and reading everybody's |
//! | `lock` | the lock of the store |
//! | `record` | what is known of an artifact besides its content |

mod artifacts;
mod folder;
mod lock;
mod pin_table;
mod place;
mod record;
mod temporary;

pub use artifacts::{DiskArtifacts, Freed};
pub use record::ArtifactInfo;
