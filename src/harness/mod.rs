//! What stands between a tool and the world.

mod folder_loader;
mod lease;
mod root;

pub use folder_loader::FolderLoader;
pub use lease::{Lease, LeaseLost};
pub use root::{Found, Listing, Root, RootError, RootPath};
