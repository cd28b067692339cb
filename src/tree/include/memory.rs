//! Texts that are in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::loader::{LoadFault, Loader, Location, near_path};

/// Texts by path, for embedders that carry their trees with them, and for tests.
///
/// Paths are relative, their parts joined by `/`; `.` and `..` mean what they mean in a folder, and
/// nothing lies above the top.
///
/// ```
/// use helve::tree::{self, CompileOptions, MemoryLoader};
///
/// let loader = MemoryLoader::new()
///     .with("main.xml", r#"<root BTCPP_format="4" main_tree_to_execute="Main">
///         <include path="lib/rest.xml"/>
///         <BehaviorTree ID="Main"><SubTree ID="Rest"/></BehaviorTree>
///     </root>"#)
///     .with("lib/rest.xml", r#"<root BTCPP_format="4">
///         <BehaviorTree ID="Rest"><AlwaysSuccess/></BehaviorTree>
///     </root>"#);
/// let (tree, warnings) =
///     tree::load_from(&loader, "main.xml", &helve::node::catalog(), &CompileOptions::default());
/// assert_eq!(tree.unwrap().len(), 2);
/// assert!(warnings.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryLoader {
    texts: BTreeMap<Arc<str>, Arc<[u8]>>,
}

impl MemoryLoader {
    /// No text yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one more text, or with another text at that path.
    #[must_use]
    pub fn with(mut self, path: impl Into<Arc<str>>, text: impl AsRef<[u8]>) -> Self {
        self.texts.insert(path.into(), text.as_ref().into());
        self
    }

    /// The names in the folder that `path` is in.
    fn siblings(&self, path: &str) -> impl Iterator<Item = &str> {
        let folder = folder_of(path).to_owned();
        (self.texts.keys())
            .filter(move |known| folder_of(known) == folder)
            .map(|known| known.rsplit('/').next().unwrap_or_default())
    }
}

impl Loader for MemoryLoader {
    fn locate(&self, from: &Location, path: &str) -> Result<Location, LoadFault> {
        let Some(below) = below(folder_of(&from.at), path) else {
            return Err(LoadFault::Outside {
                why: "nothing lies above the folder of the texts in memory".to_owned(),
                help: "Write a relative path that stays below it.".to_owned(),
            });
        };
        match self.texts.get_key_value(&*below) {
            Some((known, _)) => Ok(Location::plain(known.clone())),
            None => Err(LoadFault::Missing { near: near_path(path, self.siblings(&below)) }),
        }
    }

    fn read(&self, at: &Location, bytes_max: usize) -> Result<Vec<u8>, LoadFault> {
        match self.texts.get(&at.at) {
            Some(text) if text.len() > bytes_max => Err(LoadFault::TooLarge),
            Some(text) => Ok(text.to_vec()),
            None => Err(LoadFault::Missing { near: None }),
        }
    }
}

/// The path without its last part.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The path from the top that `path` is in `folder`; `None` when it leads above the top.
fn below(folder: &str, path: &str) -> Option<String> {
    if path.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_from_its_folder_and_stays_below_the_top() {
        let check = |folder: &str, path: &str, expected: Option<&str>| {
            assert_eq!(below(folder, path).as_deref(), expected, "{folder} {path}");
        };
        check("", "a.xml", Some("a.xml"));
        check("lib", "./x//a.xml", Some("lib/x/a.xml"));
        check("lib/x", "../a.xml", Some("lib/a.xml"));
        check("lib", "../../a.xml", None);
        check("lib", "../lib/../../a.xml", None);
        check("lib", "/a.xml", None);
    }
}
