//! Where outputs go that are too large to be handed on: whole, under the hash of their content.
//!
//! | file | noun |
//! |---|---|
//! | `store` | what a store of artifacts is, whatever keeps it |
//! | `memory` | the one that keeps them in memory, within bounds |

mod memory;
mod store;

pub use memory::MemoryArtifacts;
pub use store::{Artifact, ArtifactError, ArtifactId, ArtifactStore};
