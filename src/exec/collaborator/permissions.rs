//! What is allowed, what is asked for and what is denied, before anybody is asked.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::call::Arguments;
use crate::manifest::ToolManifest;

/// The rules: asked for every call that its gates let in, with the arguments as the tool gets them.
/// It is asked in the executor's own task, so it must not block.
pub trait Permissions: Send + Sync + 'static {
    /// What is to happen with such a call.
    fn decide(&self, manifest: &ToolManifest, arguments: &Arguments) -> Decision;

    /// Whether that may change with the files that the call would write: then
    /// [`decide_files`](Self::decide_files) has the last word. Asked for tools that write alone.
    fn looks_at_files(&self, _: &ToolManifest, _: &Arguments) -> bool {
        false
    }

    /// What is to happen with a call that would write these files, by their absolute paths; `None` for
    /// a tool that cannot say. Asked on a thread that may block.
    fn decide_files(
        &self,
        manifest: &ToolManifest,
        arguments: &Arguments,
        _: Option<&[PathBuf]>,
    ) -> Decision {
        self.decide(manifest, arguments)
    }
}

/// What the rules say of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Decision {
    /// It runs.
    Allow(DecidedBy),
    /// Somebody has to say yes first.
    Ask(DecidedBy),
    /// It does not run, whoever says yes.
    Deny {
        /// What says so.
        by: DecidedBy,
        /// Why, when the rule tells.
        why: Option<Arc<str>>,
    },
}

/// Where a decision comes from, in words that end *because ...*.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecidedBy {
    /// What holds when no rule is about the call. It takes no allocation, for it is on the way of
    /// every call.
    Default(&'static str),
    /// A rule that somebody wrote.
    Rule(Arc<str>),
}

impl fmt::Display for DecidedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default(words) => f.pad(words),
            Self::Rule(words) => f.pad(words),
        }
    }
}

/// A tool that says of itself that it wants a confirmation is asked for, and everything else runs:
/// whoever embeds the executor has chosen its tools in code.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToolsOwnWord;

impl Permissions for ToolsOwnWord {
    fn decide(&self, manifest: &ToolManifest, _: &Arguments) -> Decision {
        if manifest.confirms {
            Decision::Ask(DecidedBy::Default("the tool wants a confirmation"))
        } else {
            Decision::Allow(DecidedBy::Default("the tool wants no confirmation"))
        }
    }
}
