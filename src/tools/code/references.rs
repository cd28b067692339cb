//! `find_references`.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::{CODE_REFERENCES_DEFAULT, CODE_RESULTS_MAX};
use crate::manifest::ToolManifest;
use crate::tool::{CallContext, ToolError, TypedTool};
use crate::tools::code::definition::suggest;
use crate::tools::code::index::{CodeIndex, Content};
use crate::tools::code::kind::ReferenceKind;
use crate::tools::code::line::{Lines, bounded};
use crate::tools::code::listing::{FileEntry, Skipped};
use crate::tools::code::matcher;
use crate::tools::code::pool;
use crate::tools::code::rank;
use crate::tools::code::symbol::Symbol;
use crate::tools::code::tags::{Definition, FileTags, Occurrence};

/// The arguments of `find_references`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ReferencesArguments {
    /// The name whose uses are looked for. Only its last part counts in `Runtime::new`: names are
    /// compared, not types.
    pub symbol: String,
    /// Most references that are returned, 50 unless told, at most 200.
    #[serde(default)]
    pub limit: Option<usize>,
    /// The user on whose behalf the repository is looked into.
    #[serde(default)]
    pub user_id: Option<String>,
}

/// The result of `find_references`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct ReferencesOutput {
    /// The references, grouped by file: files that define the symbol first, tests last.
    pub references: Vec<Reference>,
    /// The same for reading: a Markdown list, files with their lines.
    pub listing: String,
    /// How many there are in all.
    pub total: usize,
    /// Whether some are not in `references`.
    pub truncated: bool,
    /// How many references each file has, in the order of `references`.
    pub files: Vec<FileCount>,
    /// Near names, when the symbol is not used at all.
    pub suggestions: Vec<String>,
    /// Files that were left out.
    pub skipped: Skipped,
}

/// A use of a symbol in code, never in a comment or a string.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reference {
    /// The file, relative to the root.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, in characters from 1.
    pub column: u32,
    /// The line's text.
    pub text: String,
    /// What the name does there.
    pub kind: ReferenceKind,
    /// Whether it is defined there.
    pub is_definition: bool,
    /// The definition around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enclosing: Option<String>,
}

/// A file and how often it uses a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileCount {
    /// The file, relative to the root.
    pub path: String,
    /// How many references it has.
    pub count: usize,
}

/// `find_references`: where a symbol is used.
#[derive(Debug)]
pub struct FindReferences {
    index: Arc<CodeIndex>,
}

impl FindReferences {
    /// The tool on `index`.
    pub fn new(index: Arc<CodeIndex>) -> Self {
        Self { index }
    }
}

impl TypedTool for FindReferences {
    type Arguments = ReferencesArguments;
    type Output = ReferencesOutput;

    fn describe(&self) -> ToolManifest {
        Self::manifest(
            "find_references",
            "Finds where a symbol is used in code: calls, types, imports and more.",
        )
        .category("code")
        .agent_scope(&["oracle"])
        .timeout(Duration::from_secs(30))
        .idempotent()
        .success("has(result.references)")
        .reads(&["symbol", "limit", "user_id"])
        .writes("result", "references_result")
    }

    async fn call(
        &self,
        arguments: ReferencesArguments,
        cx: &CallContext,
    ) -> Result<ReferencesOutput, ToolError> {
        let index = Arc::clone(&self.index);
        cx.blocking(move |cx| find(&index, &arguments, cx)).await
    }
}

/// A file with the places where it names the symbol.
struct Uses<'a> {
    file: &'a FileEntry,
    tags: Arc<FileTags>,
    name: u32,
    count: usize,
    defines: bool,
}

fn find(
    index: &CodeIndex,
    arguments: &ReferencesArguments,
    cx: &CallContext,
) -> Result<ReferencesOutput, ToolError> {
    let symbol = Symbol::parse(&arguments.symbol)?;
    let limit = arguments.limit.unwrap_or(CODE_REFERENCES_DEFAULT).clamp(1, CODE_RESULTS_MAX);
    let mut listing = index.list(cx)?;
    let files: Vec<_> = listing.parsed().collect();
    let word = matcher::of_word(&symbol.name)?;
    let parsed = pool::each(cx, "looked through", &files, |worker, &file| {
        index.tags_with(worker, cx, file, (&symbol.name, &word))
    })?;
    let too_slow = parsed.iter().flatten().filter(|tags| tags.given_up).count();
    let found =
        files.iter().zip(parsed).filter_map(|(&(file, _), tags)| Uses::new(file, tags?, &symbol.name));
    let mut uses: Vec<_> = found.collect();
    uses.sort_by_key(|each| (rank::is_aside(&each.file.path), Reverse(each.defines)));
    let total = uses.iter().map(|each| each.count).sum();
    let references = read(index, &uses, limit, cx)?;
    let suggestions = if total == 0 { suggest(index, &symbol.name, &listing, cx)? } else { Vec::new() };
    let counts = uses.iter().map(|each| FileCount { path: each.file.path.to_string(), count: each.count });
    let counts = counts.take(CODE_RESULTS_MAX).collect();
    listing.skipped.too_slow += too_slow;
    Ok(ReferencesOutput {
        truncated: total > references.len(),
        listing: listing_of(&references),
        references,
        total,
        files: counts,
        suggestions,
        skipped: listing.skipped,
    })
}

/// A Markdown list of files, each with the lines of its references.
fn listing_of(references: &[Reference]) -> String {
    let mut text = String::new();
    for file in references.chunk_by(|one, next| one.path == next.path) {
        text.push_str(&format!("- `{}`\n", file[0].path));
        for reference in file {
            // A code span that holds a backtick is fenced by two.
            let (open, close) = if reference.text.contains('`') { ("`` ", " ``") } else { ("`", "`") };
            text.push_str(&format!("  - {}: {open}{}{close}\n", reference.line, reference.text.trim()));
        }
    }
    text
}

/// The first `limit` references with the text of their lines.
fn read(
    index: &CodeIndex,
    uses: &[Uses<'_>],
    limit: usize,
    cx: &CallContext,
) -> Result<Vec<Reference>, ToolError> {
    let mut references = Vec::new();
    for each in uses {
        if references.len() >= limit {
            break;
        }
        cx.check()?;
        let Content::Text(source) = index.read(&each.file.path) else { continue };
        let lines = Lines::new(&source);
        let room = limit - references.len();
        references.extend(each.places().take(room).map(|place| each.reference(place, &lines)));
    }
    Ok(references)
}

impl<'a> Uses<'a> {
    fn new(file: &'a FileEntry, tags: Arc<FileTags>, name: &str) -> Option<Self> {
        let name = tags.name(name)?;
        let of_name = || tags.occurrences.iter().filter(|place| place.name == name);
        let count = of_name().count();
        let defines = of_name().any(|place| place.kind == ReferenceKind::Definition);
        Some(Self { file, name, count, defines, tags })
    }

    fn places(&self) -> impl Iterator<Item = &Occurrence> {
        self.tags.occurrences.iter().filter(|place| place.name == self.name)
    }

    fn reference(&self, place: &Occurrence, lines: &Lines<'_>) -> Reference {
        let start = lines.start(place.line);
        let is_definition = place.kind == ReferenceKind::Definition;
        let around = self.tags.enclosing(place.start);
        let enclosing = if is_definition {
            around.and_then(Definition::owner)
        } else {
            around.map(|definition| &*definition.name)
        };
        Reference {
            path: self.file.path.to_string(),
            line: place.line,
            column: place.column,
            text: bounded(lines.get(place.line), (place.start as usize).saturating_sub(start)),
            kind: place.kind,
            is_definition,
            enclosing: enclosing.map(str::to_owned),
        }
    }
}
