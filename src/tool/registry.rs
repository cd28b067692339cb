//! The tools that a tree may name.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::call::ToolName;
use crate::manifest::ToolManifest;
use crate::tool::{Tool, Typed, TypedTool};

/// Tools by name, in alphabetical order. Cheap to clone.
#[derive(Clone, Default)]
pub struct Registry {
    tools: BTreeMap<ToolName, Arc<dyn Tool>>,
}

impl Registry {
    /// No tool yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool.
    ///
    /// # Errors
    /// When a tool of that name is there already: one name never means two things.
    pub fn add(&mut self, tool: Arc<dyn Tool>) -> Result<&mut Self, RegistryError> {
        let name = tool.manifest().name.clone();
        if self.tools.contains_key(&name) {
            return Err(RegistryError { name });
        }
        self.tools.insert(name, tool);
        Ok(self)
    }

    /// Adds a tool that is written with typed arguments.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn add_typed<T: TypedTool>(&mut self, tool: T) -> Result<&mut Self, RegistryError> {
        self.add(Arc::new(Typed::new(tool)))
    }

    /// The tool of that name.
    pub fn get(&self, name: &ToolName) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name)
    }

    /// All tools, by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<dyn Tool>> {
        self.tools.values()
    }

    /// What all tools say of themselves, by name.
    pub fn manifests(&self) -> impl ExactSizeIterator<Item = &Arc<ToolManifest>> {
        self.tools.values().map(|tool| tool.manifest())
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.tools.keys()).finish()
    }
}

/// A second tool of one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryError {
    name: ToolName,
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a tool named `{}` is registered already; give one of the two another name", self.name)
    }
}

impl std::error::Error for RegistryError {}
