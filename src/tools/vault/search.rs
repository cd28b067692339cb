//! `vault_search`: full text.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::{VAULT_RESULTS_DEFAULT, VAULT_RESULTS_MAX};
use crate::manifest::ToolManifest;
use crate::tool::{CallContext, ToolError, TypedTool};
use crate::tools::vault::Vault;
use crate::tools::vault::query::Query;

/// What `vault_search` is asked.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SearchArguments {
    /// Words, "phrases in quotes" and prefix*; nothing else is special.
    pub query: String,
    /// Most results; 10 when there is none, and never more than 100.
    pub limit: Option<usize>,
    /// The project, a folder of the vault; none for the vault itself.
    pub project_id: Option<String>,
    /// Who asks.
    pub user_id: Option<String>,
}

/// The notes that were found.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SearchOutput {
    /// The notes, the best first.
    pub results: Vec<Hit>,
    /// How many notes were found in all.
    pub total: usize,
    /// Whether there are more than are shown.
    pub truncated: bool,
    /// `all` when each note holds every term; `any` when no note does, and these hold at least one.
    pub matched: String,
    /// Notes that could not be searched: too large, not UTF-8, or past the bounds of the index.
    pub skipped: usize,
}

/// One note that was found.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Hit {
    /// The note's path from the project's folder.
    pub path: String,
    /// The note's title.
    pub title: String,
    /// A passage of the note, its matches between `<mark>` and `</mark>`.
    pub snippet: String,
    /// How well the note matches: larger is better. Only comparable within one search.
    pub score: f64,
}

/// The tool `vault_search`.
#[derive(Debug)]
pub struct VaultSearch {
    vault: Arc<Vault>,
}

impl VaultSearch {
    /// The tool over `vault`.
    pub fn new(vault: Arc<Vault>) -> Self {
        Self { vault }
    }
}

impl TypedTool for VaultSearch {
    type Arguments = SearchArguments;
    type Output = SearchOutput;

    fn describe(&self) -> ToolManifest {
        let description = "Searches the text, titles and tags of the vault's notes; the best match comes first, \
            with a passage that shows it.";
        <Self as TypedTool>::manifest("vault_search", description)
            .category("vault")
            .agent_scope(&["oracle", "librarian"])
            .timeout(Duration::from_secs(15))
            .success("has(result.results)")
            .reads(&["query", "limit", "project_id", "user_id"])
            .writes("result", "vault_search_results")
    }

    async fn call(&self, arguments: SearchArguments, cx: &CallContext) -> Result<SearchOutput, ToolError> {
        let vault = self.vault.clone();
        cx.blocking(move |cx| search(&vault, &arguments, cx)).await
    }
}

fn search(vault: &Vault, arguments: &SearchArguments, cx: &CallContext) -> Result<SearchOutput, ToolError> {
    let query = Query::parse(&arguments.query);
    if query.is_empty() {
        return Err(ToolError::user_input(format!(
            "the query {:?} has no word to search for",
            arguments.query
        ))
        .suggest("Give at least one word."));
    }
    let limit = arguments.limit.unwrap_or(VAULT_RESULTS_DEFAULT).clamp(1, VAULT_RESULTS_MAX);
    let project = arguments.project_id.as_deref();
    let root = vault.project(project)?;
    let index = vault.index(project)?;
    let mut index = index.lock().unwrap_or_else(PoisonError::into_inner);
    let skipped = index.refresh(root.as_ref(), cx)?;
    let mut matched = "all";
    let (mut results, mut total) = index.find(&query.all(), limit)?;
    if results.is_empty() && query.has_several() {
        matched = "any";
        (results, total) = index.find(&query.any(), limit)?;
    }
    let truncated = total > results.len();
    Ok(SearchOutput { results, total, truncated, matched: matched.into(), skipped })
}
