//! What stands between a tool and the world.

mod lease;

pub use lease::{Lease, LeaseLost};
