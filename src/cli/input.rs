//! Reads the files that are named on the command line.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::catalog::Catalog;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::harness::{FolderLoader, RootError};
use crate::limits::XML_BYTES_MAX;
use crate::loader::Location;
use crate::text::Source;
use crate::tree::{self, CompileOptions, Includes, Tree};
use crate::xml;

/// Reads a tree file; `-` is standard input. A file above [`XML_BYTES_MAX`] is not read whole.
pub(super) fn read(path: &Path) -> Result<Arc<Source>, Diagnostics> {
    let is_stdin = path == Path::new("-");
    let name = if is_stdin { "<stdin>".to_owned() } else { path.display().to_string() };
    let bytes = if is_stdin { bytes_of(io::stdin().lock()) } else { open(path).and_then(bytes_of) };
    let bytes = bytes.map_err(|fault| unreadable(&name, &fault))?;
    xml::source_from_bytes(&name, bytes).map_err(Into::into)
}

fn open(path: &Path) -> io::Result<std::fs::File> {
    let file = std::fs::File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(file)
}

fn bytes_of(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(XML_BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(name: &str, fault: &io::Error) -> Diagnostic {
    let help = match fault.kind() {
        io::ErrorKind::NotFound => "Check the path; it is looked up from the current folder.",
        io::ErrorKind::IsADirectory => "Name a file inside it.",
        io::ErrorKind::PermissionDenied => "Check the file's permissions.",
        _ => "Try again, or name another file.",
    };
    Diagnostic::new(Code::E0001, format!("the file `{name}` cannot be read"))
        .note(fault.to_string())
        .help(help)
}

/// Reads and compiles a tree and all that it includes, from its own folder or one of `roots`; answers
/// its warnings too.
pub(super) fn load(
    path: &Path,
    roots: &[PathBuf],
    catalog: &Catalog,
) -> Result<(Arc<Tree>, Diagnostics), Diagnostics> {
    match load_with_faults(path, roots, catalog) {
        (Some(tree), warnings) => Ok((tree, warnings)),
        (None, faults) => Err(faults),
    }
}

/// The same, with whatever faults there are.
pub(super) fn load_with_faults(
    path: &Path,
    roots: &[PathBuf],
    catalog: &Catalog,
) -> (Option<Arc<Tree>>, Diagnostics) {
    match read(path).and_then(|source| Ok((source, loader(path, roots)?))) {
        Ok((source, (loader, from))) => {
            let includes = Includes::new(&loader, from);
            tree::load_with_includes(&source, &includes, catalog, &CompileOptions::default())
        }
        Err(faults) => (None, faults),
    }
}

/// What a tree at `path` may include. One from standard input lies in the current folder.
fn loader(path: &Path, roots: &[PathBuf]) -> Result<(FolderLoader, Location), Diagnostic> {
    let (loader, from) =
        FolderLoader::beside(path).map_err(|fault| root_fault(path.parent().unwrap_or(path), &fault))?;
    let loader = roots
        .iter()
        .try_fold(loader, |loader, root| loader.allow(root).map_err(|fault| root_fault(root, &fault)))?;
    Ok((loader, from))
}

fn root_fault(root: &Path, fault: &RootError) -> Diagnostic {
    Diagnostic::new(Code::E0404, format!("the folder `{}` cannot be included from", root.display()))
        .note(fault.to_string())
        .help("Name a folder with trees: `--include-root DIR`.")
}
