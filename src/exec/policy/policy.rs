//! The rules, and what they say of a call.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::call::Arguments;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::exec::collaborator::{DecidedBy, Decision, Permissions};
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
        Self { rules: BTreeMap::new(), defaults: Defaults::default() }
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

    /// Warnings about rules that can be about no call of these tools: a rule that names an argument
    /// that none of its tools has denies nothing, and nobody would notice.
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
        }
        doubts
    }

    fn rule(&self, word: Word, manifest: &ToolManifest, arguments: &Arguments) -> Option<&Rule> {
        self.rules.get(&word)?.iter().find(|rule| rule.is_about(word, manifest, arguments))
    }
}

impl Permissions for Policy {
    fn decide(&self, manifest: &ToolManifest, arguments: &Arguments) -> Decision {
        let found =
            Word::ALL.into_iter().find_map(|word| Some((word, self.rule(word, manifest, arguments)?)));
        if let Some((word, rule)) = found {
            return decision(word, DecidedBy::Rule(rule.name(word)), rule.why.clone());
        }
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

fn decision(word: Word, by: DecidedBy, why: Option<Arc<str>>) -> Decision {
    match word {
        Word::Deny => Decision::Deny { by, why },
        Word::Ask => Decision::Ask(by),
        Word::Allow => Decision::Allow(by),
    }
}
