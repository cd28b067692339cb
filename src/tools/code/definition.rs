//! `find_definition`.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::{CODE_OTHERS_MAX, CODE_SUGGESTIONS_MAX};
use crate::manifest::ToolManifest;
use crate::tool::{CallContext, ToolError, TypedTool};
use crate::tools::code::index::CodeIndex;
use crate::tools::code::kind::{is_wanted, parse_kind};
use crate::tools::code::listing::{FileEntry, Listing, Skipped};
use crate::tools::code::matcher;
use crate::tools::code::pool;
use crate::tools::code::rank;
use crate::tools::code::symbol::Symbol;
use crate::tools::code::tags::{Definition, FileTags};

/// The arguments of `find_definition`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct DefinitionArguments {
    /// The name of a function, type, method, constant, macro or module. It may be qualified:
    /// `Runtime::new`, `Ring.push`.
    pub symbol: String,
    /// A folder or file relative to the repository's root; definitions elsewhere are only listed
    /// under `others` when there is none inside.
    #[serde(default)]
    pub scope: Option<String>,
    /// The kind that is meant: `function`, `method`, `struct`, `class`, `enum`, `trait`,
    /// `interface`, `type` (any type), `module`, `macro`, `constant`, `variable`, `variant`, `field`.
    #[serde(default)]
    pub kind: Option<String>,
    /// The user on whose behalf the repository is looked into.
    #[serde(default)]
    pub user_id: Option<String>,
}

/// The result of `find_definition`. Without a match it has neither `path` nor `line`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct DefinitionOutput {
    /// The best candidate; its fields are fields of the result.
    #[serde(flatten)]
    pub best: Option<Candidate>,
    /// Further candidates, best first.
    pub others: Vec<Candidate>,
    /// How many candidates there are.
    pub total: usize,
    /// Near names, when no definition matched.
    pub suggestions: Vec<String>,
    /// What was looked for in vain, when no definition matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Files that were left out.
    pub skipped: Skipped,
}

/// A definition and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Candidate {
    /// The file, relative to the root.
    pub path: String,
    /// The line of the name, from 1.
    pub line: u32,
    /// The column of the name, in characters from 1.
    pub column: u32,
    /// What it is: `function`, `struct`, ...
    pub kind: String,
    /// The name.
    pub name: String,
    /// The type, trait, class or module that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// The source of the definition up to its body, on one line.
    pub signature: String,
    /// The comment or docstring that belongs to it, without its marks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
}

/// `find_definition`: where a symbol is defined.
#[derive(Debug)]
pub struct FindDefinition {
    index: Arc<CodeIndex>,
}

impl FindDefinition {
    /// The tool on `index`.
    pub fn new(index: Arc<CodeIndex>) -> Self {
        Self { index }
    }
}

impl TypedTool for FindDefinition {
    type Arguments = DefinitionArguments;
    type Output = DefinitionOutput;

    fn describe(&self) -> ToolManifest {
        Self::manifest(
            "find_definition",
            "Finds where a function, type, method, constant or macro is defined.",
        )
        .category("code")
        .agent_scope(&["oracle"])
        .timeout(Duration::from_secs(30))
        .idempotent()
        .success("has(result.path) && has(result.line)")
        .reads(&["symbol", "scope", "kind", "user_id"])
        .writes("result", "definition_result")
    }

    async fn call(
        &self,
        arguments: DefinitionArguments,
        cx: &CallContext,
    ) -> Result<DefinitionOutput, ToolError> {
        let index = Arc::clone(&self.index);
        cx.blocking(move |cx| find(&index, &arguments, cx)).await
    }
}

fn find(
    index: &CodeIndex,
    arguments: &DefinitionArguments,
    cx: &CallContext,
) -> Result<DefinitionOutput, ToolError> {
    let symbol = Symbol::parse(&arguments.symbol)?;
    let kind = arguments.kind.as_deref().map(parse_kind).transpose()?;
    let scope = index.scope(arguments.scope.as_deref())?;
    let mut listing = index.list(cx)?;
    let files: Vec<_> = listing.parsed().collect();
    let word = matcher::of_word(&symbol.name)?;
    let parsed = pool::each(cx, "looked through", &files, |worker, &file| {
        index.tags_with(worker, cx, file, (&symbol.name, &word))
    })?;
    let found = || files.iter().zip(&parsed).filter_map(|(&(file, _), tags)| Some((file, tags.as_deref()?)));
    let too_slow = found().filter(|(_, tags)| tags.given_up).count();
    let fits = |file: &FileEntry, definition: &Definition| {
        scope.holds(&file.path) && kind.is_none_or(|kind| is_wanted(kind, definition.kind))
    };
    let (meant, aside): (Vec<_>, Vec<_>) =
        ranked(&symbol, found()).into_iter().partition(|&(file, definition)| fits(file, definition));
    let mut output = if meant.is_empty() {
        let suggestions =
            if aside.is_empty() { suggest(index, &symbol.name, &listing, cx)? } else { Vec::new() };
        not_found(arguments, &aside, suggestions)
    } else {
        answer(&meant)
    };
    listing.skipped.too_slow += too_slow;
    output.skipped = listing.skipped;
    Ok(output)
}

/// All definitions of a symbol, best first.
fn ranked<'a>(
    symbol: &Symbol,
    found: impl Iterator<Item = (&'a FileEntry, &'a FileTags)>,
) -> Vec<(&'a FileEntry, &'a Definition)> {
    let mut candidates: Vec<_> = found
        .flat_map(|(file, tags)| tags.definitions.iter().map(move |definition| (file, definition)))
        .filter(|(_, definition)| *definition.name == *symbol.name)
        .collect();
    candidates.sort_by_cached_key(|(file, definition)| rank::key(symbol, &file.path, definition));
    candidates
}

fn answer(candidates: &[(&FileEntry, &Definition)]) -> DefinitionOutput {
    let total = candidates.len();
    let mut candidates = candidates.iter().map(|&(file, definition)| Candidate::new(file, definition));
    DefinitionOutput {
        best: candidates.next(),
        others: candidates.take(CODE_OTHERS_MAX).collect(),
        total,
        ..DefinitionOutput::default()
    }
}

/// The answer when nothing fits: what the same name is elsewhere or as another kind, or near names.
fn not_found(
    arguments: &DefinitionArguments,
    aside: &[(&FileEntry, &Definition)],
    suggestions: Vec<String>,
) -> DefinitionOutput {
    let mut message = format!("no definition of `{}`", arguments.symbol.trim());
    if let Some(kind) = &arguments.kind {
        message += &format!(" that is a {kind}");
    }
    if let Some(scope) = &arguments.scope {
        message += &format!(" under `{scope}`");
    }
    if !aside.is_empty() {
        message += "; `others` lists what has this name elsewhere or is of another kind";
    } else if let Some(near) = suggestions.first() {
        message += &format!("; did you mean `{near}`?");
    }
    let others =
        aside.iter().take(CODE_OTHERS_MAX).map(|&(file, definition)| Candidate::new(file, definition));
    DefinitionOutput {
        others: others.collect(),
        suggestions,
        message: Some(message),
        ..DefinitionOutput::default()
    }
}

/// Defined names near `name`, nearest first. It parses every file: worth it, because a wrong name
/// would otherwise cost the caller a search of its own.
pub fn suggest(
    index: &CodeIndex,
    name: &str,
    listing: &Listing,
    cx: &CallContext,
) -> Result<Vec<String>, ToolError> {
    let files: Vec<_> = listing.parsed().collect();
    let all = pool::each(cx, "looked for near names in", &files, |worker, &file| {
        let tags = index.tags(worker, cx, file)?;
        let near =
            |definition: &Definition| Some((distance(name, &definition.name)?, definition.name.to_string()));
        Ok(tags.definitions.iter().filter_map(near).collect::<Vec<_>>())
    })?;
    let nearest: BTreeSet<_> = all.into_iter().flatten().collect();
    Ok(nearest.into_iter().map(|(_, name)| name).take(CODE_SUGGESTIONS_MAX).collect())
}

/// How far a known name is from the one asked for; `None` when it is another name altogether.
fn distance(asked: &str, known: &str) -> Option<usize> {
    let (asked, known) = (asked.to_lowercase(), known.to_lowercase());
    let longest = asked.len().max(known.len());
    // A name that holds the other is near, but further than a slip of the fingers.
    let holds = || (asked.len() >= 4 && known.contains(&asked)).then_some(longest);
    if asked.len().abs_diff(known.len()) > longest / 3 {
        return holds();
    }
    let edits = strsim::damerau_levenshtein(&asked, &known);
    if edits <= longest / 3 { Some(edits) } else { holds() }
}

impl Candidate {
    fn new(file: &FileEntry, definition: &Definition) -> Self {
        Self {
            path: file.path.to_string(),
            line: definition.line,
            column: definition.column,
            kind: definition.kind.to_owned(),
            name: definition.name.to_string(),
            container: definition.owner().map(str::to_owned),
            signature: definition.signature.to_string(),
            doc: definition.doc.as_deref().map(str::to_owned),
        }
    }
}
