//! What a store of artifacts is, whatever keeps it.

use std::fmt;
use std::sync::Arc;

use crate::harness::{Lease, LeaseLost};

/// A store of whole contents under the hashes of them. To store is an effect like any other, so it
/// asks for a [`Lease`]: what a late call stores lands nowhere. The executor stores on a thread
/// that may block.
pub trait ArtifactStore: Send + Sync + 'static {
    /// Stores `content` under its hash, or finds it there already.
    ///
    /// # Errors
    /// When there is no room for it, the call is over, or what keeps the store says no.
    fn put(&self, content: &[u8], lease: &Lease) -> Result<ArtifactId, ArtifactError>;

    /// The content of that name; `None` when it was never stored or is evicted.
    ///
    /// # Errors
    /// What keeps the store says no.
    fn get(&self, id: &ArtifactId) -> Result<Option<Artifact>, ArtifactError>;
}

/// The content of an artifact. While one is held, the store does not evict it.
pub type Artifact = Arc<[u8]>;

/// The name of an artifact: 32 hexadecimal digits of the blake3 hash of its content. A model copies
/// it, so it is half as long as the whole hash; 128 bits still never meet by chance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArtifactId(Arc<str>);

impl ArtifactId {
    /// Digits of the name.
    const DIGITS: usize = 32;

    /// The name of `content`.
    pub fn of(content: &[u8]) -> Self {
        Self(blake3::hash(content).to_hex()[..Self::DIGITS].into())
    }

    /// The name that is written as `text`; `None` when no artifact can have it.
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
        (text.len() == Self::DIGITS && text.bytes().all(is_digit)).then(|| Self(text.into()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ArtifactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

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
        bytes_max: usize,
    },
    /// What keeps the store failed.
    Broken(String),
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
            Self::Broken(why) => write!(f, "the artifact store failed: {why}"),
        }
    }
}

impl std::error::Error for ArtifactError {}
