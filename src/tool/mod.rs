//! What a tool is: a manifest and an async call from JSON to JSON.
//!
//! A tool is tested without a tree. It sees its arguments and a [`CallContext`]: its token, the
//! time left, and the [`Lease`](crate::harness::Lease) without which it can change nothing.

mod context;
mod error;
mod function_schema;
pub(crate) mod panic;
mod registry;
mod typed;

pub use context::{CallContext, CancelToken, Notice, Notices, Silent};
pub use error::ToolError;
pub use function_schema::function_schema;
pub use registry::{Registry, RegistryError};
pub use typed::{Typed, TypedTool, schema_of};

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value as Json;

use crate::call::Arguments;
use crate::manifest::ToolManifest;

/// A tool: anything that turns a JSON object into a JSON value, and can say beforehand how.
///
/// Most tools are easier written as a [`TypedTool`].
#[async_trait]
pub trait Tool: Send + Sync + 'static {
    /// What the tool says of itself. It must not change while the tool lives.
    fn manifest(&self) -> &Arc<ToolManifest>;

    /// Does the work. The future is dropped at its next await point once the deadline has passed;
    /// work that does not await belongs into [`CallContext::blocking`].
    ///
    /// # Errors
    /// Whatever keeps the tool from its result, with a category and a next step.
    async fn call(&self, arguments: Arguments, cx: &CallContext) -> Result<Json, ToolError>;
}
