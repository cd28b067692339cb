//! What stands between a tool and the world.

mod file_state;
mod folder_loader;
mod foreseen;
mod lease;
mod process;
mod root;
mod spawn;

pub use file_state::FileState;
pub use folder_loader::FolderLoader;
pub use foreseen::{Foreseen, Unforeseen};
pub use lease::{Lease, LeaseLost};
pub use process::{Bound, End, Enforced, Hold, Listener, Process, ProcessLimits, Report, Used, run};
pub use root::{Found, Listing, Root, RootError, RootLock, RootPath};
pub use spawn::Launch;
