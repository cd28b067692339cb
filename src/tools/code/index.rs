//! The service that the code tools share.

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use grep_regex::RegexMatcher;

use crate::limits::CODE_FILE_BYTES_MAX;
use crate::tool::{CallContext, ToolError};
use crate::tools::code::budget::Budget;
use crate::tools::code::cache::TagCache;
use crate::tools::code::extract::Worker;
use crate::tools::code::grammar::Grammar;
use crate::tools::code::listing::{FileEntry, Listing};
use crate::tools::code::matcher;
use crate::tools::code::scope::Scope;
use crate::tools::code::tags::FileTags;

/// A repository that the code tools look into: its root, and the files parsed so far.
pub struct CodeIndex {
    root: PathBuf,
    /// Files are opened relative to this and cannot be outside it, not even when a folder is
    /// swapped for a link between the listing and the reading.
    dir: Dir,
    // A plain mutex: it is held for one look-up in a map, never while a file is read or parsed.
    cache: Mutex<TagCache>,
}

/// The text of a file, or why there is none.
pub enum Content {
    /// The text; perhaps not UTF-8.
    Text(Vec<u8>),
    /// It has a NUL byte.
    Binary,
    /// It grew beyond the limit since it was listed.
    TooLarge,
    /// It is gone, or may not be read.
    Unreadable,
}

impl CodeIndex {
    /// The index of the repository at `root`. Nothing is read yet.
    ///
    /// # Errors
    /// When `root` is missing, no folder, or may not be read.
    pub fn open(root: &Path) -> Result<Arc<Self>, OpenError> {
        let fail = |error| OpenError { root: root.to_owned(), error };
        let canonical = root.canonicalize().map_err(fail)?;
        if !canonical.is_dir() {
            return Err(fail(io::ErrorKind::NotADirectory.into()));
        }
        canonical.read_dir().map_err(fail)?;
        let dir = Dir::open_ambient_dir(&canonical, ambient_authority()).map_err(fail)?;
        Ok(Arc::new(Self { root: canonical, dir, cache: Mutex::default() }))
    }

    /// The root, as an absolute path without links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The files there are now.
    pub(super) fn list(&self, cx: &CallContext) -> Result<Listing, ToolError> {
        Listing::read(&self.root, cx)
    }

    /// The scope that an argument names.
    pub(super) fn scope(&self, argument: Option<&str>) -> Result<Scope, ToolError> {
        Scope::parse(&self.dir, argument)
    }

    /// Reads a file.
    pub(super) fn read(&self, path: &str) -> Content {
        let mut bytes = Vec::new();
        let read = self.dir.open(path).and_then(|file| {
            // A pipe that took a file's name since the listing would never end.
            if !file.metadata()?.is_file() {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            file.take(CODE_FILE_BYTES_MAX + 1).read_to_end(&mut bytes)
        });
        match read {
            Err(_) => Content::Unreadable,
            Ok(read) if read as u64 > CODE_FILE_BYTES_MAX => Content::TooLarge,
            Ok(_) if bytes.contains(&0) => Content::Binary,
            Ok(_) => Content::Text(bytes),
        }
    }

    /// The tags of a file, from the cache or by parsing it. A file without text has none.
    pub(super) fn tags(
        &self,
        worker: &mut Worker,
        cx: &CallContext,
        (file, grammar): (&FileEntry, Grammar),
    ) -> Result<Arc<FileTags>, ToolError> {
        if let Some(tags) = self.cache().get(&file.path, file.stamp) {
            return Ok(tags);
        }
        match self.read(&file.path) {
            Content::Text(source) => self.parse(worker, cx, (file, grammar), &source),
            _ => Ok(Arc::default()),
        }
    }

    /// The tags of a file if it holds `word`, which `matcher` finds; a file that does not is read
    /// but not parsed.
    pub(super) fn tags_with(
        &self,
        worker: &mut Worker,
        cx: &CallContext,
        (file, grammar): (&FileEntry, Grammar),
        (word, matcher): (&str, &RegexMatcher),
    ) -> Result<Option<Arc<FileTags>>, ToolError> {
        let cached = self.cache().get(&file.path, file.stamp);
        if let Some(tags) = cached {
            return Ok((tags.given_up || tags.name(word).is_some()).then_some(tags));
        }
        match self.read(&file.path) {
            Content::Text(source) if matcher::find(matcher, &source).is_some() => {
                self.parse(worker, cx, (file, grammar), &source).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Parses a file that was read and keeps its tags.
    fn parse(
        &self,
        worker: &mut Worker,
        cx: &CallContext,
        (file, grammar): (&FileEntry, Grammar),
        source: &[u8],
    ) -> Result<Arc<FileTags>, ToolError> {
        let tags = worker.extract(grammar, source, &Budget::new(cx));
        cx.check()?;
        let tags = Arc::new(tags.unwrap_or_else(|| FileTags { given_up: true, ..FileTags::default() }));
        self.cache().put(&file.path, file.stamp, &tags);
        Ok(tags)
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, TagCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for CodeIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CodeIndex({})", self.root.display())
    }
}

/// Why a folder cannot be the root of an index.
#[derive(Debug)]
pub struct OpenError {
    root: PathBuf,
    error: io::Error,
}

impl OpenError {
    /// The kind of fault: not found, not a folder, permission denied, ...
    pub fn kind(&self) -> io::ErrorKind {
        self.error.kind()
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let next = match self.kind() {
            io::ErrorKind::NotFound => "give the path of an existing folder",
            io::ErrorKind::NotADirectory => "give the folder, not a file in it",
            io::ErrorKind::PermissionDenied => "give this user the right to list it",
            _ => "check that the folder can be listed",
        };
        write!(f, "opening the repository `{}`: {}; {next}", self.root.display(), self.error)
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}
