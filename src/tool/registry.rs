//! The tools that a tree may name.

use std::any::type_name;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::call::ToolName;
use crate::diag::did_you_mean;
use crate::manifest::ToolManifest;
use crate::tool::panic::catch;
use crate::tool::{Tool, Typed, TypedTool};

/// Tools by name, in alphabetical order. Cheap to clone.
#[derive(Clone, Default)]
pub struct Registry {
    tools: BTreeMap<ToolName, Entry>,
}

/// A tool and what it said of itself when it was added. It is asked once: a tool that would
/// answer otherwise later, or panic, changes nothing.
#[derive(Clone)]
struct Entry {
    manifest: Arc<ToolManifest>,
    tool: Arc<dyn Tool>,
}

impl Registry {
    /// No tool yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool.
    ///
    /// # Errors
    /// When a tool of that name is there already, for one name never means two things; when it has
    /// no name; when it panics while it is asked for its manifest.
    pub fn add(&mut self, tool: Arc<dyn Tool>) -> Result<&mut Self, RegistryError> {
        let manifest = catch(|| tool.manifest().clone()).map_err(RegistryError::Panicked)?;
        let name = manifest.name.clone();
        if name.as_str().is_empty() {
            return Err(RegistryError::Nameless { description: manifest.description.clone() });
        }
        if self.tools.contains_key(&name) {
            return Err(RegistryError::Duplicate { name });
        }
        self.tools.insert(name, Entry { manifest, tool });
        Ok(self)
    }

    /// Adds a tool that is written with typed arguments.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn add_typed<T: TypedTool>(&mut self, tool: T) -> Result<&mut Self, RegistryError> {
        let typed = catch(|| Typed::new(tool))
            .map_err(|words| RegistryError::Panicked(format!("{}: {words}", type_name::<T>())))?;
        self.add(Arc::new(typed))
    }

    /// The tool of that name.
    pub fn get(&self, name: &ToolName) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name).map(|entry| &entry.tool)
    }

    /// What the tool of that name says of itself.
    pub fn manifest(&self, name: &ToolName) -> Option<&Arc<ToolManifest>> {
        self.tools.get(name).map(|entry| &entry.manifest)
    }

    /// All tools, by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<dyn Tool>> {
        self.tools.values().map(|entry| &entry.tool)
    }

    /// What all tools say of themselves, by name.
    pub fn manifests(&self) -> impl ExactSizeIterator<Item = &Arc<ToolManifest>> {
        self.tools.values().map(|entry| &entry.manifest)
    }

    /// The tool that was most likely meant by a name that no tool has.
    pub fn did_you_mean(&self, name: &ToolName) -> Option<&str> {
        did_you_mean(name.as_str(), self.tools.keys().map(ToolName::as_str))
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.tools.keys()).finish()
    }
}

/// Why a tool was not added.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegistryError {
    /// A second tool of one name.
    Duplicate {
        /// The name.
        name: ToolName,
    },
    /// A manifest whose name is empty.
    Nameless {
        /// What its manifest says that it does.
        description: Arc<str>,
    },
    /// The tool panicked while it was asked for its manifest, with these words.
    Panicked(String),
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Duplicate { name } => {
                write!(f, "a tool named `{name}` is registered already; give one of the two another name")
            }
            Self::Nameless { description } => {
                write!(f, "the tool that says `{description}` has no name; name it in its manifest")
            }
            Self::Panicked(words) => {
                write!(f, "a tool panicked while it described itself ({words}); mend its manifest")
            }
        }
    }
}

impl std::error::Error for RegistryError {}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::call::Arguments;
    use crate::tool::{CallContext, ToolError};

    /// A tool of this name; asked for its manifest, the one named `!` panics.
    struct Named(&'static str, Arc<ToolManifest>);

    fn named(name: &'static str) -> Arc<dyn Tool> {
        Arc::new(Named(name, Arc::new(ToolManifest::new(name, "does nothing", json!({})))))
    }

    #[async_trait]
    impl Tool for Named {
        fn manifest(&self) -> &Arc<ToolManifest> {
            assert_ne!(self.0, "!", "no manifest");
            &self.1
        }

        async fn call(&self, _: &Arguments, _: &CallContext) -> Result<Json, ToolError> {
            Ok(Json::Null)
        }
    }

    #[track_caller]
    fn check(name: &'static str, refusal: &str) {
        let mut registry = Registry::new();
        registry.add(named("echo")).unwrap();
        let said = registry.add(named(name)).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(said.contains(refusal) && said.is_empty() == refusal.is_empty(), "{name}: {said}");
    }

    #[test]
    fn a_tool_is_added_once_and_has_a_name_and_a_manifest() {
        check("other", "");
        check("echo", "a tool named `echo` is registered already");
        check("", "`does nothing` has no name");
        check("!", "panicked while it described itself");
    }

    #[test]
    fn tools_come_by_name_in_alphabetical_order() {
        let mut registry = Registry::new();
        registry.add(named("b")).unwrap().add(named("a")).unwrap();
        let names: Vec<_> = registry.manifests().map(|manifest| manifest.name.to_string()).collect();
        assert_eq!(names, ["a", "b"]);
        assert!(registry.get(&"a".into()).is_some() && registry.manifest(&"c".into()).is_none());
        assert_eq!(registry.iter().len(), 2);
        assert_eq!(format!("{registry:?}"), r#"{ToolName("a"), ToolName("b")}"#);
    }
}
