//! The faults found so far, bounded.

use std::sync::Arc;

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::limits::{XML_ERRORS_MAX, XML_WARNINGS_OF_A_CODE_MAX};
use crate::text::Source;

/// Collects the faults of one text.
///
/// Words are made only for what is kept, so a file with a million warnings costs a million counts.
pub(super) struct Faults<'s> {
    source: &'s Arc<Source>,
    found: Vec<Diagnostic>,
    errors: usize,
    warnings: Vec<(Code, usize)>,
    usable: bool,
}

impl<'s> Faults<'s> {
    /// None yet.
    pub fn new(source: &'s Arc<Source>) -> Self {
        Self { source, found: Vec::new(), errors: 0, warnings: Vec::new(), usable: true }
    }

    /// An error after which the structure is still what the author meant.
    pub fn error(&mut self, words: impl FnOnce(&Arc<Source>) -> Diagnostic) {
        if !self.is_full() {
            self.found.push(words(self.source));
        }
        self.errors += 1;
        self.usable &= !self.is_full();
    }

    /// An error after which the structure is a guess: good for finding more faults in the text, not
    /// good enough for a document.
    pub fn fatal(&mut self, words: impl FnOnce(&Arc<Source>) -> Diagnostic) {
        self.usable = false;
        self.error(words);
    }

    /// Something read as the reference reader does.
    pub fn warning(&mut self, code: Code, words: impl FnOnce(&Arc<Source>) -> Diagnostic) {
        if self.count(code) <= XML_WARNINGS_OF_A_CODE_MAX {
            self.found.push(words(self.source));
        }
    }

    /// Counts one more warning of a code.
    fn count(&mut self, code: Code) -> usize {
        let index = self.warnings.iter().position(|&(known, _)| known == code).unwrap_or_else(|| {
            self.warnings.push((code, 0));
            self.warnings.len() - 1
        });
        self.warnings[index].1 += 1;
        self.warnings[index].1
    }

    /// Whether so many errors were found that reading should stop.
    pub fn is_full(&self) -> bool {
        self.errors >= XML_ERRORS_MAX
    }

    /// Whether the structure is what the author meant.
    pub fn is_usable(&self) -> bool {
        self.usable
    }

    /// All of them, in the order of the text.
    pub fn finish(mut self) -> Diagnostics {
        self.say_what_is_not_shown();
        let mut diagnostics = Diagnostics::new();
        self.found.into_iter().for_each(|fault| diagnostics.push(fault));
        diagnostics.sort();
        diagnostics
    }

    fn say_what_is_not_shown(&mut self) {
        for &(code, count) in &self.warnings {
            let more = count.saturating_sub(XML_WARNINGS_OF_A_CODE_MAX);
            let last = self.found.iter_mut().rfind(|fault| fault.code == code);
            if let (1.., Some(last)) = (more, last) {
                last.notes.push(format!("{more} more of these follow and are not shown"));
            }
        }
        let last = self.found.iter_mut().rfind(|fault| !fault.code.is_warning());
        if let (XML_ERRORS_MAX.., Some(last)) = (self.errors, last) {
            last.notes.push(format!("reading stopped here: the text has {XML_ERRORS_MAX} errors already"));
        }
    }
}
