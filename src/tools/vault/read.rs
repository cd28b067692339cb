//! `vault_read`: one note.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::diag::did_you_mean;
use crate::harness::{Root, RootError, RootPath};
use crate::limits::{NOTE_BYTES_MAX, VAULT_GUESSES_MAX};
use crate::manifest::ToolManifest;
use crate::tool::{CallContext, ToolError, TypedTool};
use crate::tools::vault::note::Note;
use crate::tools::vault::note_path::is_note;
use crate::tools::vault::{Metadata, NotePath, Vault};

/// What `vault_read` is asked.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ReadArguments {
    /// The note's path from the project's folder; `.md` may be left out.
    pub path: String,
    /// The project, a folder of the vault; none for the vault itself.
    pub project_id: Option<String>,
    /// Who reads: a change since the last read is told to each reader.
    pub user_id: Option<String>,
}

/// A note.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ReadOutput {
    /// The note's text below its front matter.
    pub content: String,
    /// What the note says of itself.
    pub metadata: Metadata,
    /// The note's path from the project's folder.
    pub path: String,
    /// That the note changed since this user last read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<Stale>,
}

/// A note that changed since it was last read: what is known from then no longer holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Stale {
    /// The hash at the last read.
    pub previous_hash: String,
    /// The hash now.
    pub current_hash: String,
    /// The same in words.
    pub message: String,
}

/// The tool `vault_read`.
#[derive(Debug)]
pub struct VaultRead {
    vault: Arc<Vault>,
}

impl VaultRead {
    /// The tool over `vault`.
    pub fn new(vault: Arc<Vault>) -> Self {
        Self { vault }
    }
}

impl TypedTool for VaultRead {
    type Arguments = ReadArguments;
    type Output = ReadOutput;

    fn describe(&self) -> ToolManifest {
        let description = "Reads a markdown note of the vault: its text, its front matter, and whether it \
            changed since it was last read.";
        <Self as TypedTool>::manifest("vault_read", description)
            .category("vault")
            .agent_scope(&["oracle", "librarian"])
            .timeout(Duration::from_secs(10))
            .success("has(result.content)")
            .reads(&["path", "project_id", "user_id"])
            .writes("content", "note_content")
            .writes("metadata", "note_metadata")
    }

    async fn call(&self, arguments: ReadArguments, cx: &CallContext) -> Result<ReadOutput, ToolError> {
        let vault = self.vault.clone();
        cx.blocking(move |cx| read(&vault, arguments, cx)).await
    }
}

fn read(vault: &Vault, arguments: ReadArguments, cx: &CallContext) -> Result<ReadOutput, ToolError> {
    let path = NotePath::parse(&arguments.path)?;
    let root = vault.project(arguments.project_id.as_deref())?.ok_or_else(|| no_folder(vault, &arguments))?;
    let content = root.read(path.path(), NOTE_BYTES_MAX).map_err(|fault| not_read(&root, &path, fault))?;
    let note = Note::read(&path, content)?;
    let stale = remember(vault, &arguments, (&path, &note), cx)?;
    Ok(ReadOutput { content: note.body, metadata: note.metadata, path: path.to_string(), stale })
}

/// Remembers the read, under the lease: a read that nobody waits for any more was none. A write
/// through `vault_write` is a change like any other, also the reader's own.
fn remember(
    vault: &Vault,
    arguments: &ReadArguments,
    (path, note): (&NotePath, &Note),
    cx: &CallContext,
) -> Result<Option<Stale>, ToolError> {
    let project = arguments.project_id.clone().unwrap_or_default();
    let reader = (arguments.user_id.clone().unwrap_or_default(), project, path.to_string());
    let current_hash = note.metadata.hash.clone();
    let before = cx.lease().commit(|| vault.reads().saw(reader, &current_hash));
    let Some(previous_hash) = before.map_err(|_| ToolError::cancelled())? else { return Ok(None) };
    let message = format!("`{path}` changed since it was last read; what was read then no longer holds");
    let payload = json!({
        "path": path.to_string(),
        "project_id": arguments.project_id,
        "previous_hash": previous_hash,
        "current_hash": current_hash,
        "message": message,
    });
    cx.raise("source.stale", payload);
    Ok(Some(Stale { previous_hash, current_hash, message }))
}

fn no_folder(vault: &Vault, arguments: &ReadArguments) -> ToolError {
    let folder = vault.path().join(arguments.project_id.as_deref().unwrap_or_default());
    ToolError::resource(format!(
        "there is no note `{}`: the folder {} does not exist",
        arguments.path,
        folder.display()
    ))
    .suggest("Write a note first, or give another project or vault.")
}

/// The fault, with the nearest note when the path is probably misspelt.
fn not_read(root: &Root, path: &NotePath, fault: RootError) -> ToolError {
    if !fault.is_not_found() {
        return fault.into();
    }
    let error = ToolError::resource(format!("there is no note `{path}`"));
    let notes = root.files(&RootPath::root(), is_note).map(|listing| listing.files).unwrap_or_default();
    let names = notes.iter().take(VAULT_GUESSES_MAX).map(|found| found.path.as_str());
    match did_you_mean(path.path().as_str(), names) {
        Some(name) => error.suggest(format!("Did you mean `{name}`?")),
        None => error.suggest("`vault_list` shows the notes there are."),
    }
}
