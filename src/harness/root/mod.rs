//! A folder that paths cannot leave: the only way in which a tool that writes reaches files.

mod error;
mod folder;
mod lock;
mod path;
mod walk;
mod write;

pub use error::RootError;
pub use folder::Root;
pub use lock::RootLock;
pub use path::RootPath;
pub use walk::{Found, Listing};
