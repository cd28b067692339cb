//! What the service says of a tool, and how tools are looked for.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::call::ToolName;
use crate::manifest::ToolManifest;
use crate::service::ResourceLimits;

/// What the service says of one version of a tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolDefinition {
    /// The tool.
    pub tool_id: ToolName,
    /// The version.
    pub version: Arc<str>,
    /// All versions that can be called, the highest first.
    pub versions: Vec<Arc<str>>,
    /// What it does.
    pub description: Arc<str>,
    /// The group that it is listed under.
    pub category: Arc<str>,
    /// The agents that may be offered it; empty means every agent.
    pub agent_scope: Vec<Arc<str>>,
    /// The JSON Schema of its arguments.
    pub parameter_schema: Json,
    /// The JSON Schema of its result, when it has one: results that do not fit are errors.
    pub result_schema: Option<Json>,
    /// What a call gets when neither the request nor the parent says otherwise.
    pub limits: ResourceLimits,
    /// Whether a second call with the same arguments changes nothing more.
    pub idempotent: bool,
    /// What it does to the world: `read-only`, `writes` or `external`.
    pub effects: &'static str,
}

/// Which tools to list. Everything that is said must hold; the default is all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolFilter {
    /// The group.
    pub category: Option<String>,
    /// An agent that may be offered the tool.
    pub scope: Option<String>,
    /// Words, all of which are in its name or its description, in whatever case.
    pub text: Option<String>,
    /// Whether to list every version and not only the highest.
    pub all_versions: bool,
}

impl ToolFilter {
    /// Whether a tool is to be listed.
    pub(in crate::service) fn takes(&self, manifest: &ToolManifest) -> bool {
        let in_category = self.category.as_ref().is_none_or(|it| **it == *manifest.category);
        let scope = &manifest.agent_scope;
        let offered = |agent: &String| scope.is_empty() || scope.iter().any(|it| **it == **agent);
        in_category && self.scope.as_ref().is_none_or(offered) && self.says(manifest)
    }

    fn says(&self, manifest: &ToolManifest) -> bool {
        let Some(text) = &self.text else { return true };
        let said = format!("{} {}", manifest.name, manifest.description).to_lowercase();
        text.to_lowercase().split_whitespace().all(|word| said.contains(word))
    }
}
