//! What stands between a tool and the world.

mod lease;
mod root;

pub use lease::{Lease, LeaseLost};
pub use root::{Found, Listing, Root, RootError, RootPath};
