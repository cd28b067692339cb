//! The vault that the tools are given.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::harness::{Lease, Root, RootPath};
use crate::limits::VAULT_INDEXES_MAX;
use crate::tool::ToolError;
use crate::tools::vault::index::Index;
use crate::tools::vault::reads::Reads;

/// Gives the date of now, as RFC 3339.
type Dates = Arc<dyn Fn() -> String + Send + Sync>;

/// A folder of notes, with what has to be kept between calls: who read what, and the search
/// indexes. The folder itself is opened anew by each call, so one that was moved or made in the
/// meantime is seen.
pub struct Vault {
    path: PathBuf,
    dates: Option<Dates>,
    reads: Mutex<Reads>,
    // One index a project folder, and not one for all: what a word is worth in the ranking depends
    // on the notes in the index, and must not depend on which projects were searched before.
    indexes: Mutex<BTreeMap<String, Arc<Mutex<Index>>>>,
    writing: Mutex<()>,
}

impl Vault {
    /// The vault in the folder `path`, which may be missing: the first write makes it.
    ///
    /// # Errors
    /// When something other than a folder is there, or it cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ToolError> {
        match Root::open(path.as_ref()) {
            Ok(_) => {}
            Err(fault) if fault.is_not_found() => {}
            Err(fault) => return Err(fault.into()),
        }
        Ok(Self {
            path: path.as_ref().to_owned(),
            dates: None,
            reads: Mutex::default(),
            indexes: Mutex::default(),
            writing: Mutex::default(),
        })
    }

    /// The same vault, whose notes get dates from `now`, which gives the present as RFC 3339
    /// ([`rfc3339`](crate::tools::vault::rfc3339) makes one from seconds). Without it no dates are
    /// written: this module reads no clock.
    #[must_use]
    pub fn dated_by(mut self, now: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.dates = Some(Arc::new(now));
        self
    }

    /// The vault's folder, as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether notes can be written, found out without leaving anything behind: for a diagnostic
    /// before anything runs.
    ///
    /// # Errors
    /// Why not, with the part of the path that is in the way and the next step.
    pub fn check_writable(&self) -> Result<(), ToolError> {
        Root::probe(&self.path).map_err(|fault| {
            let message = format!("the vault {} cannot be written: {fault}", self.path.display());
            ToolError::new(fault.category(), message).suggest(fault.suggestion())
        })
    }

    /// The folder of a project; `None` when it is not there yet.
    pub(super) fn project(&self, id: Option<&str>) -> Result<Option<Root>, ToolError> {
        let folder = project_folder(id)?;
        let opened = Root::open(&self.path).and_then(|root| root.folder(&folder));
        match opened {
            Ok(root) => Ok(Some(root)),
            Err(fault) if fault.is_not_found() => Ok(None),
            Err(fault) => Err(fault.into()),
        }
    }

    /// The absolute path of a project's folder, whether it is there or not.
    pub(super) fn project_path(&self, id: Option<&str>) -> Result<PathBuf, ToolError> {
        let vault =
            std::path::absolute(&self.path).map_err(|fault| ToolError::io("finding the vault", &fault))?;
        Ok(project_folder(id)?.parts().fold(vault, |folder, part| folder.join(part)))
    }

    /// The folder of a project, made under the lease when it is not there yet.
    pub(super) fn project_for_writing(&self, id: Option<&str>, lease: &Lease) -> Result<Root, ToolError> {
        let folder = project_folder(id)?;
        let root = match Root::open(&self.path) {
            Err(fault) if fault.is_not_found() => Root::create(&self.path, lease)?,
            opened => opened?,
        };
        match root.folder(&folder) {
            Err(fault) if fault.is_not_found() => Ok(root.create_folder(&folder, lease)?),
            opened => Ok(opened?),
        }
    }

    /// The date of now, when the vault was given a source of dates.
    pub(super) fn now(&self) -> Option<String> {
        self.dates.as_ref().map(|now| now())
    }

    /// Who read what.
    pub(super) fn reads(&self) -> MutexGuard<'_, Reads> {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The turn to write: reading a note's front matter and writing the note is one step between
    /// the calls of this process. Between processes the last whole note wins.
    pub(super) fn turn_to_write(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The search index of a project.
    pub(super) fn index(&self, id: Option<&str>) -> Result<Arc<Mutex<Index>>, ToolError> {
        let mut indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        let id = id.unwrap_or_default();
        if let Some(index) = indexes.get(id) {
            return Ok(index.clone());
        }
        if indexes.len() == VAULT_INDEXES_MAX {
            indexes.pop_first();
        }
        let index = Arc::new(Mutex::new(Index::new()?));
        indexes.insert(id.to_owned(), index.clone());
        Ok(index)
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Vault({})", self.path.display())
    }
}

/// The folder that a project's id names: one part below the vault, or the vault itself.
fn project_folder(id: Option<&str>) -> Result<RootPath, ToolError> {
    let Some(id) = id.filter(|id| !id.is_empty()) else { return Ok(RootPath::root()) };
    let folder = RootPath::parse(id)?;
    if folder.as_str() != id || folder.parts().count() != 1 || id.starts_with('.') {
        return Err(ToolError::user_input(format!(
            "`{id}` is no project id: it names no folder of the vault"
        ))
        .suggest("Give the name of one folder, without `/` and no dot before it."));
    }
    Ok(folder)
}
