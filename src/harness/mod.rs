//! What stands between a tool and the world.

mod fence;
mod file_state;
mod folder_loader;
mod foreseen;
mod lease;
mod process;
mod real_path;
mod root;
mod spawn;

pub use file_state::FileState;
pub use folder_loader::FolderLoader;
pub use foreseen::{Foreseen, Unforeseen, Written};
pub use lease::{Lease, LeaseLost};
pub use process::{Bound, End, Enforced, Hold, Listener, Process, ProcessLimits, Report, Used, run};
pub use real_path::real_path;
pub use root::{Found, Listing, Root, RootError, RootLock, RootPath};
pub use spawn::Launch;
