//! The files that a call was permitted to write, each as it stood when the permission was given.
//!
//! A permission is given for what was shown, and between the showing and the writing anybody may
//! write the file. So a lease can carry what was foreseen, and whoever writes under it looks once
//! more inside of the effect itself, right before the rename. What is left is the moment between
//! that look and the rename, in which only another process could write; no system call closes it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::harness::FileState;

/// What a call has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The files, each as it was left.
    pub files: BTreeMap<PathBuf, FileState>,
    /// The folders that it made on the way.
    pub folders: BTreeSet<PathBuf>,
}

/// The files that a call may write, and what became of them.
#[derive(Debug, Default)]
pub struct Foreseen {
    /// How the files were shown to be left, where that was shown.
    shown: Option<BTreeMap<PathBuf, FileState>>,
    // A few map steps happen under it, and nothing is awaited.
    ledger: Mutex<Ledger>,
}

#[derive(Debug, Default)]
struct Ledger {
    files: BTreeMap<PathBuf, FileState>,
    written: Written,
    refused: Option<Unforeseen>,
}

impl Foreseen {
    /// These files may be written, each as long as it stands like this.
    pub fn new(files: impl IntoIterator<Item = (PathBuf, FileState)>) -> Self {
        let ledger = Ledger { files: files.into_iter().collect(), ..Ledger::default() };
        Self { shown: None, ledger: Mutex::new(ledger) }
    }

    /// The same, where it was also shown how each file is left.
    #[must_use]
    pub fn left_as(self, files: impl IntoIterator<Item = (PathBuf, FileState)>) -> Self {
        Self { shown: Some(files.into_iter().collect()), ..self }
    }

    /// Whether exactly these files are left, each exactly so, as it was shown.
    ///
    /// # Errors
    /// The first file that would be left otherwise.
    pub(super) fn check_left(&self, left: &BTreeMap<PathBuf, FileState>) -> Result<(), Unforeseen> {
        let Some(shown) = &self.shown else { return Ok(()) };
        let files = shown.keys().chain(left.keys());
        let other = files.filter(|&file| shown.get(file) != left.get(file)).min();
        other.map_or(Ok(()), |file| Err(Unforeseen::Otherwise(file.clone())))
    }

    /// Whether a file that stands like this may be written now.
    ///
    /// # Errors
    /// When it was not foreseen, or somebody else changed it.
    pub fn check(&self, path: &Path, found: FileState) -> Result<(), Unforeseen> {
        let mut ledger = self.ledger();
        let fault = match ledger.files.get(path) {
            Some(expected) if *expected == found => return Ok(()),
            Some(_) => Unforeseen::Changed(path.to_owned()),
            None => Unforeseen::NotNamed(path.to_owned()),
        };
        ledger.refused.get_or_insert_with(|| fault.clone());
        Err(fault)
    }

    /// Learns how a file stands after it was written: it may be written again.
    pub fn did_write(&self, path: PathBuf, state: FileState) {
        let mut ledger = self.ledger();
        ledger.files.insert(path.clone(), state);
        ledger.written.files.insert(path, state);
    }

    /// Learns of a folder that was not there before.
    pub fn did_make(&self, folder: PathBuf) {
        self.ledger().written.folders.insert(folder);
    }

    /// What was written until now.
    pub fn written(&self) -> Written {
        self.ledger().written.clone()
    }

    /// The first write that was refused.
    pub fn refused(&self) -> Option<Unforeseen> {
        self.ledger().refused.clone()
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a file may not be written although the call may write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unforeseen {
    /// It is not the file any more that the permission was given for.
    Changed(PathBuf),
    /// The permission was given for other files.
    NotNamed(PathBuf),
    /// The permission was given for another content.
    Otherwise(PathBuf),
}

impl fmt::Display for Unforeseen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed(path) => {
                write!(
                    f,
                    "`{}` was changed after its write was permitted, and was left alone",
                    path.display()
                )
            }
            Self::NotNamed(path) => write!(
                f,
                "`{}` was left alone: the preview that the write was permitted by does not name it",
                path.display()
            ),
            Self::Otherwise(path) => write!(
                f,
                "`{}` was left alone: the call would not leave it as the preview shows that the write was \
                 permitted by",
                path.display()
            ),
        }
    }
}

impl std::error::Error for Unforeseen {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_be_written_as_it_was_foreseen_and_again_as_it_was_left() {
        let (one, two) = (FileState::of(Some(b"one")), FileState::of(Some(b"two")));
        let foreseen = Foreseen::new([("a".into(), FileState::Absent)]);
        let path = Path::new("a");
        assert_eq!(foreseen.check(path, FileState::Absent), Ok(()));
        foreseen.did_write("a".into(), one);
        assert_eq!((foreseen.check(path, one), foreseen.refused()), (Ok(()), None));
        assert_eq!(foreseen.check(path, two), Err(Unforeseen::Changed("a".into())));
        assert_eq!(foreseen.check(Path::new("b"), one), Err(Unforeseen::NotNamed("b".into())));
        assert_eq!(foreseen.refused(), Some(Unforeseen::Changed("a".into())), "the first one");
        assert_eq!(foreseen.written().files, BTreeMap::from([("a".into(), one)]));
    }

    #[test]
    fn what_was_shown_is_left_so_and_whole() {
        let (one, two) = (FileState::of(Some(b"one")), FileState::of(Some(b"two")));
        let check = |left: &[(&str, FileState)], expected: Option<&str>| {
            let shown = [("a".into(), one), ("b".into(), FileState::Absent)];
            let foreseen = Foreseen::default().left_as(shown);
            let left = left.iter().map(|&(file, state)| (file.into(), state)).collect();
            let expected = expected.map_or(Ok(()), |file| Err(Unforeseen::Otherwise(file.into())));
            assert_eq!(foreseen.check_left(&left), expected);
            assert_eq!(Foreseen::default().check_left(&left), Ok(()), "nothing was shown");
        };
        check(&[("a", one), ("b", FileState::Absent)], None);
        check(&[("a", two), ("b", FileState::Absent)], Some("a"));
        check(&[("a", one), ("b", two)], Some("b"));
        check(&[("a", one)], Some("b"));
        check(&[("a", one), ("b", FileState::Absent), ("c", one)], Some("c"));
        check(&[], Some("a"));
    }
}
