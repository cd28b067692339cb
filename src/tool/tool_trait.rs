//! The trait that every tool implements.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value as Json;

use crate::call::Arguments;
use crate::manifest::ToolManifest;
use crate::tool::{Allowance, CallContext, ToolError};

/// A tool: anything that turns a JSON object into a JSON value, and can say beforehand how.
///
/// Most tools are easier written as a [`TypedTool`](crate::tool::TypedTool).
#[async_trait]
pub trait Tool: Send + Sync + 'static {
    /// What the tool says of itself. It must not change while the tool lives.
    fn manifest(&self) -> &Arc<ToolManifest>;

    /// What the tool lets one call take of the machine, where its backend can enforce that.
    fn allowance(&self) -> Allowance {
        Allowance::default()
    }

    /// Does the work. The future is dropped at its next await point once the deadline has passed;
    /// work that does not await belongs into [`CallContext::blocking`].
    ///
    /// # Errors
    /// Whatever keeps the tool from its result, with a category and a next step.
    async fn call(&self, arguments: Arguments, cx: &CallContext) -> Result<Json, ToolError>;
}
