//! Tools written with a struct for their arguments and a type for their result.

use std::future::{Future, ready};
use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use crate::call::Arguments;
use crate::manifest::ToolManifest;
use crate::tool::{CallContext, Preview, Tool, ToolError};

/// A tool whose arguments and result are Rust types: the schemas come from the types.
///
/// `call` and `preview` are written as `async fn`.
pub trait TypedTool: Send + Sync + 'static {
    /// The arguments. Doc comments on the fields become the descriptions of the ports, an `Option`
    /// or a `#[serde(default)]` makes a port optional.
    type Arguments: DeserializeOwned + JsonSchema + Send;
    /// The result. Its fields become output ports.
    type Output: Serialize + JsonSchema + Send;

    /// What the tool says of itself: `manifest` comes with name, description and schemas filled in.
    fn describe(&self) -> ToolManifest;

    /// Does the work.
    ///
    /// # Errors
    /// Whatever keeps the tool from its result.
    fn call(
        &self,
        arguments: Self::Arguments,
        cx: &CallContext,
    ) -> impl Future<Output = Result<Self::Output, ToolError>> + Send;

    /// Says which files the call would write: see [`Tool::preview`].
    ///
    /// # Errors
    /// What would keep the call itself from its result.
    fn preview(
        &self,
        arguments: Self::Arguments,
        cx: &CallContext,
    ) -> impl Future<Output = Result<Option<Preview>, ToolError>> + Send {
        let _ = (arguments, cx);
        ready(Ok(None))
    }

    /// A manifest with the schemas of the two types, to be completed in [`describe`](Self::describe).
    fn manifest(name: &str, description: &str) -> ToolManifest
    where
        Self: Sized,
    {
        ToolManifest::new(name, description, schema_of::<Self::Arguments>())
            .output_schema(schema_of::<Self::Output>())
    }
}

/// The JSON Schema (draft 2020-12) of a type, definitions inlined.
pub fn schema_of<T: JsonSchema>() -> Json {
    let generator = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    generator.into_generator().into_root_schema_for::<T>().to_value()
}

/// A [`TypedTool`] as a [`Tool`].
pub struct Typed<T> {
    tool: T,
    manifest: Arc<ToolManifest>,
}

impl<T: TypedTool> Typed<T> {
    /// Wraps `tool`.
    pub fn new(tool: T) -> Self {
        let manifest = Arc::new(tool.describe());
        Self { tool, manifest }
    }
}

#[async_trait]
impl<T: TypedTool> Tool for Typed<T> {
    fn manifest(&self) -> &Arc<ToolManifest> {
        &self.manifest
    }

    async fn call(&self, arguments: &Arguments, cx: &CallContext) -> Result<Json, ToolError> {
        let output = self.tool.call(typed(arguments)?, cx).await?;
        serde_json::to_value(output)
            .map_err(|fault| ToolError::runtime(format!("the result has no JSON form: {fault}")))
    }

    async fn preview(&self, arguments: &Arguments, cx: &CallContext) -> Result<Option<Preview>, ToolError> {
        self.tool.preview(typed(arguments)?, cx).await
    }
}

fn typed<T: DeserializeOwned>(arguments: &Arguments) -> Result<T, ToolError> {
    T::deserialize(arguments)
        .map_err(|fault| ToolError::user_input(format!("the arguments do not fit: {fault}")))
}
