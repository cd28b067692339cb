//! Who says yes or no to a call.

use std::sync::Arc;

use async_trait::async_trait;

use crate::call::Call;
use crate::exec::collaborator::DecidedBy;
use crate::exec::confirm::{ApprovalKey, Diff};
use crate::manifest::Effects;
use crate::tool::FileChange;

/// Asked when the rules want a yes for a call. Whoever answers may take long: the future is dropped
/// when the call is no longer wanted, when its turn's time is spent, or after
/// [`APPROVAL_WAIT_MAX`](crate::limits::APPROVAL_WAIT_MAX), and each of these is a no.
#[async_trait]
pub trait Approver: Send + Sync + 'static {
    /// Yes or no. It holds for exactly this request: the tool, the arguments, and the files as they
    /// stand. Should one of them change before the call has run, it is asked again.
    async fn approve(&self, request: &WriteRequest) -> Approval;
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteRequest {
    /// The call, with the arguments as the tool gets them.
    pub call: Arc<Call>,
    /// What the tool does to the world.
    pub effects: Effects,
    /// Why somebody is asked.
    pub asked_by: DecidedBy,
    /// The files that would change; `None` for a tool that cannot say.
    pub changes: Option<Arc<[FileChange]>>,
    /// The same as a unified diff.
    pub diff: Option<Diff>,
    /// What a yes holds for.
    pub key: ApprovalKey,
    /// How often this call has been asked for, from 1. More than 1: its files changed meanwhile.
    pub round: u32,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Approval {
    /// Write.
    Yes {
        /// Who says so.
        by: Arc<str>,
    },
    /// Do not write.
    No {
        /// Who says so.
        by: Arc<str>,
        /// Why not.
        details: String,
        /// What to do next.
        hint: Option<String>,
    },
}

/// Nobody is there to ask: every call that needs a yes is denied.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeniesWrites;

#[async_trait]
impl Approver for DeniesWrites {
    async fn approve(&self, _: &WriteRequest) -> Approval {
        Approval::No {
            by: "the executor, which has no approver".into(),
            details: "nobody is there who could say yes".to_owned(),
            hint: Some("give the executor an approver, or let the turn allow writes".to_owned()),
        }
    }
}

/// Says yes to everything that it is asked for.
#[derive(Clone, Debug)]
pub struct SaysYes {
    /// Who that is.
    pub by: Arc<str>,
}

#[async_trait]
impl Approver for SaysYes {
    async fn approve(&self, _: &WriteRequest) -> Approval {
        Approval::Yes { by: self.by.clone() }
    }
}
