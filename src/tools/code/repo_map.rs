//! `get_repo_map`.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::{CODE_MAP_FILE_SYMBOLS_MAX, CODE_MAP_TOKENS_DEFAULT, CODE_MAP_TOKENS_MAX};
use crate::manifest::ToolManifest;
use crate::tool::{CallContext, ToolError, TypedTool};
use crate::tools::code::graph::{self, MapFile, Ranked};
use crate::tools::code::index::CodeIndex;
use crate::tools::code::listing::{Listing, Skipped};
use crate::tools::code::map_text::{self, MapText};
use crate::tools::code::pool;
use crate::tools::code::rank::is_aside;
use crate::tools::code::scope::Scope;

/// The arguments of `get_repo_map`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct MapArguments {
    /// A folder or file relative to the repository's root to draw the map of. What matters in it
    /// is still judged by the whole repository.
    #[serde(default)]
    pub scope: Option<String>,
    /// Most tokens of the map, 1024 unless told, at most 32768. A token is counted as four
    /// characters.
    #[serde(default)]
    pub max_tokens: Option<usize>,
    /// The user on whose behalf the repository is looked into.
    #[serde(default)]
    pub user_id: Option<String>,
}

/// The result of `get_repo_map`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct MapOutput {
    /// The map: files with their most important definitions and the lines they are on, most
    /// important files first.
    pub map_text: String,
    /// How many files the scope has.
    pub files: usize,
    /// How many definitions the scope has that a map may show.
    pub symbols: usize,
    /// How many files the map names.
    pub files_shown: usize,
    /// How many definitions the map shows.
    pub symbols_shown: usize,
    /// About how many tokens the map has: a quarter of its characters, rounded up.
    pub tokens: usize,
    /// How many files of the scope are in each language.
    pub languages: BTreeMap<String, usize>,
    /// Whether some definitions or files are not on the map.
    pub truncated: bool,
    /// Files that were left out.
    pub skipped: Skipped,
}

/// `get_repo_map`: what a repository consists of, in few words.
#[derive(Debug)]
pub struct GetRepoMap {
    index: Arc<CodeIndex>,
}

impl GetRepoMap {
    /// The tool on `index`.
    pub fn new(index: Arc<CodeIndex>) -> Self {
        Self { index }
    }
}

impl TypedTool for GetRepoMap {
    type Arguments = MapArguments;
    type Output = MapOutput;

    fn describe(&self) -> ToolManifest {
        Self::manifest(
            "get_repo_map",
            "Draws a map of a repository: its files with their most used definitions.",
        )
        .category("code")
        .agent_scope(&["oracle"])
        .timeout(Duration::from_secs(45))
        .idempotent()
        .success("size(result.map_text) > 0")
        .reads(&["scope", "max_tokens", "user_id"])
        .writes("result", "repo_map")
    }

    async fn call(&self, arguments: MapArguments, cx: &CallContext) -> Result<MapOutput, ToolError> {
        let index = Arc::clone(&self.index);
        cx.blocking(move |cx| map(&index, &arguments, cx)).await
    }
}

fn map(index: &CodeIndex, arguments: &MapArguments, cx: &CallContext) -> Result<MapOutput, ToolError> {
    let tokens_max = arguments.max_tokens.unwrap_or(CODE_MAP_TOKENS_DEFAULT).min(CODE_MAP_TOKENS_MAX);
    if tokens_max == 0 {
        return Err(ToolError::user_input("max_tokens is 0, which no map fits in")
            .suggest("Leave it out, or give 256 or more."));
    }
    let scope = index.scope(arguments.scope.as_deref())?;
    let mut listing = index.list(cx)?;
    let languages = languages(&listing, &scope)?;
    let files = parse(index, &listing, cx)?;
    listing.skipped.too_slow += files.iter().filter(|file| file.tags.given_up).count();
    cx.progress("ranking definitions");
    let ranked = graph::rank(&files, cx)?;
    let shown: Vec<_> = ranked.iter().filter(|each| scope.holds(&files[each.file].path)).collect();
    let others = without_definitions(&listing, &scope, &files, &shown);
    let drawn = map_text::draw(&files, &bounded_by_file(&shown), &others, tokens_max);
    Ok(output(drawn, languages, shown.len(), listing.skipped))
}

fn output(drawn: MapText, languages: BTreeMap<String, usize>, symbols: usize, skipped: Skipped) -> MapOutput {
    let files = languages.values().sum();
    MapOutput {
        tokens: map_text::tokens(&drawn.text),
        truncated: drawn.symbols < symbols || drawn.files < files,
        map_text: drawn.text,
        files,
        symbols,
        files_shown: drawn.files,
        symbols_shown: drawn.symbols,
        languages,
        skipped,
    }
}

fn languages(listing: &Listing, scope: &Scope) -> Result<BTreeMap<String, usize>, ToolError> {
    let mut languages = BTreeMap::new();
    for file in listing.files.iter().filter(|file| scope.holds(&file.path)) {
        *languages.entry(file.language.name.to_owned()).or_default() += 1;
    }
    if languages.is_empty() {
        let error =
            ToolError::resource(format!("the scope `{}` holds no file that may be read", scope.as_str()));
        return Err(error.suggest("Name another folder, and check whether an ignore file hides this one."));
    }
    Ok(languages)
}

fn parse(index: &CodeIndex, listing: &Listing, cx: &CallContext) -> Result<Vec<MapFile>, ToolError> {
    let files: Vec<_> = listing.parsed().collect();
    pool::each(cx, "parsed", &files, |worker, &(file, grammar)| {
        let tags = index.tags(worker, cx, (file, grammar))?;
        Ok(MapFile { path: Arc::clone(&file.path), family: grammar.family(), tags })
    })
}

/// At most [`CODE_MAP_FILE_SYMBOLS_MAX`] definitions of each file.
fn bounded_by_file<'r, 'a>(ranked: &[&'r Ranked<'a>]) -> Vec<&'r Ranked<'a>> {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    let mut is_within = |each: &&Ranked<'_>| {
        let count = counts.entry(each.file).or_default();
        *count += 1;
        *count <= CODE_MAP_FILE_SYMBOLS_MAX
    };
    ranked.iter().copied().filter(|each| is_within(each)).collect()
}

/// The files of the scope that have nothing to show but their name; tests last.
fn without_definitions<'a>(
    listing: &'a Listing,
    scope: &Scope,
    files: &[MapFile],
    shown: &[&Ranked<'_>],
) -> Vec<&'a str> {
    let mut showing = vec![false; files.len()];
    shown.iter().for_each(|each| showing[each.file] = true);
    let named: std::collections::HashSet<_> =
        files.iter().zip(showing).filter(|&(_, showing)| showing).map(|(file, _)| &*file.path).collect();
    let in_scope = listing.files.iter().map(|file| &*file.path).filter(|path| scope.holds(path));
    let mut others: Vec<_> = in_scope.filter(|path| !named.contains(path)).collect();
    others.sort_by_key(|path| is_aside(path));
    others
}
