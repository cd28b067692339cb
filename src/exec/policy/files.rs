//! The files that a call would write, as rules name them.

use std::path::{Path, PathBuf};

use globset::GlobMatcher;

use crate::diag::Label;
use crate::exec::policy::Word;
use crate::exec::policy::rule::plain_path;
use crate::harness::real_path;

/// What the files that a call would write have to be.
#[derive(Clone, Debug)]
pub(super) struct Files {
    /// One of these has to match.
    pub globs: Vec<GlobMatcher>,
    /// Where the name stands.
    pub label: Label,
}

/// A file that a call would write, by its names: its absolute path, and the one from the folder that
/// rules begin at, when it is below that.
#[derive(Debug)]
pub(super) struct Touched {
    /// As the preview names it.
    named: Vec<String>,
    /// Where that leads when a folder on the way is a link.
    real: Vec<String>,
}

impl Touched {
    pub fn new(file: &Path, from: Option<&PathBuf>) -> Self {
        Self { named: names(file, from), real: names(&real_path(file), from) }
    }

    /// The shortest name, and the one that it leads to, for people.
    pub fn name(&self) -> String {
        match (self.named.last(), self.real.last()) {
            (Some(named), Some(real)) if named != real => format!("`{named}`, which is `{real}`"),
            (named, _) => format!("`{}`", named.map_or("", String::as_str)),
        }
    }
}

fn names(file: &Path, from: Option<&PathBuf>) -> Vec<String> {
    let text = file.to_string_lossy();
    let absolute = plain_path(&text).unwrap_or_else(|| text.into_owned());
    let below = from.and_then(|from| Path::new(&absolute).strip_prefix(from).ok());
    let below = below.map(|path| path.to_string_lossy().into_owned());
    [Some(absolute), below].into_iter().flatten().collect()
}

impl Files {
    /// The file that makes the rule be about a call which would write these: any of them for a rule
    /// that keeps the call from running, under any of its names; for one that lets it run, all of them,
    /// and where they lead too.
    pub fn find<'f>(&self, word: Word, files: &'f [Touched]) -> Option<&'f Touched> {
        let one = |names: &[String]| names.iter().any(|name| self.globs.iter().any(|it| it.is_match(name)));
        match word {
            Word::Deny | Word::Ask => files.iter().find(|file| one(&file.named) || one(&file.real)),
            Word::Allow => {
                files.first().filter(|_| files.iter().all(|file| one(&file.named) && one(&file.real)))
            }
        }
    }
}
