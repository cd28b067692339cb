//! The trait that every tool implements.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value as Json;

use crate::call::Arguments;
use crate::manifest::ToolManifest;
use crate::tool::{Allowance, CallContext, Preview, ToolError};

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

    /// Does the work. Once the deadline has passed the token of the context is cancelled, and the
    /// outcome waits a moment for the tool to end by itself; then the future is dropped at its next
    /// await point. Work that does not await belongs into [`CallContext::blocking`].
    ///
    /// The arguments fit the schema of the manifest. They are the caller's own where nothing had to be
    /// converted: a tool copies of them what it keeps.
    ///
    /// # Errors
    /// Whatever keeps the tool from its result, with a category and a next step.
    async fn call(&self, arguments: &Arguments, cx: &CallContext) -> Result<Json, ToolError>;

    /// Says which files a call with these arguments would write, and how, without writing any: its
    /// context has a dead lease. `None` for a tool that cannot say; who is asked then sees the
    /// arguments, and the call cannot be undone.
    ///
    /// A tool that says it is held to it: the call may write these files and no others.
    ///
    /// # Errors
    /// What would keep the call itself from its result. It then ends so without running.
    async fn preview(&self, arguments: &Arguments, cx: &CallContext) -> Result<Option<Preview>, ToolError> {
        let _ = (arguments, cx);
        Ok(None)
    }
}
