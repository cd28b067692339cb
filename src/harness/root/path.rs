//! Paths below a root.

use std::fmt;
use std::path::{Component, Path};

use crate::harness::root::RootError;

/// A path below a root: relative, parts joined by `/`, without `.` and `..`. The root itself is
/// the path without parts.
///
/// `..` is taken out of the text before any file is looked at, as a URL does it: `a/../b` is `b`,
/// whatever `a` is. So one file has one spelling, and nothing depends on where a link points.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RootPath(String);

impl RootPath {
    /// The root itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// The path that `text` spells.
    ///
    /// # Errors
    /// When it is empty, absolute, holds a NUL, or has more `..` than parts before them.
    pub fn parse(text: &str) -> Result<Self, RootError> {
        if text.trim().is_empty() {
            return Err(RootError::empty());
        }
        if text.contains('\0') {
            return Err(RootError::nul(text));
        }
        let mut parts: Vec<&str> = Vec::new();
        for component in Path::new(text).components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => drop(parts.pop().ok_or_else(|| RootError::leaves(text))?),
                Component::Normal(part) => parts.extend(part.to_str()),
                Component::Prefix(_) | Component::RootDir => return Err(RootError::leaves(text)),
            }
        }
        Ok(Self(parts.join("/")))
    }

    /// The path of `name`, one part, below this one.
    #[must_use]
    pub(super) fn child(&self, name: &str) -> Self {
        if self.is_root() { Self(name.into()) } else { Self(format!("{}/{name}", self.0)) }
    }

    /// The path as text; empty for the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the root itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The parts from the root down.
    pub fn parts(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|part| !part.is_empty())
    }

    /// The last part; `None` for the root.
    pub fn name(&self) -> Option<&str> {
        self.parts().next_back()
    }

    /// The folder that the last part is in; the root's parent is the root.
    #[must_use]
    pub fn parent(&self) -> Self {
        Self(self.0.rsplit_once('/').map_or("", |(folder, _)| folder).into())
    }

    /// The path in the form that the system's calls take, where the root is `.`.
    pub(super) fn for_system(&self) -> &Path {
        Path::new(if self.is_root() { "." } else { &self.0 })
    }
}

impl fmt::Display for RootPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(if self.is_root() { "." } else { &self.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_one_spelling() {
        let rows = [("a.md", "a.md"), ("./a//b.md", "a/b.md"), ("a/../b", "b"), ("a/", "a"), ("a/..", "")];
        for (text, path) in rows {
            assert_eq!(RootPath::parse(text).unwrap().as_str(), path, "{text}");
        }
    }

    #[test]
    fn what_leaves_is_refused() {
        for text in ["", "  ", "/", "/etc/passwd", "..", "../x", "a/../../b", "a/b/../../..", "a\0b"] {
            let fault = RootPath::parse(text).unwrap_err();
            assert_eq!(fault.category(), crate::outcome::ErrorCategory::Permission, "{text:?}");
        }
    }
}
