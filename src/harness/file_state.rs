//! How a file stands, so that a change of it can be told.

use std::io::{self, Read};
use std::path::Path;

/// How a file stands. Two states are the same when nobody could tell them apart by reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileState {
    /// There is nothing at the path.
    Absent,
    /// A regular file with content of this hash.
    Content(blake3::Hash),
    /// A folder, a link, or something else that is written by nobody.
    Other,
}

impl FileState {
    /// The state of a file with this content; `None` stands for no file.
    pub fn of(content: Option<&[u8]>) -> Self {
        content.map_or(Self::Absent, |content| Self::Content(blake3::hash(content)))
    }

    /// The state of what is at `path` now. Links are not followed.
    ///
    /// # Errors
    /// When that cannot be found out.
    pub fn at(path: &Path) -> io::Result<Self> {
        match std::fs::symlink_metadata(path) {
            Ok(found) if found.is_file() => Self::read(std::fs::File::open(path)?),
            Ok(_) => Ok(Self::Other),
            Err(fault) if is_missing(&fault) => Ok(Self::Absent),
            Err(fault) => Err(fault),
        }
    }

    /// The state of a file with the content of `from`, which is read to its end.
    pub(super) fn read(from: impl Read) -> io::Result<Self> {
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(from)?;
        Ok(Self::Content(hasher.finalize()))
    }
}

/// Whether the system says that there is nothing.
pub(super) fn is_missing(fault: &io::Error) -> bool {
    matches!(fault.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_the_content_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let check = |expected| assert_eq!(FileState::at(&path).unwrap(), expected);
        check(FileState::Absent);
        std::fs::write(&path, "one").unwrap();
        check(FileState::of(Some(b"one")));
        assert_ne!(FileState::of(Some(b"one")), FileState::of(Some(b"")));
        assert_eq!(FileState::at(&path.join("below")).unwrap(), FileState::Absent);
        assert_eq!(FileState::at(folder.path()).unwrap(), FileState::Other);
    }
}
