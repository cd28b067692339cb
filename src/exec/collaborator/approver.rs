//! Who says yes or no to a write.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;

use crate::call::Call;

/// Asked when a tool wants to write and says that this needs a confirmation. Whoever answers may
/// take long: the future is dropped when the call's deadline passes, and that is a no.
#[async_trait]
pub trait Approver: Send + Sync + 'static {
    /// Yes or no. It holds for exactly this request.
    async fn approve(&self, request: &WriteRequest) -> Approval;
}

/// What is to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteRequest {
    /// The call that wants to write.
    pub call: Arc<Call>,
    /// What would change, as a unified diff, when the tool can say.
    pub diff: Option<String>,
    /// The files that would change.
    pub paths: Vec<PathBuf>,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Approval {
    /// Write.
    Yes,
    /// Do not write.
    No {
        /// Why not.
        details: String,
    },
}

/// Nobody is there to ask: every write that needs a confirmation is denied.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeniesWrites;

#[async_trait]
impl Approver for DeniesWrites {
    async fn approve(&self, _: &WriteRequest) -> Approval {
        Approval::No { details: "nobody is there who could confirm the write".to_owned() }
    }
}
