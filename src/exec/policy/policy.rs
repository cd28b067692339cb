//! The rules, and what they say of a call.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::call::Arguments;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::exec::collaborator::{DecidedBy, Decision, Permissions};
use crate::exec::policy::files::Touched;
use crate::exec::policy::read::read;
use crate::exec::policy::rule::Rule;
use crate::manifest::{Effects, ToolManifest};
use crate::text::Source;

/// Rules of permissions.
///
/// # Example
/// ```
/// use helve::exec::policy::Policy;
/// use helve::text::Source;
///
/// let source = Source::new("policy.toml", "deny = [{ tool = \"*\", arguments = { path = \"secrets/*\" } }]\n");
/// let policy = Policy::read(&source)?;
/// # Ok::<_, helve::diag::Diagnostics>(())
/// ```
#[derive(Clone, Debug)]
pub struct Policy {
    /// By their words; each list in the order of the file.
    pub(super) rules: BTreeMap<Word, Vec<Rule>>,
    pub(super) defaults: Defaults,
    /// The folder that the globs of files begin at.
    from: Option<PathBuf>,
}

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Word {
    /// The call does not run.
    Deny,
    /// Somebody has to say yes.
    Ask,
    /// The call runs.
    Allow,
}

impl Word {
    /// In the order in which they are looked at.
    pub const ALL: [Self; 3] = [Self::Deny, Self::Ask, Self::Allow];

    /// The word in a file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }
}

/// What is said of a call that no rule is about, by what its tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Defaults {
    pub read_only: Word,
    pub writes: Word,
    pub external: Word,
}

impl Default for Defaults {
    /// What changes nothing runs; everything else is asked for.
    fn default() -> Self {
        Self { read_only: Word::Allow, writes: Word::Ask, external: Word::Ask }
    }
}

impl Default for Policy {
    /// No rules: tools that only look run, and all others are asked for.
    fn default() -> Self {
        Self { rules: BTreeMap::new(), defaults: Defaults::default(), from: None }
    }
}

impl Policy {
    /// Reads a policy from the text of its file.
    ///
    /// # Errors
    /// All faults of the file, each with its place.
    pub fn read(source: &Arc<Source>) -> Result<Self, Diagnostics> {
        read(source)
    }

    /// The same rules, whose globs of files begin at this folder, an absolute path without links. In a
    /// policy without it they have to match absolute paths.
    #[must_use]
    pub fn from_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.from = Some(folder.into());
        self
    }

    /// Warnings about rules that can be about no call of these tools: a rule that names an argument
    /// that none of its tools has, or files where none of them writes, denies nothing, and nobody would
    /// notice.
    pub fn doubts<'m>(&self, tools: impl IntoIterator<Item = &'m Arc<ToolManifest>>) -> Diagnostics {
        let tools: Vec<_> = tools.into_iter().collect();
        let mut doubts = Diagnostics::new();
        for rule in self.rules.values().flatten() {
            for (name, place) in rule.idle_arguments(&tools) {
                let message = format!("no tool that the rule names has an argument `{name}`");
                doubts.push(
                    Diagnostic::new(Code::W0701, message)
                        .at(&place.source, place.span, "so the rule is about no call")
                        .help("`helve tools NAME` lists the arguments of a tool."),
                );
            }
            if let Some(place) = rule.idle_files(&tools) {
                doubts.push(
                    Diagnostic::new(Code::W0701, "no tool that the rule names writes files")
                        .at(&place.source, place.span, "so the rule is about no call")
                        .help("Only the files that a tool would write are looked at; for others name an argument."),
                );
            }
        }
        doubts
    }

    /// The rules that are about the call, as far as their files do not matter: deny, ask, allow.
    fn about<'p>(
        &'p self,
        manifest: &'p ToolManifest,
        arguments: &'p Arguments,
    ) -> impl Iterator<Item = (Word, &'p Rule)> {
        let of = move |word| {
            let rules = self.rules.get(&word).into_iter().flatten();
            rules.filter(move |rule| rule.is_about(word, manifest, arguments)).map(move |rule| (word, rule))
        };
        Word::ALL.into_iter().flat_map(of)
    }

    /// What is said of a call that no rule is about.
    fn default_of(&self, manifest: &ToolManifest) -> Decision {
        let (word, words) = match manifest.effects {
            Effects::ReadOnly => (self.defaults.read_only, "the default for tools that only look"),
            Effects::Writes => (self.defaults.writes, "the default for tools that write"),
            Effects::External => (self.defaults.external, "the default for tools that speak to the outside"),
        };
        match word {
            // A tool that wants a confirmation is only let off by a rule that is about it.
            Word::Allow if manifest.confirms => {
                Decision::Ask(DecidedBy::Default("the tool wants a confirmation"))
            }
            word => decision(word, DecidedBy::Default(words), None),
        }
    }
}

impl Permissions for Policy {
    fn decide(&self, manifest: &ToolManifest, arguments: &Arguments) -> Decision {
        let found = self.about(manifest, arguments).find(|(_, rule)| rule.files.is_none());
        match found {
            Some((word, rule)) => decision(word, DecidedBy::Rule(rule.name(word)), rule.why.clone()),
            None => self.default_of(manifest),
        }
    }

    fn looks_at_files(&self, manifest: &ToolManifest, arguments: &Arguments) -> bool {
        self.about(manifest, arguments).any(|(_, rule)| rule.files.is_some())
    }

    fn decide_files(
        &self,
        manifest: &ToolManifest,
        arguments: &Arguments,
        files: Option<&[PathBuf]>,
    ) -> Decision {
        let touched = |files: &[PathBuf]| {
            files.iter().map(|file| Touched::new(file, self.from.as_ref())).collect::<Vec<_>>()
        };
        let touched = files.map(touched);
        let mut doubt = None;
        for (word, rule) in self.about(manifest, arguments) {
            let Some(globs) = &rule.files else {
                let decided = decision(word, DecidedBy::Rule(rule.name(word)), rule.why.clone());
                return unless_doubted(decided, doubt);
            };
            match &touched {
                Some(files) => {
                    if let Some(file) = globs.find(word, files) {
                        let by = format!("{}, about {}", rule.name(word), file.name());
                        return decision(word, DecidedBy::Rule(by.into()), rule.why.clone());
                    }
                }
                None if word == Word::Allow => {}
                None => doubt = doubt.or_else(|| Some(in_doubt(word, rule))),
            }
        }
        unless_doubted(self.default_of(manifest), doubt)
    }
}

/// A rule about files that might be about the call, for nobody knows its files.
fn in_doubt(word: Word, rule: &Rule) -> DecidedBy {
    let rule = rule.name(word);
    DecidedBy::Rule(format!("{rule}, for the tool cannot say which files it would write").into())
}

/// Nothing runs unasked that a rule may be meant to keep from running.
fn unless_doubted(decided: Decision, doubt: Option<DecidedBy>) -> Decision {
    match (decided, doubt) {
        (Decision::Allow(_), Some(doubt)) => Decision::Ask(doubt),
        (decided, _) => decided,
    }
}

fn decision(word: Word, by: DecidedBy, why: Option<Arc<str>>) -> Decision {
    match word {
        Word::Deny => Decision::Deny { by, why },
        Word::Ask => Decision::Ask(by),
        Word::Allow => Decision::Allow(by),
    }
}
