//! What people are told of a checkpoint.

use std::path::PathBuf;

use crate::exec::checkpoint::entry::{Entry, EntryFile};
use crate::exec::collaborator::CheckpointId;
use crate::harness::FileState;

/// A checkpoint that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its name.
    pub id: CheckpointId,
    /// When the write was, as RFC 3339; empty where nobody gave a date.
    pub at: String,
    /// The tool that wrote.
    pub tool: String,
    /// Who called it.
    pub caller: String,
    /// Who allowed the write.
    pub approved_by: String,
    /// Why that was asked, or not asked.
    pub because: String,
    /// The checkpoint whose restoring this write was.
    pub undoes: Option<CheckpointId>,
    /// The files.
    pub files: Vec<KeptFile>,
}

/// One file of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFile {
    /// Its absolute path.
    pub file: PathBuf,
    /// Lines that came to it.
    pub added: usize,
    /// Lines that went from it.
    pub removed: usize,
    /// How it stands now.
    pub standing: Standing,
}

/// How a file stands now, seen from a write of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// As it was left by the write.
    Written,
    /// As it was before the write.
    Restored,
    /// Neither: somebody changed it since.
    Changed,
}

impl Standing {
    /// The word for a table.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Restored => "as before",
            Self::Changed => "changed since",
        }
    }

    pub(super) fn of(file: &EntryFile) -> Self {
        let now = FileState::at(&file.file()).unwrap_or(FileState::Other);
        match now {
            now if now == file.before() => Self::Restored,
            now if now == file.after() => Self::Written,
            _ => Self::Changed,
        }
    }
}

pub(super) fn id_of(number: u64) -> CheckpointId {
    CheckpointId(number.to_string().into())
}

impl Kept {
    pub(super) fn new(number: u64, entry: Entry) -> Self {
        let file = |file: &EntryFile| KeptFile {
            file: file.file(),
            added: file.added,
            removed: file.removed,
            standing: Standing::of(file),
        };
        Self {
            id: id_of(number),
            files: entry.files.iter().map(file).collect(),
            at: entry.at,
            tool: entry.tool,
            caller: entry.caller,
            approved_by: entry.approved_by,
            because: entry.because,
            undoes: entry.undoes.map(id_of),
        }
    }

    /// What the write was, in a few words.
    pub fn label(&self) -> String {
        match &self.undoes {
            Some(id) => format!("undo of {id}"),
            None => format!("{} ({})", self.tool, self.caller),
        }
    }
}
