//! Reads the files that are named on the command line.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use crate::catalog::Catalog;
use crate::cli::args::Programs;
use crate::cli::toolbox;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::limits::XML_BYTES_MAX;
use crate::text::Source;
use crate::tree::{self, CompileOptions, Tree};
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

/// Reads and compiles a tree against the built-in nodes, the tools and the programs; answers its warnings too.
pub(super) fn load(
    path: &Path,
    programs: &Programs,
) -> Result<(Arc<Source>, Arc<Tree>, Diagnostics), Diagnostics> {
    load_with(path, &toolbox::catalog(programs)?)
}

/// The same against a catalog.
pub(super) fn load_with(
    path: &Path,
    catalog: &Catalog,
) -> Result<(Arc<Source>, Arc<Tree>, Diagnostics), Diagnostics> {
    let source = read(path)?;
    match tree::load_with_warnings(&source, catalog, &CompileOptions::default()) {
        (Some(tree), warnings) => Ok((source, tree, warnings)),
        (None, faults) => Err(faults),
    }
}
