//! The rules as their file has them.

use std::sync::Arc;
use std::time::Duration;

use crate::diag::Diagnostics;
use crate::expr::Program;
use crate::status::Status;
use crate::text::{Source, Span};
use crate::tree::substitution::pattern::covers;
use crate::tree::substitution::read;

/// Which leaves give way to what: the JSON form of BehaviorTree.CPP.
#[derive(Clone, Debug)]
pub struct Substitutions {
    pub(super) source: Arc<Source>,
    pub(super) configs: Vec<TestConfig>,
    pub(super) rules: Vec<Rule>,
}

impl Substitutions {
    /// Reads the rules of a file.
    ///
    /// ```
    /// use helve::{text::Source, tree::Substitutions};
    /// let text = r#"{
    ///   "TestNodeConfigs": {"found": {"return_status": "SUCCESS", "post_script": "hits := 3"}},
    ///   "SubstitutionRules": {"search_code": "found", "*/slow_*": "AlwaysSuccess"}
    /// }"#;
    /// Substitutions::parse(&Source::new("offline.json", text))?;
    /// # Ok::<(), helve::diag::Diagnostics>(())
    /// ```
    ///
    /// # Errors
    /// All faults of the text. Whether a rule names a node that there is, and whether its pattern fits
    /// any, is known when a tree is compiled with it.
    pub fn parse(source: &Arc<Source>) -> Result<Self, Diagnostics> {
        read::read(source)
    }

    /// The text that they were read from.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The first rule, in the order of the file, for a leaf of this name, type and path.
    pub(super) fn find(&self, is_called: impl Fn(&str) -> bool, path: impl Fn() -> String) -> Option<usize> {
        let mut known: Option<String> = None;
        self.rules.iter().position(|rule| {
            is_called(&rule.pattern) || covers(&rule.pattern, known.get_or_insert_with(&path))
        })
    }
}

/// One rule.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub pattern: Arc<str>,
    pub pattern_span: Span,
    pub target: Arc<str>,
    pub target_span: Span,
}

/// How a test node behaves.
#[derive(Clone, Debug)]
pub(super) struct TestConfig {
    pub name: Arc<str>,
    pub status: Status,
    pub delay: Duration,
    pub scripts: [Option<Arc<Program>>; SCRIPTS.len()],
}

/// The fields that are scripts, in the order that they run in.
pub(super) const SCRIPTS: [&str; 4] =
    ["return_status_script", "success_script", "failure_script", "post_script"];
