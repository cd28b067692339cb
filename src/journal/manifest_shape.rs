//! A tool's manifest as the journal writes it.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::call::ToolName;
use crate::manifest::{Contract, ContractWrite, Effects, ToolManifest};

/// Everything of a [`ToolManifest`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ManifestShape {
    name: ToolName,
    version: Arc<str>,
    description: Arc<str>,
    category: Arc<str>,
    agent_scope: Vec<Arc<str>>,
    input_schema: Json,
    output_schema: Option<Json>,
    timeout: Duration,
    retry_on_timeout: bool,
    idempotent: bool,
    web: bool,
    #[serde(default)]
    polls: bool,
    effects: EffectsShape,
    #[serde(default)]
    confirms: bool,
    success: Option<Arc<str>>,
    reads: Vec<Arc<str>>,
    /// Port and key.
    writes: Vec<(Arc<str>, Arc<str>)>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum EffectsShape {
    /// The alias is how older recordings have it.
    #[serde(alias = "read_only")]
    ReadOnly,
    Writes,
    External,
}

impl From<&ToolManifest> for ManifestShape {
    fn from(manifest: &ToolManifest) -> Self {
        // Taken apart whole, so that a new field does not compile until it is recorded.
        let ToolManifest {
            name,
            version,
            description,
            category,
            agent_scope,
            input_schema,
            output_schema,
            timeout,
            retry_on_timeout,
            idempotent,
            web,
            polls,
            effects,
            confirms,
            success,
            contract: Contract { reads, writes },
        } = manifest.clone();
        let effects = match effects {
            Effects::ReadOnly => EffectsShape::ReadOnly,
            Effects::Writes => EffectsShape::Writes,
            Effects::External => EffectsShape::External,
        };
        let writes = writes.into_iter().map(|write| (write.port, write.key)).collect();
        Self {
            name,
            version,
            description,
            category,
            agent_scope,
            input_schema,
            output_schema,
            timeout,
            retry_on_timeout,
            idempotent,
            web,
            polls,
            effects,
            confirms,
            success,
            reads,
            writes,
        }
    }
}

impl From<ManifestShape> for ToolManifest {
    fn from(shape: ManifestShape) -> Self {
        let effects = match shape.effects {
            EffectsShape::ReadOnly => Effects::ReadOnly,
            EffectsShape::Writes => Effects::Writes,
            EffectsShape::External => Effects::External,
        };
        let writes = shape.writes.into_iter().map(|(port, key)| ContractWrite { port, key }).collect();
        Self {
            name: shape.name,
            version: shape.version,
            description: shape.description,
            category: shape.category,
            agent_scope: shape.agent_scope,
            input_schema: shape.input_schema,
            output_schema: shape.output_schema,
            timeout: shape.timeout,
            retry_on_timeout: shape.retry_on_timeout,
            idempotent: shape.idempotent,
            web: shape.web,
            polls: shape.polls,
            effects,
            confirms: shape.confirms,
            success: shape.success,
            contract: Contract { reads: shape.reads, writes },
        }
    }
}
