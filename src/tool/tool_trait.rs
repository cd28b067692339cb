//! The trait that every tool implements.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value as Json;

use crate::call::Arguments;
use crate::manifest::ToolManifest;
use crate::tool::{CallContext, ToolError};

/// A tool: anything that turns a JSON object into a JSON value, and can say beforehand how.
///
/// Most tools are easier written as a [`TypedTool`](crate::tool::TypedTool).
#[async_trait]
pub trait Tool: Send + Sync + 'static {
    /// What the tool says of itself. It must not change while the tool lives.
    fn manifest(&self) -> &Arc<ToolManifest>;

    /// Does the work. Once the deadline has passed the token of the context is cancelled, and the
    /// outcome waits a moment for the tool to end by itself; then the future is dropped at its next
    /// await point. Work that does not await belongs into [`CallContext::blocking`].
    ///
    /// # Errors
    /// Whatever keeps the tool from its result, with a category and a next step.
    async fn call(&self, arguments: Arguments, cx: &CallContext) -> Result<Json, ToolError>;
}
