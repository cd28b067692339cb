//! Where included texts come from: the words between a tree, which knows no files, and whoever
//! does.

use std::fmt;
use std::sync::Arc;

use crate::diag::did_you_mean;

/// Finds and reads the texts that other texts include.
///
/// A loader decides what may be read. It is asked twice: finding is cheap and happens for each
/// `<include>`, reading happens once for each text.
pub trait Loader: fmt::Debug {
    /// The place that `path` means in the text at `from`.
    ///
    /// # Errors
    /// When there is nothing, or it may not be read.
    fn locate(&self, from: &Location, path: &str) -> Result<Location, LoadFault>;

    /// The bytes at a place that [`locate`](Self::locate) answered.
    ///
    /// # Errors
    /// When they cannot be read, or are more than `bytes_max`.
    fn read(&self, at: &Location, bytes_max: usize) -> Result<Vec<u8>, LoadFault>;
}

/// Where a text lies. The default is the top of a loader: paths in a text there begin at its root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The words by which its loader finds it again; nobody else reads them.
    pub at: Arc<str>,
    /// Tells texts apart: two places with one id hold the same text, however it was spelled.
    pub id: Arc<str>,
    /// What people know it by.
    pub name: Arc<str>,
}

impl Location {
    /// A place where one word is everything: it has no other spelling.
    pub fn plain(path: impl Into<Arc<str>>) -> Self {
        let path = path.into();
        Self { at: path.clone(), id: path.clone(), name: path }
    }
}

/// Why a text cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadFault {
    /// There is nothing at the path.
    Missing {
        /// A path that is near, and does exist.
        near: Option<String>,
    },
    /// The path leads to where nothing may be read.
    Outside {
        /// How it gets there, and which folders are allowed.
        why: String,
        /// What to do next.
        help: String,
    },
    /// It has more bytes than were asked for at most.
    TooLarge,
    /// There is something, and it cannot be read.
    Unreadable {
        /// Why.
        why: String,
        /// What to do next.
        help: String,
    },
    /// The including text lies nowhere, so no path means anything in it.
    Nowhere,
}

/// Has nothing: for texts that lie nowhere and so include nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoLoader;

impl Loader for NoLoader {
    fn locate(&self, _: &Location, _: &str) -> Result<Location, LoadFault> {
        Err(LoadFault::Nowhere)
    }

    fn read(&self, _: &Location, _: usize) -> Result<Vec<u8>, LoadFault> {
        Err(LoadFault::Nowhere)
    }
}

/// `path` with its last part replaced by the most likely among `names`, the names that there are
/// in its folder.
pub fn near_path<'n>(path: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
    let near = did_you_mean(name, names)?;
    Some(if path.contains('/') { format!("{folder}/{near}") } else { near.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_path_keeps_its_folder() {
        let check = |path: &str, near: Option<&str>| {
            assert_eq!(near_path(path, ["search.xml", "notes.xml"]).as_deref(), near, "{path}");
        };
        check("serch.xml", Some("search.xml"));
        check("../lib/note.xml", Some("../lib/notes.xml"));
        check("/SEARCH.xml", Some("/search.xml"));
        check("entirely_else.md", None);
    }
}
