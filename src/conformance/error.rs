//! Why a folder of cases does not read.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::diag::{Code, Diagnostic};
use crate::text::system_words;

/// A path that cannot be read, a file that is no case, or a folder without any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseError {
    path: PathBuf,
    is_readable: bool,
    why: String,
}

impl CaseError {
    /// A file that is no case, or a folder without any.
    pub(super) fn new(path: &Path, why: impl Into<String>) -> Self {
        Self { path: path.to_owned(), is_readable: true, why: why.into() }
    }

    /// A path that cannot be read.
    pub(super) fn unreadable(path: &Path, fault: &std::io::Error) -> Self {
        Self { is_readable: false, ..Self::new(path, system_words(fault)) }
    }

    /// The fault as people are told of it.
    pub fn diagnostic(&self) -> Diagnostic {
        let path = self.path.display();
        let diagnostic = if self.is_readable {
            Diagnostic::new(Code::E0409, format!("`{path}` does not read as a case"))
                .help("A case is two files, `NNN-slug.xml` and `NNN-slug.trace.jsonl`.")
        } else {
            Diagnostic::new(Code::E0001, format!("`{path}` cannot be read"))
                .help("Name a folder that holds cases, each of two files, or the folder around it.")
        };
        diagnostic.note(&*self.why)
    }
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.why)
    }
}

impl std::error::Error for CaseError {}
