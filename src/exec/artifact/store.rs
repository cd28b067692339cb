//! What a store of artifacts is, whatever keeps it.

use std::fmt;
use std::sync::Arc;

use crate::call::ToolName;
use crate::exec::artifact::{ArtifactError, Pinned};
use crate::harness::Lease;

/// A store of whole contents under the hashes of them. To store is an effect like any other, so it
/// asks for a [`Lease`]: what a late call stores lands nowhere. The executor stores on a thread
/// that may block.
pub trait ArtifactStore: Send + Sync + 'static {
    /// Stores `content`, which `tool` made, under its hash, or finds it there already. It is pinned
    /// from the moment in which it lies there, so nothing comes between storing and pinning.
    ///
    /// # Errors
    /// When there is no room for it, the call is over, or what keeps the store says no.
    fn put(&self, content: &[u8], tool: &ToolName, lease: &Lease) -> Result<Pinned, ArtifactError>;

    /// The content of that name.
    ///
    /// # Errors
    /// [`ArtifactError::Missing`] when it was never stored or is evicted, [`ArtifactError::Corrupt`]
    /// when what lies there is something else, or what keeps the store says no.
    fn get(&self, id: &ArtifactId) -> Result<Artifact, ArtifactError>;
}

/// The content of an artifact.
pub type Artifact = Arc<[u8]>;

/// The name of an artifact: 32 hexadecimal digits of the blake3 hash of its content. A model copies
/// it, so it is half as long as the whole hash; 128 bits still never meet by chance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArtifactId(Arc<str>);

impl ArtifactId {
    /// Digits of the name.
    pub(super) const DIGITS: usize = 32;

    /// The name of `content`.
    pub fn of(content: &[u8]) -> Self {
        Self(blake3::hash(content).to_hex()[..Self::DIGITS].into())
    }

    /// The name that is written as `text`; `None` when no artifact can have it.
    pub fn parse(text: &str) -> Option<Self> {
        (text.len() == Self::DIGITS && is_digits(text)).then(|| Self(text.into()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a name of an artifact may hold or begin with `text`.
pub(super) fn is_digits(text: &str) -> bool {
    text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

impl fmt::Display for ArtifactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
