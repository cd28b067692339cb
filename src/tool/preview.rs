//! What a call would do to files, said before it does it.

use std::path::PathBuf;
use std::sync::Arc;

use crate::harness::{FileState, RootPath};

/// What a call would do to files: all that it would write, and nothing else.
///
/// A tool says it itself. The other way, to let it run on an overlay of the files and look at what
/// it left, was rejected: what it does besides writing would have happened, a program cannot be
/// kept to an overlay without the privileges to mount one, and each call would run twice. A program that
/// proposes its changes does run twice: fenced off from files and the network, it has nothing else to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    /// The files, each once.
    pub changes: Vec<FileChange>,
}

/// One file before and after a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The absolute path of the folder that the call may write below.
    pub root: PathBuf,
    /// The file, from there.
    pub path: RootPath,
    /// Its content now; `None` for a file that is not there.
    pub before: Option<Arc<[u8]>>,
    /// Its content afterwards; `None` for a file that is removed.
    pub after: Option<Arc<[u8]>>,
}

impl FileChange {
    /// The absolute path of the file.
    pub fn file(&self) -> PathBuf {
        self.path.parts().fold(self.root.clone(), |folder, part| folder.join(part))
    }

    /// How the file stands now, as far as the preview knows.
    pub fn state_before(&self) -> FileState {
        FileState::of(self.before.as_deref())
    }

    /// How the file is left, as far as the preview knows.
    pub fn state_after(&self) -> FileState {
        FileState::of(self.after.as_deref())
    }

    /// How many bytes the change holds.
    pub fn bytes(&self) -> usize {
        let bytes = |content: &Option<Arc<[u8]>>| content.as_ref().map_or(0, |it| it.len());
        bytes(&self.before) + bytes(&self.after)
    }
}
