//! Who the executor works with: each a trait with a default that does nothing.
//!
//! | file | noun |
//! |---|---|
//! | `callbacks` | who is asked before a tool runs and told when one fails |
//! | `permissions` | what is allowed, asked for and denied |
//! | `approver` | who says yes or no to a call |
//! | `checkpoint` | where files are kept as they were before a confirmed write |
//! | `event_log` | where every call leaves one entry |
//! | `collaborators` | all of them, as an executor is given them |

mod approver;
mod callbacks;
mod checkpoint;
mod collaborators;
mod event_log;
mod permissions;

pub use approver::{Approval, Approver, DeniesWrites, SaysYes, WriteRequest};
pub use callbacks::{Callbacks, HookAnswer, NoCallbacks};
pub use checkpoint::{
    Checkpoint, CheckpointError, CheckpointId, CheckpointStore, LaterChanges, NoCheckpoints,
};
pub use collaborators::Collaborators;
pub use event_log::{CallEntry, EventLog, NoEventLog};
pub use permissions::{DecidedBy, Decision, Permissions, ToolsOwnWord};
