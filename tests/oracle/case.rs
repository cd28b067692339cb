//! One case: a tree and what the reference did with it.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use crate::oracle::directive::Directives;
use crate::oracle::trace::Trace;

/// A case as it lies in its folder.
pub struct Case {
    /// `007`
    pub number: String,
    /// `sequence-as-root-all-skipped`
    pub slug: String,
    /// Where its tree lies: what it includes is beside it.
    pub path: PathBuf,
    pub xml: String,
    pub directives: Directives,
    pub expected: Trace,
}

impl Case {
    /// `007-sequence-as-root-all-skipped`
    pub fn name(&self) -> String {
        format!("{}-{}", self.number, self.slug)
    }

    /// Puts another trace in place of what the reference did.
    ///
    /// # Errors
    /// When it does not read as a trace.
    pub fn expect_instead(&mut self, trace: &str) -> Result<(), Box<dyn Error>> {
        self.expected = Trace::read(trace)?;
        Ok(())
    }
}

/// All cases of a folder, by number.
///
/// # Errors
/// When the folder or a file in it cannot be read, or does not read as a case.
pub fn read_folder(folder: &Path) -> Result<Vec<Case>, Box<dyn Error>> {
    // The folder of the cases, or the one around it.
    let inside = folder.join("cases");
    let folder = if inside.is_dir() { &inside } else { folder };
    let mut cases = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() && path.extension().is_some_and(|extension| extension == "xml") {
            cases.push(read(&path).map_err(|why| format!("{}: {why}", path.display()))?);
        }
    }
    cases.sort_by(|a, b| a.number.cmp(&b.number));
    Ok(cases)
}

fn read(path: &Path) -> Result<Case, Box<dyn Error>> {
    let stem = path.file_stem().ok_or("a case has a name")?.to_string_lossy();
    let (number, slug) = stem.split_once('-').ok_or("a case is called NNN-slug.xml")?;
    // Some cases are about text that is no XML; none is about text that is no UTF-8.
    let xml = fs::read_to_string(path)?;
    let trace = fs::read_to_string(path.with_file_name(format!("{stem}.trace.jsonl")))?;
    Ok(Case {
        number: number.to_owned(),
        slug: slug.to_owned(),
        path: path.to_owned(),
        directives: Directives::read(&xml)?,
        expected: Trace::read(&trace)?,
        xml,
    })
}
