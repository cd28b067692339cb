//! What is known of an artifact besides its content.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::exec::artifact::ArtifactId;

/// An artifact of a store on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtifactInfo {
    /// Its name.
    pub id: ArtifactId,
    /// How large its content is.
    pub bytes: u64,
    /// The tool that made it first; `None` when that is not known any more.
    pub tool: Option<Arc<str>>,
    /// When it was stored, in milliseconds since 1970; when that is not known any more, when it was
    /// last used.
    pub stored_at_ms: u64,
    /// When it was last stored or read, in milliseconds since 1970.
    pub used_at_ms: u64,
    /// Whether a run that goes on refers to it.
    pub is_pinned: bool,
}

/// The file beside a content.
#[derive(Serialize, Deserialize)]
pub(super) struct Record {
    pub tool: Arc<str>,
    pub stored_at_ms: u64,
}
