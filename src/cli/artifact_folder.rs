//! Where the commands keep and find artifacts.

use std::path::Path;
use std::sync::Arc;

use crate::cli::out::Out;
use crate::diag::{Code, Diagnostic};
use crate::exec::artifact::{ArtifactError, DiskArtifacts};
use crate::journal::Head;
use crate::run::unix_millis;

/// The store in the folder that was named, else in the current folder's own.
pub(super) fn open(named: Option<&Path>) -> DiskArtifacts {
    match named {
        Some(folder) => DiskArtifacts::at(folder, unix_millis),
        None => DiskArtifacts::within(".", unix_millis),
    }
}

/// The store of a run. A folder that was named must do; where nobody named one and the current folder
/// cannot be written, `None`: the run keeps artifacts in memory, and that is said.
pub(super) fn for_run(named: Option<&Path>, out: &mut Out) -> Result<Option<Arc<DiskArtifacts>>, Diagnostic> {
    let store = open(named);
    match store.check_writable() {
        Ok(()) => Ok(Some(Arc::new(store))),
        Err(fault) if named.is_some() => Err(fault.into()),
        Err(fault) => {
            out.faults(&in_memory(&fault).into());
            Ok(None)
        }
    }
}

fn in_memory(fault: &ArtifactError) -> Diagnostic {
    Diagnostic::new(Code::W0401, "large outputs are kept in memory and are gone after the run")
        .note(fault.to_string())
        .help("Name a folder that you may write to: `--artifacts DIR`.")
}

/// The store that a recording refers to; `None` when it holds everything itself and nobody names one.
pub(super) fn of_recording(named: Option<&Path>, head: &Head) -> Option<DiskArtifacts> {
    let recorded = head.artifacts.as_deref().map(Path::new);
    named.or(recorded).map(|folder| DiskArtifacts::at(folder, unix_millis))
}
