//! What can be wrong with a journal.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::journal::{FORMAT_VERSION, FORMAT_VERSION_MIN};
use crate::limits::JOURNAL_DEPTH_MAX;
use crate::text::system_words;

/// Why a journal cannot be written or read: which file, what, and what to do next.
#[derive(Clone, Debug)]
pub struct JournalError {
    path: PathBuf,
    kind: Kind,
}

/// The kinds of faults; the first six are of writing.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// The file is there already.
    Exists {
        is_journal: bool,
    },
    Uncreatable(Arc<io::Error>),
    /// SQLite did not write.
    Unwritten(Arc<rusqlite::Error>),
    /// There is more than the recording may take.
    Full {
        bytes_max: u64,
    },
    /// Something is nested too deep to be read back.
    TooDeep,
    /// Something has no JSON form.
    Unserializable(String),
    Unreadable(Arc<io::Error>),
    Empty,
    NotSqlite,
    NotJournal,
    Newer(u32),
    Older(u32),
    /// SQLite did not read.
    Corrupt(Arc<rusqlite::Error>),
    /// What a row holds is not what a recorder writes there.
    Row {
        place: String,
        why: String,
    },
    /// The recorded tree does not compile.
    Tree {
        helve: Arc<str>,
        faults: Diagnostics,
    },
}

impl JournalError {
    pub(super) fn new(path: &Path, kind: Kind) -> Self {
        Self { path: path.to_owned(), kind }
    }

    pub(super) fn unwritten(path: &Path) -> impl Fn(rusqlite::Error) -> Self {
        |fault| Self::new(path, Kind::Unwritten(Arc::new(fault)))
    }

    pub(super) fn unread(path: &Path) -> impl Fn(rusqlite::Error) -> Self {
        |fault| {
            let kind = match fault.sqlite_error_code() {
                Some(rusqlite::ErrorCode::NotADatabase) => Kind::NotSqlite,
                _ => Kind::Corrupt(Arc::new(fault)),
            };
            Self::new(path, kind)
        }
    }

    pub(super) fn row(path: &Path, place: impl Into<String>, why: impl fmt::Display) -> Self {
        Self::new(path, Kind::Row { place: place.into(), why: why.to_string() })
    }

    /// The journal's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// [`Code::E0406`] for a journal that cannot be written, [`Code::E0407`] for one that cannot
    /// be read.
    pub fn code(&self) -> Code {
        match self.kind {
            Kind::Exists { .. }
            | Kind::Uncreatable(_)
            | Kind::Unwritten(_)
            | Kind::Full { .. }
            | Kind::TooDeep
            | Kind::Unserializable(_) => Code::E0406,
            _ => Code::E0407,
        }
    }

    /// Whether the recording stopped at its bound.
    pub fn is_full(&self) -> bool {
        matches!(self.kind, Kind::Full { .. })
    }

    fn help(&self) -> String {
        let path = self.path.display();
        match &self.kind {
            Kind::Exists { is_journal: true } => {
                format!(
                    "Record to another name, or remove the old recording first; `helve replay {path}` reads it."
                )
            }
            Kind::Exists { is_journal: false } => "Record to a name that is not taken.".into(),
            Kind::Uncreatable(_) => "Record into a folder that exists and can be written.".into(),
            Kind::Unwritten(_) => {
                "See whether the disk is full or the file was taken away, and record again.".into()
            }
            Kind::Full { .. } => "What was recorded until then replays; record a shorter run.".into(),
            Kind::TooDeep | Kind::Unserializable(_) => "Hand the tree flatter values.".into(),
            Kind::Unreadable(_) => "Name a file that `helve run --record FILE` wrote.".into(),
            Kind::Empty | Kind::NotSqlite | Kind::NotJournal => {
                "Name a file that `helve run --record FILE` wrote, or record the run again.".into()
            }
            Kind::Newer(_) => "Replay it with the helve that recorded it, or a newer one.".into(),
            Kind::Older(_) => "Replay it with the helve that recorded it.".into(),
            Kind::Corrupt(_) | Kind::Row { .. } => {
                "Take a whole copy, with the `-wal` file beside it if there is one, or record the run again."
                    .into()
            }
            Kind::Tree { helve, .. } => format!("Replay it with helve {helve}, which recorded it."),
        }
    }
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.kind {
            Kind::Exists { is_journal: true } => {
                write!(f, "{path} is a recording already and is not overwritten")
            }
            Kind::Exists { is_journal: false } => {
                write!(f, "{path} exists, is no recording and is not overwritten")
            }
            Kind::Uncreatable(why) => write!(f, "the recording {path} cannot be made: {}", system_words(why)),
            Kind::Unwritten(why) => write!(f, "the recording {path} cannot be written: {why}"),
            Kind::Full { bytes_max } => {
                write!(f, "the recording {path} has reached its bound of {bytes_max} bytes")
            }
            Kind::TooDeep => write!(
                f,
                "a value is nested deeper than the {JOURNAL_DEPTH_MAX} levels that the recording {path} takes"
            ),
            Kind::Unserializable(why) => write!(f, "a value has no form in the recording {path}: {why}"),
            Kind::Unreadable(why) => {
                write!(f, "the recording {path} cannot be opened: {}", system_words(why))
            }
            Kind::Empty => write!(f, "{path} is no recording: the file is empty"),
            Kind::NotSqlite => write!(f, "{path} is no recording: it is no SQLite database"),
            Kind::NotJournal => {
                write!(f, "{path} is no recording: it is an SQLite database of something else")
            }
            Kind::Newer(found) => write!(
                f,
                "the recording {path} has format {found}, newer than the {FORMAT_VERSION} that this helve reads"
            ),
            Kind::Older(found) => write!(
                f,
                "the recording {path} has format {found}, older than the {FORMAT_VERSION_MIN} that this helve reads"
            ),
            Kind::Corrupt(why) => write!(f, "the recording {path} is damaged: {why}"),
            Kind::Row { place, why } => write!(f, "the recording {path} is damaged: {place} {why}"),
            Kind::Tree { .. } => write!(f, "the tree in the recording {path} does not compile"),
        }
    }
}

impl std::error::Error for JournalError {}

impl From<JournalError> for Diagnostic {
    fn from(error: JournalError) -> Self {
        let diagnostic = Self::new(error.code(), error.to_string()).help(error.help());
        match error.kind {
            Kind::Tree { faults, .. } => {
                faults.iter().fold(diagnostic, |diagnostic, fault| diagnostic.note(fault.to_string()))
            }
            _ => diagnostic,
        }
    }
}
