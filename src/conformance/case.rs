//! One case: a tree and what the reference did with it.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::conformance::{CaseError, Directives, Trace};
use crate::limits::XML_BYTES_MAX;

/// A case as it lies in its folder.
pub struct Case {
    /// `007`
    pub number: String,
    /// `sequence-as-root-all-skipped`
    pub slug: String,
    /// Where its tree lies, when it is a file: what it includes is beside it.
    pub path: Option<PathBuf>,
    /// The tree.
    pub xml: String,
    /// What it asks for besides.
    pub directives: Directives,
    /// What the reference did.
    pub expected: Trace,
}

impl Case {
    /// `007-sequence-as-root-all-skipped`
    pub fn name(&self) -> String {
        format!("{}-{}", self.number, self.slug)
    }

    /// A case from its two texts.
    ///
    /// # Errors
    /// Why one of them does not read.
    pub fn read(name: &str, xml: String, trace: &str) -> Result<Self, String> {
        let (number, slug) = name.split_once('-').ok_or("its name is not NNN-slug.xml")?;
        Ok(Self {
            number: number.to_owned(),
            slug: slug.to_owned(),
            path: None,
            directives: Directives::read(&xml)?,
            expected: Trace::read(trace).map_err(|why| format!("the trace: {why}"))?,
            xml,
        })
    }
}

/// All cases of a folder, or of the folder `cases` in it, by name.
///
/// # Errors
/// When the folder or a file in it cannot be read, does not read as a case, or there is none.
pub fn read_folder(folder: &Path) -> Result<Vec<Case>, CaseError> {
    let inside = folder.join("cases");
    let folder = if inside.is_dir() { &inside } else { folder };
    let unreadable = |fault| CaseError::unreadable(folder, &fault);
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_file() && path.extension().is_some_and(|extension| extension == "xml") {
            paths.push(path);
        }
    }
    paths.sort();
    if paths.is_empty() {
        return Err(CaseError::new(folder, "the folder holds no case"));
    }
    paths.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Result<Case, CaseError> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let trace = path.with_file_name(format!("{name}.trace.jsonl"));
    if !trace.exists() {
        return Err(CaseError::new(path, format!("there is no `{name}.trace.jsonl` beside it")));
    }
    // Some cases are about text that is no XML; none is about text that is no UTF-8.
    let (xml, trace) = (text(path)?, text(&trace)?);
    let case = Case::read(&name, xml, &trace).map_err(|why| CaseError::new(path, why))?;
    Ok(Case { path: Some(path.to_owned()), ..case })
}

/// A text of no more than [`XML_BYTES_MAX`].
fn text(path: &Path) -> Result<String, CaseError> {
    let mut text = String::new();
    File::open(path)
        .and_then(|file| file.take(XML_BYTES_MAX as u64 + 1).read_to_string(&mut text))
        .map_err(|fault| CaseError::unreadable(path, &fault))?;
    if text.len() > XML_BYTES_MAX {
        return Err(CaseError::new(path, format!("it is larger than {XML_BYTES_MAX} bytes")));
    }
    Ok(text)
}
