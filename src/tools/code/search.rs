//! `search_code`.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, SearcherBuilder, sinks};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::{
    CODE_FILE_MATCHES_MAX, CODE_RESULTS_MAX, CODE_SEARCH_PARSED_MAX, CODE_SEARCH_RESULTS_DEFAULT,
};
use crate::manifest::ToolManifest;
use crate::tool::{CallContext, ToolError, TypedTool};
use crate::tools::code::index::{CodeIndex, Content};
use crate::tools::code::language::Language;
use crate::tools::code::line::{Columns, Lines, bounded};
use crate::tools::code::listing::{FileEntry, Skipped};
use crate::tools::code::matcher;
use crate::tools::code::pool;
use crate::tools::code::rank;
use crate::tools::code::tags::FileTags;

/// The arguments of `search_code`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SearchArguments {
    /// The text to look for, within one line. Case counts only if it has a capital letter.
    pub query: String,
    /// Most results that are returned, 20 unless told, at most 200.
    #[serde(default)]
    pub limit: Option<usize>,
    /// Only files in this language: `rust`, `python`, `markdown`, ...
    #[serde(default)]
    pub language: Option<String>,
    /// Whether the query is a regular expression. It is literal text unless told.
    #[serde(default)]
    pub regex: Option<bool>,
    /// The user on whose behalf the repository is looked into.
    #[serde(default)]
    pub user_id: Option<String>,
}

/// The result of `search_code`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct SearchOutput {
    /// The matching lines: definitions first, then whole words, then the rest, each by path.
    pub results: Vec<SearchHit>,
    /// How many lines match.
    pub total: usize,
    /// Whether some are not in `results`.
    pub truncated: bool,
    /// How many files were searched.
    pub files: usize,
    /// Files that were left out.
    pub skipped: Skipped,
}

/// A line that matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SearchHit {
    /// The file, relative to the root.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The column of the match, in characters from 1.
    pub column: u32,
    /// The line's text.
    pub text: String,
    /// The language of the file.
    pub language: String,
    /// Whether what matches is the name of a definition.
    pub is_definition: bool,
    /// The definition around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enclosing: Option<String>,
}

/// `search_code`: text search over a repository.
#[derive(Debug)]
pub struct SearchCode {
    index: Arc<CodeIndex>,
}

impl SearchCode {
    /// The tool on `index`.
    pub fn new(index: Arc<CodeIndex>) -> Self {
        Self { index }
    }
}

impl TypedTool for SearchCode {
    type Arguments = SearchArguments;
    type Output = SearchOutput;

    fn describe(&self) -> ToolManifest {
        Self::manifest("search_code", "Searches the text of a repository and ranks definitions first.")
            .category("code")
            .agent_scope(&["oracle", "librarian"])
            .timeout(Duration::from_secs(30))
            .idempotent()
            .success("size(result.results) > 0")
            .reads(&["query", "limit", "language", "user_id"])
            .writes("result", "code_search_results")
    }

    async fn call(&self, arguments: SearchArguments, cx: &CallContext) -> Result<SearchOutput, ToolError> {
        let index = Arc::clone(&self.index);
        cx.blocking(move |cx| search(&index, &arguments, cx)).await
    }
}

/// The matches of one file.
struct FileHits<'a> {
    file: &'a FileEntry,
    hits: Vec<Hit>,
    total: usize,
}

/// A line that matches, and where in it.
#[derive(Clone, Copy)]
struct Hit {
    line: u32,
    byte: usize,
    is_word: bool,
}

/// How well a line matches, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    ExactDefinition,
    Definition,
    Word,
    Part,
}

/// A hit with its place in the order of results.
struct RankedHit<'a> {
    class: Class,
    hit: Hit,
    file: &'a FileEntry,
}

fn search(
    index: &CodeIndex,
    arguments: &SearchArguments,
    cx: &CallContext,
) -> Result<SearchOutput, ToolError> {
    let matcher = matcher::of_query(&arguments.query, arguments.regex == Some(true))?;
    let language = arguments.language.as_deref().map(Language::parse).transpose()?;
    let limit = arguments.limit.unwrap_or(CODE_SEARCH_RESULTS_DEFAULT).clamp(1, CODE_RESULTS_MAX);
    let listing = index.list(cx)?;
    let wanted = |file: &&FileEntry| language.is_none_or(|language| *file.language == *language);
    let files: Vec<_> = listing.files.iter().filter(wanted).collect();
    let searched = pool::each(cx, "searched", &files, |_, &file| search_file(index, &matcher, file))?;
    let mut skipped = listing.skipped;
    let found: Vec<_> = searched.into_iter().filter_map(|content| count(content, &mut skipped)).collect();
    let total = found.iter().map(|each| each.total).sum();
    let tags = parse(index, &found, cx)?;
    skipped.too_slow += tags.values().filter(|tags| tags.given_up).count();
    let ranked = ranked(&found, &tags, &matcher);
    let results = read(index, &ranked[..ranked.len().min(limit)], &tags, cx)?;
    Ok(SearchOutput { truncated: total > results.len(), results, total, files: files.len(), skipped })
}

/// What a search of one file gives: its hits, or the reason that there is no text.
fn search_file<'a>(
    index: &CodeIndex,
    matcher: &RegexMatcher,
    file: &'a FileEntry,
) -> Result<Result<FileHits<'a>, Content>, ToolError> {
    let text = match index.read(&file.path) {
        Content::Text(text) => text,
        other => return Ok(Err(other)),
    };
    let mut found = FileHits { file, hits: Vec::new(), total: 0 };
    let sink = sinks::Bytes(|number, line| {
        found.total += 1;
        if found.hits.len() < CODE_FILE_MATCHES_MAX {
            found.hits.push(hit(matcher, number, line));
        }
        Ok(true)
    });
    searcher()
        .search_slice(matcher, &text, sink)
        .map_err(|error| ToolError::io(format!("searching {}", file.path), &error))?;
    Ok(Ok(found))
}

fn searcher() -> Searcher {
    SearcherBuilder::new().line_number(true).build()
}

/// The best match in a line: the first that is a whole word, else the first.
fn hit(matcher: &RegexMatcher, number: u64, line: &[u8]) -> Hit {
    let mut best: Option<(bool, usize)> = None;
    // The error type has no value.
    let _ = matcher.find_iter(line, |found| {
        let is_word = is_word(line, found.start(), found.end());
        if best.is_none_or(|(known, _)| is_word && !known) {
            best = Some((is_word, found.start()));
        }
        !is_word
    });
    let (is_word, byte) = best.unwrap_or_default();
    Hit { line: u32::try_from(number).unwrap_or(u32::MAX), byte, is_word }
}

fn is_word(line: &[u8], start: usize, end: usize) -> bool {
    let joins = |byte: Option<&u8>| {
        byte.is_some_and(|&byte| byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 128)
    };
    !joins(start.checked_sub(1).and_then(|at| line.get(at))) && !joins(line.get(end))
}

fn count<'a>(searched: Result<FileHits<'a>, Content>, skipped: &mut Skipped) -> Option<FileHits<'a>> {
    match searched {
        Ok(hits) => return Some(hits).filter(|hits| hits.total > 0),
        Err(Content::Binary) => skipped.binary += 1,
        Err(Content::TooLarge) => skipped.too_large += 1,
        Err(Content::Unreadable | Content::Text(_)) => skipped.unreadable += 1,
    }
    None
}

/// The tags of the files that match, up to [`CODE_SEARCH_PARSED_MAX`] of them: a query that is
/// everywhere gains nothing from parsing everything.
fn parse<'a>(
    index: &CodeIndex,
    found: &[FileHits<'a>],
    cx: &CallContext,
) -> Result<HashMap<&'a str, Arc<FileTags>>, ToolError> {
    let files =
        found.iter().filter_map(|each| each.file.language.grammar.map(|grammar| (each.file, grammar)));
    let files: Vec<_> = files.take(CODE_SEARCH_PARSED_MAX).collect();
    let tags = pool::each(cx, "parsed", &files, |worker, &file| index.tags(worker, cx, file))?;
    Ok(files.into_iter().map(|(file, _)| &*file.path).zip(tags).collect())
}

fn ranked<'a>(
    found: &[FileHits<'a>],
    tags: &HashMap<&str, Arc<FileTags>>,
    matcher: &RegexMatcher,
) -> Vec<RankedHit<'a>> {
    let mut ranked = Vec::new();
    for each in found {
        let names = definitions(tags.get(&*each.file.path), matcher);
        ranked.extend(each.hits.iter().map(|&hit| {
            let defined = names.get(&hit.line).copied();
            let class = defined.unwrap_or(if hit.is_word { Class::Word } else { Class::Part });
            RankedHit { class, hit, file: each.file }
        }));
    }
    ranked.sort_by_cached_key(|each| {
        (each.class, rank::is_aside(&each.file.path), Arc::clone(&each.file.path), each.hit.line)
    });
    ranked
}

/// The lines on which the name of a definition matches, and whether all of it does.
fn definitions(tags: Option<&Arc<FileTags>>, matcher: &RegexMatcher) -> HashMap<u32, Class> {
    let all = tags.iter().flat_map(|tags| &tags.definitions);
    let matching = all.filter_map(|definition| {
        let found = matcher::find(matcher, definition.name.as_bytes())?;
        let is_exact = found.len() == definition.name.len();
        Some((definition.line, if is_exact { Class::ExactDefinition } else { Class::Definition }))
    });
    let mut lines = HashMap::new();
    for (line, class) in matching {
        lines.entry(line).and_modify(|known: &mut Class| *known = (*known).min(class)).or_insert(class);
    }
    lines
}

/// The results with the text of their lines. A file is read once for all its results.
fn read(
    index: &CodeIndex,
    ranked: &[RankedHit<'_>],
    tags: &HashMap<&str, Arc<FileTags>>,
    cx: &CallContext,
) -> Result<Vec<SearchHit>, ToolError> {
    let mut sources: HashMap<&str, Vec<u8>> = HashMap::new();
    let mut results = Vec::new();
    for each in ranked {
        cx.check()?;
        let source = sources.entry(&each.file.path).or_insert_with(|| match index.read(&each.file.path) {
            Content::Text(text) => text,
            _ => Vec::new(),
        });
        results.push(result(each, source, tags.get(&*each.file.path)));
    }
    Ok(results)
}

fn result(each: &RankedHit<'_>, source: &[u8], tags: Option<&Arc<FileTags>>) -> SearchHit {
    let Hit { line, byte, .. } = each.hit;
    let lines = Lines::new(source);
    let start = lines.start(line);
    let is_definition = matches!(each.class, Class::ExactDefinition | Class::Definition);
    let offset = u32::try_from(start + byte).unwrap_or(u32::MAX);
    let around = tags.and_then(|tags| tags.enclosing(offset));
    let enclosing =
        around.and_then(
            |definition| {
                if definition.line == line { definition.owner() } else { Some(&*definition.name) }
            },
        );
    SearchHit {
        path: each.file.path.to_string(),
        line,
        column: Columns::new(source).column(start, start + byte),
        text: bounded(lines.get(line), byte),
        language: each.file.language.name.to_owned(),
        is_definition,
        enclosing: enclosing.map(str::to_owned),
    }
}
