//! One rule.

use std::path::{Component, Path};
use std::sync::Arc;

use globset::GlobMatcher;
use serde_json::Value as Json;

use crate::call::Arguments;
use crate::diag::Label;
use crate::exec::policy::Word;
use crate::exec::policy::files::Files;
use crate::manifest::{Effects, ToolManifest};

/// One rule: it is about a call when its tool, all of its arguments and its files match.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub tool: GlobMatcher,
    pub arguments: Vec<Argument>,
    pub files: Option<Files>,
    pub why: Option<Arc<str>>,
    /// `policy.toml:4`
    pub place: Arc<str>,
}

/// What one argument has to be.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    /// Its name, or the names down to a member of it, joined by dots.
    pub name: String,
    /// One of these has to match.
    pub globs: Vec<GlobMatcher>,
    /// Where the name stands.
    pub label: Label,
}

impl Rule {
    pub fn name(&self, word: Word) -> Arc<str> {
        format!("the rule `{}` at {}", word.as_str(), self.place).into()
    }

    /// Whether the rule is about the call, as far as its files do not matter. In doubt a rule that
    /// keeps a call from running is about it and one that lets it run is not: see [`Argument::matches`].
    pub fn is_about(&self, word: Word, manifest: &ToolManifest, arguments: &Arguments) -> bool {
        self.tool.is_match(manifest.name.as_str())
            && self.arguments.iter().all(|argument| argument.matches(word, arguments))
    }

    /// Where the rule names files, when all tools that it names write none.
    pub fn idle_files(&self, tools: &[&Arc<ToolManifest>]) -> Option<&Label> {
        let mut named = tools.iter().filter(|tool| self.tool.is_match(tool.name.as_str())).peekable();
        named.peek()?;
        let label = &self.files.as_ref()?.label;
        named.all(|tool| tool.effects != Effects::Writes).then_some(label)
    }

    /// The arguments that none of the tools has that the rule names, when it names any.
    pub fn idle_arguments(&self, tools: &[&Arc<ToolManifest>]) -> Vec<(&str, &Label)> {
        let named: Vec<_> = tools.iter().filter(|tool| self.tool.is_match(tool.name.as_str())).collect();
        let has = |tool: &ToolManifest, name: &str| {
            let schema = &tool.input_schema;
            // A tool that takes more than it names may take this.
            let is_open = schema.get("additionalProperties").is_some_and(|it| *it != Json::Bool(false));
            is_open || schema.pointer("/properties").is_some_and(|it| it.get(name).is_some())
        };
        let is_idle = |argument: &&Argument| {
            let first = argument.name.split('.').next().unwrap_or_default();
            !named.is_empty() && !named.iter().any(|tool| has(tool, first) || has(tool, &argument.name))
        };
        self.arguments.iter().filter(is_idle).map(|it| (it.name.as_str(), &it.label)).collect()
    }
}

impl Argument {
    /// Whether the argument of a call matches. A list or an object matches `deny` and `ask` when one
    /// of its texts does, `allow` when all do. So it is with the spellings of a path: a call must
    /// not get past `secrets/*` as `./x/../secrets/a`, nor be let in by `notes/*` as `notes/../a`.
    fn matches(&self, word: Word, arguments: &Arguments) -> bool {
        let Some(value) = find(arguments, &self.name) else { return false };
        let mut texts = Vec::new();
        leaves(value, &mut texts);
        let one = |text: &String| self.globs.iter().any(|glob| glob.is_match(text));
        match word {
            Word::Deny | Word::Ask => texts.iter().any(one),
            Word::Allow => !texts.is_empty() && texts.iter().all(one),
        }
    }
}

fn find<'a>(arguments: &'a Arguments, name: &str) -> Option<&'a Json> {
    arguments.get(name).or_else(|| {
        let (first, rest) = name.split_once('.')?;
        rest.split('.').try_fold(arguments.get(first)?, |value, part| value.get(part))
    })
}

/// All texts in a value, each in its spellings; what is no text in its JSON form. Arguments that
/// passed validation are nested within bounds.
fn leaves(value: &Json, into: &mut Vec<String>) {
    match value {
        Json::Array(items) => items.iter().for_each(|item| leaves(item, into)),
        Json::Object(members) => members.values().for_each(|member| leaves(member, into)),
        Json::String(text) => {
            into.push(text.clone());
            into.extend(plain_path(text).filter(|plain| plain != text));
        }
        scalar => into.push(scalar.to_string()),
    }
}

/// The path that a text spells, without `.`, `..` and doubled slashes; `None` for what is no path.
pub(super) fn plain_path(text: &str) -> Option<String> {
    if !text.contains('/') {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for component in Path::new(text).components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::ParentDir if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            Component::ParentDir => parts.push(".."),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    let root = if text.starts_with('/') { "/" } else { "" };
    Some(format!("{root}{}", parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_plain_spelling() {
        let rows = [
            ("a/b", Some("a/b")),
            ("./a//b/", Some("a/b")),
            ("a/../b", Some("b")),
            ("../b", Some("../b")),
            ("a/../../b", Some("../b")),
            ("/a/./b", Some("/a/b")),
            ("plain", None),
        ];
        for (text, expected) in rows {
            assert_eq!(plain_path(text).as_deref(), expected, "{text}");
        }
    }
}
