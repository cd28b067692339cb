//! What a tool is: a manifest and an async call from JSON to JSON.
//!
//! A tool is tested without a tree. It sees its arguments and a [`CallContext`]: its token, the
//! time left, and the [`Lease`](crate::harness::Lease) without which it can change nothing.

mod account;
mod context;
mod error;
mod function_schema;
mod late;
pub(crate) mod panic;
mod preview;
mod registry;
mod scope;
mod token;
mod tool_trait;
mod typed;

pub use account::{Account, Allowance, Sandbox, Spent};
pub(crate) use context::{Around, Services, TurnSide};
pub use context::{CallContext, Notice, Notices, Silent};
pub use error::ToolError;
pub use function_schema::function_schema;
pub use preview::{FileChange, Preview};
pub use registry::{Registry, RegistryError};
pub use scope::{AgentContext, CallScope, PermissionMode};
pub use token::CancelToken;
pub use tool_trait::Tool;
pub use typed::{Typed, TypedTool, schema_of};
