//! The files of a repository, as `git` would see them.

use std::path::Path;
use std::sync::Arc;

use ignore::{DirEntry, WalkBuilder};
use schemars::JsonSchema;
use serde::Serialize;

use crate::limits::{CODE_FILE_BYTES_MAX, CODE_FILES_MAX};
use crate::tool::{CallContext, ToolError};
use crate::tools::code::cache::Stamp;
use crate::tools::code::grammar::Grammar;
use crate::tools::code::language::Language;

/// A file that may be read.
#[derive(Clone, Debug)]
pub struct FileEntry {
    /// The path relative to the root, with `/`.
    pub path: Arc<str>,
    /// Its version.
    pub stamp: Stamp,
    /// Its language.
    pub language: &'static Language,
}

/// Files that were left out, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Skipped {
    /// Files with a NUL byte, which are not text.
    pub binary: usize,
    /// Files larger than a mebibyte.
    pub too_large: usize,
    /// Files that could not be read, or whose name is not Unicode.
    pub unreadable: usize,
    /// Files that took too long to parse.
    pub too_slow: usize,
    /// Files past the twenty thousandth.
    pub too_many: usize,
}

/// The files of a repository, ordered by path.
#[derive(Debug, Default)]
pub struct Listing {
    /// The files.
    pub files: Vec<FileEntry>,
    /// What was left out.
    pub skipped: Skipped,
}

impl Listing {
    /// Lists the files under `root` that are neither hidden nor ignored.
    ///
    /// Ignore files above the root, the user's own and `.git/info/exclude` have no say: to read
    /// them is to read outside the root, the last because `.git` may be a file that points there.
    ///
    /// # Errors
    /// A resource error when the root is gone or holds no file; cancellation.
    pub fn read(root: &Path, cx: &CallContext) -> Result<Self, ToolError> {
        root.read_dir().map_err(|error| {
            ToolError::resource(format!("reading the repository's root: {error}"))
                .suggest("The folder was moved or its permissions changed; open the index on it again.")
        })?;
        let mut listing = Self::default();
        for (at, entry) in walk(root).enumerate() {
            if at.is_multiple_of(256) {
                cx.check()?;
            }
            listing.take(root, entry);
        }
        if listing.files.is_empty() {
            return Err(ToolError::resource("the repository holds no file that may be read")
                .suggest("Check the root, and whether an ignore file hides everything."));
        }
        listing.settle_headers();
        Ok(listing)
    }

    /// The files that can be parsed.
    pub fn parsed(&self) -> impl Iterator<Item = (&FileEntry, Grammar)> {
        self.files.iter().filter_map(|file| file.language.grammar.map(|grammar| (file, grammar)))
    }

    fn take(&mut self, root: &Path, entry: Result<DirEntry, ignore::Error>) {
        let Ok(entry) = entry else {
            self.skipped.unreadable += 1;
            return;
        };
        // A link is neither a file nor a folder here: it is not followed.
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return;
        }
        match (relative(root, &entry), entry.metadata()) {
            (Some(_), Ok(metadata)) if metadata.len() > CODE_FILE_BYTES_MAX => self.skipped.too_large += 1,
            (Some(_), Ok(_)) if self.files.len() >= CODE_FILES_MAX => self.skipped.too_many += 1,
            (Some(path), Ok(metadata)) => {
                let stamp = Stamp { modified: metadata.modified().ok(), len: metadata.len() };
                self.files.push(FileEntry { language: Language::of_path(&path), path: path.into(), stamp });
            }
            _ => self.skipped.unreadable += 1,
        }
    }

    /// A `.h` beside C++ sources is C++, whose grammar reads nearly every C header too; C's grammar
    /// makes nothing of a class.
    fn settle_headers(&mut self) {
        let cpp = Language::cpp();
        if self.files.iter().any(|file| file.language == cpp) {
            let headers = self.files.iter_mut().filter(|file| file.path.ends_with(".h"));
            headers.for_each(|file| file.language = cpp);
        }
    }
}

fn walk(root: &Path) -> ignore::Walk {
    WalkBuilder::new(root)
        .follow_links(false)
        .parents(false)
        .git_global(false)
        .git_exclude(false)
        .require_git(false)
        .sort_by_file_name(std::ffi::OsStr::cmp)
        .build()
}

fn relative(root: &Path, entry: &DirEntry) -> Option<String> {
    let path = entry.path().strip_prefix(root).ok()?.to_str()?;
    Some(if std::path::MAIN_SEPARATOR == '/' { path.to_owned() } else { path.replace('\\', "/") })
}
