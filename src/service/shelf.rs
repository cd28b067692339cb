//! Tools by name and version. An executor knows one version of each tool; a service may stand before
//! several executors.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use semver::Version;

use crate::call::ToolName;
use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::exec::{BoundedExecutor, ResultSchema};
use crate::manifest::ToolManifest;
use crate::service::{ErrorCode, LATEST, ResourceLimits, ServiceError, ToolDefinition, ToolFilter};
use crate::tool::panic::catch;

/// Tools by name, each with its versions, the highest first.
#[derive(Default)]
pub(super) struct Shelf {
    tools: BTreeMap<ToolName, Vec<Arc<Item>>>,
}

/// One version of one tool.
pub(super) struct Item {
    pub manifest: Arc<ToolManifest>,
    /// What the manifest says of limits.
    pub limits: ResourceLimits,
    pub result: Option<ResultSchema>,
    pub executor: BoundedExecutor,
}

impl Shelf {
    /// Puts the tools of an executor on the shelf.
    ///
    /// # Errors
    /// The tools whose result schema is none, and those that are there in the same version already.
    pub fn add(&mut self, executor: &BoundedExecutor) -> Result<(), Diagnostics> {
        let mut faults = Diagnostics::new();
        for (tool, manifest) in executor.registry().iter().zip(executor.registry().manifests()) {
            // A tool that panics here has said nothing.
            let allowance = catch(|| tool.allowance()).unwrap_or_default();
            let limits = ResourceLimits {
                cpu_millicore_limit: allowance.cpu_millicores,
                memory_mb_limit: allowance.memory_mb,
                timeout_seconds: Some(whole_seconds(manifest)),
            };
            match manifest.output_schema.as_ref().map(ResultSchema::new).transpose() {
                Ok(result) => {
                    let (manifest, executor) = (manifest.clone(), executor.clone());
                    let item = Item { manifest, limits, result, executor };
                    if let Err(fault) = self.put(item) {
                        faults.push(fault);
                    }
                }
                Err(why) => faults.push(
                    Diagnostic::new(
                        Code::E0501,
                        format!("the result schema of tool `{}` cannot be used: {why}", manifest.name),
                    )
                    .help("Give the manifest a JSON Schema, or none."),
                ),
            }
        }
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    fn put(&mut self, item: Item) -> Result<(), Diagnostic> {
        let (name, version) = (item.manifest.name.clone(), item.manifest.version.clone());
        let versions = self.tools.entry(name.clone()).or_default();
        match versions.binary_search_by(|other| descending(&other.manifest.version, &version)) {
            Ok(_) => {
                let message = format!("the tool `{name}` is there twice in version {version}");
                Err(Diagnostic::new(Code::E0501, message).help("Give one of the two another version."))
            }
            Err(at) => {
                versions.insert(at, Arc::new(item));
                Ok(())
            }
        }
    }

    /// That version of a tool.
    pub fn get(&self, tool: &ToolName, version: &str) -> Result<&Arc<Item>, ServiceError> {
        let versions = self.tools.get(tool).ok_or_else(|| self.unknown(tool))?;
        let found = match version {
            LATEST => versions.first(),
            exact => versions.iter().find(|item| *item.manifest.version == *exact),
        };
        found.ok_or_else(|| {
            let there: Vec<&str> = versions.iter().map(|item| &*item.manifest.version).collect();
            let message = format!("the tool `{tool}` has no version `{version}`");
            ServiceError::new(ErrorCode::E3001, message)
                .suggest(format!("There are: {}; or ask for `{LATEST}`.", there.join(", ")))
        })
    }

    fn unknown(&self, tool: &ToolName) -> ServiceError {
        let near = did_you_mean(tool.as_str(), self.tools.keys().map(ToolName::as_str));
        ServiceError::new(ErrorCode::E3001, format!("there is no tool named `{tool}`")).suggest(match near {
            Some(near) => format!("Did you mean `{near}`?"),
            None => "`list_tools` tells which there are.".to_owned(),
        })
    }

    /// The tools that a filter takes, by name, the highest version first.
    pub fn list<'s>(&'s self, filter: &'s ToolFilter) -> impl Iterator<Item = &'s Arc<Item>> {
        let shown = if filter.all_versions { usize::MAX } else { 1 };
        let items = self.tools.values().flat_map(move |versions| versions.iter().take(shown));
        items.filter(|item| filter.takes(&item.manifest))
    }

    /// What is said of a tool.
    pub fn define(&self, item: &Item, default: &ResourceLimits) -> ToolDefinition {
        let manifest = &*item.manifest;
        let versions = self.tools.get(&manifest.name).into_iter().flatten();
        let limits = ResourceLimits {
            cpu_millicore_limit: item.limits.cpu_millicore_limit.or(default.cpu_millicore_limit),
            memory_mb_limit: item.limits.memory_mb_limit.or(default.memory_mb_limit),
            timeout_seconds: item.limits.timeout_seconds.or(default.timeout_seconds),
        };
        ToolDefinition {
            tool_id: manifest.name.clone(),
            version: manifest.version.clone(),
            versions: versions.map(|item| item.manifest.version.clone()).collect(),
            description: manifest.description.clone(),
            category: manifest.category.clone(),
            agent_scope: manifest.agent_scope.clone(),
            parameter_schema: manifest.input_schema.clone(),
            result_schema: manifest.output_schema.clone(),
            limits,
            idempotent: manifest.idempotent,
            effects: manifest.effects.as_str(),
        }
    }
}

/// Limits are whole seconds on the wire: a shorter bound becomes one, and a broken one the next.
fn whole_seconds(manifest: &ToolManifest) -> u64 {
    let timeout = manifest.timeout;
    (timeout.as_secs() + u64::from(timeout.subsec_nanos() > 0)).max(1)
}

/// The higher version first; what is no version comes last, by its letters.
fn descending(one: &str, other: &str) -> Ordering {
    match (Version::parse(one), Version::parse(other)) {
        (Ok(first), Ok(second)) => second.cmp(&first),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => other.cmp(one),
    }
}
