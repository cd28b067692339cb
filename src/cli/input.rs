//! Reads the files that are named on the command line.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::limits::{NEIGHBOURS_MAX, XML_BYTES_MAX};
use crate::text::{Source, system_words};
use crate::xml::{self, Document, XmlLimits};

/// Reads a tree file; `-` is standard input. A file above [`XML_BYTES_MAX`] is not read whole.
pub(super) fn read(path: &Path) -> Result<Arc<Source>, Diagnostics> {
    xml::source_from_bytes(&name_of(path), bytes(path)?).map_err(Into::into)
}

/// The bytes of a tree file, to the same bound.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, Diagnostics> {
    let bytes = if is_stdin(path) { bytes_of(io::stdin().lock()) } else { open(path).and_then(bytes_of) };
    bytes.map_err(|fault| unreadable(&name_of(path), path, &fault).into())
}

/// Whether a path as typed means standard input.
pub(super) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// What a path is called in messages.
pub(super) fn name_of(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// A tree file as a document, for commands that write it anew: without an error, and with the root of
/// a tree file, for blanks mean something in other XML. Answers its warnings too.
pub(super) fn document(source: &Arc<Source>) -> Result<(Document, Diagnostics), Diagnostics> {
    let (document, faults) = xml::read(source, &XmlLimits::default());
    let (Some(document), false) = (document, faults.has_errors()) else { return Err(faults) };
    let root = document.root();
    if root.name() == "root" {
        return Ok((document, faults));
    }
    Err(Diagnostic::new(Code::E0101, format!("the outermost element is `<{}>`, not `<root>`", root.name()))
        .at(source, root.name_span(), "`root` is expected")
        .note("only tree files are written anew: in other XML blanks may mean something")
        .help("Check that the path names a tree file.")
        .into())
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

fn unreadable(name: &str, path: &Path, fault: &io::Error) -> Diagnostic {
    let help = match fault.kind() {
        io::ErrorKind::NotFound => match neighbour(path) {
            Some(near) => format!("Did you mean `{}`?", near.display()),
            None => "Check the path; it is looked up from the current folder.".to_owned(),
        },
        io::ErrorKind::IsADirectory => "Name a file inside it.".to_owned(),
        io::ErrorKind::PermissionDenied => "Check the file's permissions.".to_owned(),
        _ => "Try again, or name another file.".to_owned(),
    };
    Diagnostic::new(Code::E0001, format!("the file `{name}` cannot be read"))
        .note(system_words(fault))
        .help(help)
}

/// The file of the same folder whose name is near to one that is not there.
fn neighbour(path: &Path) -> Option<PathBuf> {
    let typed = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let names: Vec<_> = (entries.flatten().take(NEIGHBOURS_MAX))
        .filter(|entry| entry.path().is_file())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    let near = did_you_mean(typed, names.iter().map(String::as_str))?;
    Some(path.with_file_name(near))
}
