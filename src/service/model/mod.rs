//! What goes over the wire. These shapes are a promise: their golden files are in
//! `tests/data/service/`.

mod agent;
mod definition;
mod error;
mod limits;
mod metadata;
mod options;
mod request;
mod response;
mod status;
mod task_id;

pub use agent::AgentIdentity;
pub use definition::{ToolDefinition, ToolFilter};
pub use error::{ErrorCode, ServiceError};
pub use limits::ResourceLimits;
pub(super) use limits::{Voices, within};
pub use metadata::{Enforcement, ExecutionMetadata, ResourcesUsed};
pub use options::{ExecutionOptions, RetryOptions, WhenFull};
pub use request::{InvokeRequest, LATEST};
pub use response::{ArtifactReference, InvokeResponse, ToolResult};
pub use status::ToolStatus;
pub use task_id::TaskId;
