//! What a program proposes files to hold: shown beforehand, and written by the host.

use std::collections::BTreeMap;

use crate::harness::{FileState, Root, RootError, RootPath};
use crate::limits::{PREVIEW_BYTES_MAX, PREVIEW_FILES_MAX};
use crate::tool::{CallContext, FileChange, Preview, ToolError};

/// Files below the root, each with what it is to hold; `None` for one that is to go.
#[derive(Debug, Default)]
pub(super) struct Proposal {
    files: BTreeMap<RootPath, Option<String>>,
}

impl Proposal {
    /// # Errors
    /// Why it will not do: a fragment of a sentence.
    pub fn add(&mut self, path: &str, content: Option<String>) -> Result<(), String> {
        let file = RootPath::parse(path).map_err(|fault| fault.to_string())?;
        if file.is_root() {
            return Err(format!("its `path` `{path}` is the root and no file"));
        }
        if self.files.contains_key(&file) {
            return Err(format!("it is a second `change` of `{file}`"));
        }
        if self.files.len() == PREVIEW_FILES_MAX {
            return Err(format!("there are {PREVIEW_FILES_MAX} changes already, which is the bound"));
        }
        self.files.insert(file, content);
        Ok(())
    }

    /// The files that would change, as they are and as they would be.
    ///
    /// # Errors
    /// When a file cannot be read, or all together are too large to be shown.
    pub fn preview(self, root: &Root) -> Result<Preview, ToolError> {
        let (mut changes, mut bytes) = (Vec::new(), 0);
        for (path, after) in self.files {
            let before = read(root, &path)?;
            let after: Option<Vec<u8>> = after.map(String::into_bytes);
            if before != after {
                let (before, after) = (before.map(Into::into), after.map(Into::into));
                let change = FileChange { root: root.path().to_owned(), path, before, after };
                bytes += change.bytes();
                changes.push(change);
            }
            // Looked at on the way: no more than one file beyond the bound is in memory.
            if bytes > PREVIEW_BYTES_MAX {
                return Err(too_large());
            }
        }
        Ok(Preview { changes })
    }

    /// Writes and removes the files, as far as they differ, under the lease of the call. Where they were
    /// shown to somebody, they are what was shown, or none is written.
    ///
    /// # Errors
    /// When a file may not be written, and then none is. When writing fails later, those before it are
    /// written and can be taken back.
    pub fn write(self, root: &Root, cx: &CallContext) -> Result<(), ToolError> {
        let mut wanted = Vec::new();
        for (path, after) in self.files {
            if root.state(&path)? != FileState::of(bytes_of(&after)) {
                wanted.push((path, after));
            }
        }
        let left = wanted.iter().map(|(path, after)| (path, bytes_of(after)));
        root.may_leave(left, cx.lease())?;
        for (path, after) in &wanted {
            match after {
                Some(text) => root.write(path, text.as_bytes(), cx.lease())?,
                None => root.remove_file(path, cx.lease())?,
            }
        }
        Ok(())
    }
}

fn bytes_of(content: &Option<String>) -> Option<&[u8]> {
    content.as_deref().map(str::as_bytes)
}

fn too_large() -> ToolError {
    ToolError::user_input(format!(
        "the files that it proposes to change have more than {PREVIEW_BYTES_MAX} bytes, as they are and as they \
         would be: more than can be shown and kept"
    ))
    .suggest("split it into several calls")
}

/// What a file holds; `None` when it is not there.
fn read(root: &Root, path: &RootPath) -> Result<Option<Vec<u8>>, RootError> {
    match root.read(path, PREVIEW_BYTES_MAX) {
        Ok(content) => Ok(Some(content)),
        Err(fault) if fault.is_not_found() => Ok(None),
        Err(fault) => Err(fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_to_be_shown_is_not_gathered() {
        let folder = tempfile::tempdir().unwrap();
        let mut proposal = Proposal::default();
        for name in ["a", "b"] {
            let file = std::fs::File::create(folder.path().join(name)).unwrap();
            file.set_len(PREVIEW_BYTES_MAX as u64 / 2 + 1).unwrap();
            proposal.add(name, Some("x".to_owned())).unwrap();
        }
        let fault = proposal.preview(&Root::open(folder.path()).unwrap()).unwrap_err();
        assert!(fault.message().contains("more than can be shown"), "{fault}");
    }
}
