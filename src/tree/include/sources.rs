//! The texts that a tree was loaded from.

use std::sync::Arc;

use crate::loader::{LoadFault, Loader, Location};
use crate::text::Source;

/// The texts that a tree is made of, the main one first, and which of them includes which: all that
/// is needed to load the tree again without its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources {
    files: Vec<SourceFile>,
}

/// One text of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The text.
    pub source: Arc<Source>,
    /// The paths that it includes, as it writes them, each with the number of the text there.
    pub includes: Vec<(Arc<str>, u32)>,
}

impl SourceFile {
    /// A text that includes nothing yet.
    pub(super) fn new(source: Arc<Source>) -> Self {
        Self { source, includes: Vec::new() }
    }
}

impl Sources {
    /// The texts of a tree, the main one first.
    ///
    /// # Errors
    /// When there is none, or an include names one that is not among them.
    pub fn new(files: Vec<SourceFile>) -> Result<Self, String> {
        if files.is_empty() {
            return Err("holds no text of a tree".to_owned());
        }
        for SourceFile { source, includes } in &files {
            if let Some((path, number)) = includes.iter().find(|(_, number)| *number as usize >= files.len())
            {
                return Err(format!(
                    "lets `{}` include `{path}` from text {number} of {}",
                    source.name(),
                    files.len()
                ));
            }
        }
        Ok(Self { files })
    }

    /// The main text.
    pub fn main(&self) -> &Arc<Source> {
        &self.files[0].source
    }

    /// All texts, the main one first.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    pub(super) fn location(&self, number: u32) -> Location {
        let name = self.files[number as usize].source.name().clone();
        let number: Arc<str> = number.to_string().into();
        Location { at: number.clone(), id: number, name }
    }

    fn file(&self, at: &Location) -> Result<&SourceFile, LoadFault> {
        let number = at.at.parse::<usize>().ok();
        number.and_then(|number| self.files.get(number)).ok_or(LoadFault::Missing { near: None })
    }
}

impl From<&Arc<Source>> for Sources {
    /// A tree of one text.
    fn from(source: &Arc<Source>) -> Self {
        Self { files: vec![SourceFile::new(source.clone())] }
    }
}

impl From<&Self> for Sources {
    fn from(sources: &Self) -> Self {
        sources.clone()
    }
}

/// What was loaded once is had again, and nothing else.
impl Loader for Sources {
    fn locate(&self, from: &Location, path: &str) -> Result<Location, LoadFault> {
        let includes = &self.file(from)?.includes;
        let found = includes.iter().find(|(written, _)| **written == *path);
        found.map(|&(_, number)| self.location(number)).ok_or(LoadFault::Missing { near: None })
    }

    fn read(&self, at: &Location, bytes_max: usize) -> Result<Vec<u8>, LoadFault> {
        let text = self.file(at)?.source.text();
        if text.len() > bytes_max { Err(LoadFault::TooLarge) } else { Ok(text.as_bytes().to_vec()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_there_can_be_included() {
        let file = |includes: &[(&str, u32)]| SourceFile {
            source: Source::new("a.xml", "<root/>"),
            includes: includes.iter().map(|&(path, number)| (path.into(), number)).collect(),
        };
        let refused = |files: Vec<SourceFile>, why: &str| assert_eq!(Sources::new(files).unwrap_err(), why);
        refused(Vec::new(), "holds no text of a tree");
        refused(vec![file(&[("b.xml", 1)])], "lets `a.xml` include `b.xml` from text 1 of 1");

        let sources = Sources::new(vec![file(&[("b.xml", 1)]), file(&[])]).unwrap();
        let there = sources.locate(&sources.location(0), "b.xml").unwrap();
        assert_eq!(there, sources.location(1));
        assert_eq!(sources.read(&there, 7), Ok(b"<root/>".to_vec()));
        assert_eq!(sources.read(&there, 6), Err(LoadFault::TooLarge));
        assert_eq!(sources.locate(&there, "b.xml"), Err(LoadFault::Missing { near: None }));
    }
}
