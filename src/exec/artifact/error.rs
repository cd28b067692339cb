//! Why an artifact was not stored or not read.

use std::fmt;
use std::io;

use crate::diag::{Code, Diagnostic};
use crate::exec::artifact::ArtifactId;
use crate::harness::LeaseLost;
use crate::text::system_words;

/// Why an artifact was not stored or not read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArtifactError {
    /// The call is over.
    LeaseLost,
    /// There is no room, and nothing that may be evicted.
    Full {
        /// Bytes that were to be stored.
        bytes: usize,
        /// Bytes that the store keeps at most.
        bytes_max: u64,
    },
    /// It was never stored, or is evicted.
    Missing {
        /// The artifact.
        id: ArtifactId,
    },
    /// What lies under its name has another hash.
    Corrupt {
        /// The artifact.
        id: ArtifactId,
    },
    /// Another process kept the store to itself for too long.
    Busy,
    /// The folder of the store, or a file in it, failed.
    Folder {
        /// What was being done, and with what.
        doing: String,
        /// What the system said.
        why: String,
    },
    /// What keeps the store failed.
    Broken(String),
}

impl ArtifactError {
    pub(super) fn folder(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        |error| Self::Folder { doing: doing.into(), why: system_words(&error) }
    }

    /// Whether there is no such artifact.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing { .. })
    }
}

impl From<LeaseLost> for ArtifactError {
    fn from(_: LeaseLost) -> Self {
        Self::LeaseLost
    }
}

impl fmt::Display for ArtifactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeaseLost => LeaseLost.fmt(f),
            Self::Full { bytes, bytes_max } => {
                write!(
                    f,
                    "there is no room for {bytes} bytes in a store of {bytes_max}; all it holds is in use"
                )
            }
            Self::Missing { id } => {
                write!(f, "there is no artifact {id}: it was never stored here, or is evicted")
            }
            Self::Corrupt { id } => {
                write!(f, "the artifact {id} is damaged: what lies under its name has another hash")
            }
            Self::Busy => f.write_str("another process keeps the artifact store to itself"),
            Self::Folder { doing, why } => write!(f, "{doing} failed: {why}"),
            Self::Broken(why) => write!(f, "the artifact store failed: {why}"),
        }
    }
}

impl std::error::Error for ArtifactError {}

impl From<ArtifactError> for Diagnostic {
    fn from(error: ArtifactError) -> Self {
        let message = error.to_string();
        match error {
            ArtifactError::Missing { .. } => Self::new(Code::E0431, message)
                .help("`helve artifact` lists what there is; `--artifacts DIR` names another store."),
            ArtifactError::Corrupt { .. } => Self::new(Code::E0433, message)
                .note("every content is compared with its name when it is read")
                .help("Run the tool again: the store mends itself when the same content comes once more."),
            ArtifactError::Busy => {
                Self::new(Code::E0434, message).help("Try again; a stopped process may hold the lock.")
            }
            _ => Self::new(Code::E0434, message)
                .help("Name a folder that you may write to: `--artifacts DIR`."),
        }
    }
}
