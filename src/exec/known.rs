//! The tools as the executor knows them: each with its schema, compiled once.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::call::ToolName;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::exec::ArgumentSchema;
use crate::manifest::ToolManifest;
use crate::outcome::ErrorCategory;
use crate::tool::{Registry, Tool, ToolError};

/// A tool with what the executor knows of it.
pub(super) struct Known {
    pub tool: Arc<dyn Tool>,
    pub manifest: Arc<ToolManifest>,
    pub schema: ArgumentSchema,
}

/// All of them.
pub(super) struct Tools {
    registry: Arc<Registry>,
    known: BTreeMap<ToolName, Known>,
}

impl Tools {
    pub fn new(registry: Arc<Registry>) -> Result<Self, Diagnostics> {
        let mut faults = Diagnostics::new();
        let mut known = BTreeMap::new();
        for (tool, manifest) in registry.iter().zip(registry.manifests()) {
            match ArgumentSchema::new(&manifest.input_schema) {
                Ok(schema) => {
                    let (tool, manifest) = (tool.clone(), manifest.clone());
                    known.insert(manifest.name.clone(), Known { tool, manifest, schema });
                }
                Err(fault) => faults.push(
                    Diagnostic::new(
                        Code::E0501,
                        format!("the argument schema of tool `{}` cannot be used: {fault}", manifest.name),
                    )
                    .help("Give the manifest a JSON Schema of an object as its input schema."),
                ),
            }
        }
        if faults.is_empty() { Ok(Self { registry, known }) } else { Err(faults) }
    }

    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// The tool of that name, or the error of a call of a tool that there is not.
    pub fn get(&self, name: &ToolName) -> Result<&Known, ToolError> {
        self.known.get(name).ok_or_else(|| {
            let error =
                ToolError::new(ErrorCategory::Configuration, format!("there is no tool named `{name}`"));
            error.suggest(match self.registry.did_you_mean(name) {
                Some(near) => format!("Did you mean `{near}`?"),
                None => "Register the tool, or name one that is registered.".to_owned(),
            })
        })
    }
}
