//! The part of a repository that a call is about.

use std::path::{Component, Path};

use cap_std::fs::Dir;

use crate::tool::ToolError;

/// A folder or a file under the root; all of the root when it is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    path: String,
}

impl Scope {
    /// The scope that an argument names.
    ///
    /// # Errors
    /// A permission error when it leads out of the root or through a symbolic link; a user input
    /// error when there is nothing.
    pub fn parse(root: &Dir, argument: Option<&str>) -> Result<Self, ToolError> {
        let typed = argument.unwrap_or_default().trim();
        let mut path = String::new();
        for component in Path::new(typed).components() {
            match component {
                Component::CurDir => {}
                Component::Normal(name) => {
                    let name = name.to_str().ok_or_else(|| missing(typed))?;
                    path = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
                    check_step(root, &path, typed)?;
                }
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                    return Err(outside(typed));
                }
            }
        }
        Ok(Self { path })
    }

    /// The path relative to the root, with `/`.
    pub fn as_str(&self) -> &str {
        &self.path
    }

    /// Whether a file lies in it.
    pub fn holds(&self, file: &str) -> bool {
        let inside =
            || file.strip_prefix(&self.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.path.is_empty() || inside()
    }
}

fn check_step(root: &Dir, path: &str, typed: &str) -> Result<(), ToolError> {
    let metadata = root.symlink_metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::PermissionDenied => {
            ToolError::io(format!("looking at the scope `{typed}`"), &error)
        }
        _ => missing(typed),
    })?;
    if metadata.is_symlink() {
        let error =
            ToolError::permission(format!("the scope `{typed}` leads through the symbolic link `{path}`"));
        return Err(error.suggest("Links are not followed; name the folder itself, relative to the root."));
    }
    Ok(())
}

fn outside(typed: &str) -> ToolError {
    ToolError::permission(format!("the scope `{typed}` leads out of the repository"))
        .suggest("Name a folder relative to the repository's root, without `..`, such as `src`.")
}

fn missing(typed: &str) -> ToolError {
    ToolError::user_input(format!("the scope `{typed}` does not exist in the repository"))
        .suggest("Name an existing folder or file relative to the root, or leave `scope` out.")
}
