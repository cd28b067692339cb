//! What stands between a tool and the world.

mod folder_loader;
mod lease;
mod process;
mod root;
mod spawn;

pub use folder_loader::FolderLoader;
pub use lease::{Lease, LeaseLost};
pub use process::{Bound, End, Enforced, Hold, Listener, Process, ProcessLimits, Report, Used, run};
pub use root::{Found, Listing, Root, RootError, RootPath};
pub use spawn::Launch;
