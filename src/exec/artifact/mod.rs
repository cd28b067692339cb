#![doc = include_str!("../../docs/artifacts.md")]
//!
//! # The files
//!
//! | file | noun |
//! |---|---|
//! | `store` | what a store of artifacts is, whatever keeps it |
//! | `error` | why an artifact was not stored or not read |
//! | `pin` | what keeps an artifact from being evicted |
//! | `evict` | what has to leave a store: the rule alone |
//! | `memory` | the store that keeps them in memory |
//! | `disk/` | the store that keeps them in a folder |

mod disk;
mod error;
mod evict;
mod memory;
mod pin;
mod store;

pub use disk::{ArtifactInfo, DiskArtifacts, Freed};
pub use error::ArtifactError;
pub use evict::ArtifactLimits;
pub use memory::MemoryArtifacts;
pub(crate) use pin::Pins;
pub use pin::{Pin, Pinned};
pub use store::{Artifact, ArtifactId, ArtifactStore};
