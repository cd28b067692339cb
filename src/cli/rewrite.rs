//! Writes a file anew, whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use tempfile::Builder;

use crate::diag::{Code, Diagnostic};
use crate::text::Source;
use crate::text::system_words;
use crate::xml::{self, Document, XmlLimits};

/// The last look before a text goes out in the place of another: it is read again. Answers what was
/// read, which `is_right` has to agree to.
///
/// A text may be refused although the old one was read: `&amp;` is longer than the `&` that it
/// stands for, and values are bounded.
pub(super) fn prove(old: &Source, new: &str, is_right: impl Fn(&Document) -> bool) -> Result<(), Diagnostic> {
    let (document, faults) = xml::read(&Source::new(old.name().clone(), new), &XmlLimits::default());
    let fault = faults.iter().find(|fault| !fault.code.is_warning());
    let message = format!("`{}` cannot be written anew", old.name());
    match (document, fault) {
        (Some(document), None) if is_right(&document) => Ok(()),
        (_, Some(fault)) => Err(Diagnostic::new(Code::E0422, message)
            .note(format!("the new text was read before it is written, and refused: {}", fault.message))
            .help("Change the file by hand; nothing was written.")),
        _ => Err(Diagnostic::new(Code::E0422, message)
            .note("the new text was read before it is written, and says something else than the old one")
            .help("Report this with the file, for it is a fault of helve; nothing was written.")),
    }
}

/// Puts `new` in the place of a file that held `old`: to a temporary file beside it, synced, then
/// renamed. Nobody sees half a file, its permissions stay, and a link goes on pointing to it. A file
/// that somebody wrote meanwhile, or that may not be written, is left alone.
pub(super) fn rewrite(path: &Path, old: &[u8], new: &str) -> Result<(), Diagnostic> {
    replace(path, old, new).map_err(|fault| unwritable(path, &fault))
}

fn replace(path: &Path, old: &[u8], new: &str) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let permissions = fs::metadata(&path)?.permissions();
    if permissions.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = Builder::new().prefix(".helve-").tempfile_in(folder)?;
    file.write_all(new.as_bytes())?;
    file.as_file().set_permissions(permissions)?;
    file.as_file().sync_all()?;
    if fs::read(&path)? != old {
        return Err(io::Error::other("the file was changed meanwhile"));
    }
    file.persist(&path)?;
    Ok(())
}

fn unwritable(path: &Path, fault: &io::Error) -> Diagnostic {
    let help = match fault.kind() {
        io::ErrorKind::PermissionDenied => "Make the file and its folder writable.",
        io::ErrorKind::Other => "Run the command again.",
        _ => "Free space in the folder, or write to another place with `-`.",
    };
    Diagnostic::new(Code::E0421, format!("the file `{}` cannot be written", path.display()))
        .note(system_words(fault))
        .note("it is as it was before")
        .help(help)
}
