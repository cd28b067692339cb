//! The manifests of files and folders.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::document::{read_json, read_toml};
use super::{ProcessTool, Surroundings, manifest};
use crate::call::ToolName;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::limits::{MANIFEST_BYTES_MAX, MANIFESTS_MAX};
use crate::text::{Source, Span, system_words};

/// The tools of these manifest files, and of the files that end in `.toml` or `.json` in these
/// folders, by path. Nothing is started, but a command that cannot be run is told of.
///
/// # Errors
/// All faults of all files.
pub fn load(paths: &[PathBuf], surroundings: &Surroundings) -> Result<Vec<Arc<ProcessTool>>, Diagnostics> {
    let mut faults = Diagnostics::new();
    let mut tools: Vec<(Arc<Source>, Arc<ProcessTool>)> = Vec::new();
    for path in paths.iter().flat_map(|path| files(path, &mut faults)).collect::<Vec<_>>() {
        let Some((source, tool)) = one(&path, surroundings, &mut faults) else { continue };
        let name = &tool.spec().manifest.name;
        match tools.iter().find(|(_, other)| other.spec().manifest.name == *name) {
            Some((first, _)) => faults.push(duplicate(name, &source, first)),
            None => tools.push((source, Arc::new(tool))),
        }
    }
    if faults.has_errors() {
        faults.sort();
        return Err(faults);
    }
    Ok(tools.into_iter().map(|(_, tool)| tool).collect())
}

fn duplicate(name: &ToolName, source: &Arc<Source>, first: &Arc<Source>) -> Diagnostic {
    let start = Span::new(0, 0);
    Diagnostic::new(Code::E0606, format!("a second manifest is named `{name}`"))
        .at(source, start, "")
        .and_at(first, start, "the first one")
        .help("Give one of the two another name.")
}

/// The files that a path names.
fn files(path: &Path, faults: &mut Diagnostics) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let is_manifest =
        |path: &PathBuf| matches!(path.extension().and_then(OsStr::to_str), Some("toml" | "json"));
    let found = path.read_dir().and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()
    });
    let mut found: Vec<_> = match found {
        Ok(found) => found.into_iter().filter(is_manifest).collect(),
        Err(fault) => {
            faults.push(unreadable(path, &system_words(&fault)));
            return Vec::new();
        }
    };
    found.sort();
    if found.is_empty() {
        faults.push(unreadable(path, "the folder holds no `.toml` and no `.json` file"));
    }
    if found.len() > MANIFESTS_MAX {
        faults.push(unreadable(path, &format!("the folder holds more than {MANIFESTS_MAX} manifests")));
        found.clear();
    }
    found
}

fn one(
    path: &Path,
    surroundings: &Surroundings,
    faults: &mut Diagnostics,
) -> Option<(Arc<Source>, ProcessTool)> {
    let source = match read(path) {
        Ok(source) => source,
        Err(fault) => {
            faults.push(fault);
            return None;
        }
    };
    let before = faults.iter().count();
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    let node = if is_json { read_json(&source, faults) } else { read_toml(&source, faults) };
    // What a broken text seems to say would only be a second fault from the same cause.
    if faults.iter().skip(before).any(|fault| fault.code == Code::E0601) {
        return None;
    }
    let here = match std::path::absolute(path) {
        Ok(path) => path.parent().unwrap_or(Path::new("/")).to_owned(),
        Err(fault) => {
            faults.push(unreadable(path, &system_words(&fault)));
            return None;
        }
    };
    let search = surroundings.variable("PATH");
    let spec = manifest::read(&source, &node, &here, search.as_deref(), faults)?;
    match ProcessTool::new(spec, surroundings.clone()) {
        Ok(tool) => {
            let tool = tool.of_file(source.name());
            Some((source, tool))
        }
        Err(why) => {
            faults.push(Diagnostic::new(Code::E0604, why).at(&source, Span::new(0, 0), ""));
            None
        }
    }
}

fn read(path: &Path) -> Result<Arc<Source>, Diagnostic> {
    let mut bytes = Vec::new();
    let limit = MANIFEST_BYTES_MAX as u64 + 1;
    let read = std::fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes));
    read.map_err(|fault| unreadable(path, &system_words(&fault)))?;
    if bytes.len() > MANIFEST_BYTES_MAX {
        return Err(unreadable(path, &format!("it has more than {MANIFEST_BYTES_MAX} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|fault| {
        let at = fault.utf8_error().valid_up_to();
        Diagnostic::new(Code::E0002, format!("the manifest `{}` is no UTF-8", path.display()))
            .note(format!("the first byte that is none is number {}", at + 1))
            .help("Save the file as UTF-8.")
    })?;
    Ok(Source::new(path.display().to_string(), text))
}

fn unreadable(path: &Path, why: &str) -> Diagnostic {
    Diagnostic::new(Code::E0001, format!("the tools in `{}` cannot be read", path.display()))
        .note(why)
        .help("Name a manifest file, or a folder of manifests.")
}
