//! `vault_list`: what notes there are.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::harness::{Found, Root, RootPath};
use crate::limits::{NOTE_BYTES_MAX, VAULT_LIST_MAX};
use crate::manifest::ToolManifest;
use crate::tool::{CallContext, ToolError, TypedTool};
use crate::tools::vault::note::Note;
use crate::tools::vault::note_path::{is_note, stem};
use crate::tools::vault::{NotePath, Vault, rfc3339};

/// What `vault_list` is asked.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ListArguments {
    /// The folder to list, with its sub folders; none for the whole project.
    pub folder: Option<String>,
    /// The project, a folder of the vault; none for the vault itself.
    pub project_id: Option<String>,
    /// Who asks.
    pub user_id: Option<String>,
}

/// The notes of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListOutput {
    /// The notes, by path.
    pub notes: Vec<ListedNote>,
    /// How many notes there are in all.
    pub total: usize,
    /// Whether there are more than are shown.
    pub truncated: bool,
    /// Files and folders that could not be looked at.
    pub skipped: usize,
}

/// One note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedNote {
    /// The note's path from the project's folder.
    pub path: String,
    /// The note's title.
    pub title: String,
    /// The size of the file.
    pub size_bytes: u64,
    /// When the note was last changed: as its front matter has it, or else its file.
    pub updated: String,
}

/// The tool `vault_list`.
#[derive(Debug)]
pub struct VaultList {
    vault: Arc<Vault>,
}

impl VaultList {
    /// The tool over `vault`.
    pub fn new(vault: Arc<Vault>) -> Self {
        Self { vault }
    }
}

impl TypedTool for VaultList {
    type Arguments = ListArguments;
    type Output = ListOutput;

    fn describe(&self) -> ToolManifest {
        let description =
            "Lists the markdown notes of the vault or of one of its folders, with their titles.";
        <Self as TypedTool>::manifest("vault_list", description)
            .category("vault")
            .agent_scope(&["oracle", "librarian"])
            .timeout(Duration::from_secs(10))
            .success("has(result.notes)")
            .reads(&["folder", "project_id", "user_id"])
            .writes("result", "vault_notes_list")
    }

    async fn call(&self, arguments: ListArguments, cx: &CallContext) -> Result<ListOutput, ToolError> {
        let vault = self.vault.clone();
        cx.blocking(move |cx| list(&vault, &arguments, cx)).await
    }
}

fn list(vault: &Vault, arguments: &ListArguments, cx: &CallContext) -> Result<ListOutput, ToolError> {
    let folder = match arguments.folder.as_deref() {
        None | Some("") => RootPath::root(),
        Some(folder) => RootPath::parse(folder)?,
    };
    let Some(root) = vault.project(arguments.project_id.as_deref())? else {
        return if folder.is_root() { Ok(ListOutput::default()) } else { Err(no_folder(&folder)) };
    };
    let listing = match root.files(&folder, is_note) {
        Err(fault) if fault.is_not_found() => return Err(no_folder(&folder)),
        listed => listed?,
    };
    let shown = listing.files.iter().take(VAULT_LIST_MAX);
    let notes = shown.map(|found| cx.check().map(|()| look(&root, found))).collect::<Result<_, _>>()?;
    let total = listing.files.len();
    let truncated = listing.truncated || total > VAULT_LIST_MAX;
    Ok(ListOutput { notes, total, truncated, skipped: listing.skipped })
}

/// The note's entry. One that cannot be read, or is gone by now, is known by its name.
fn look(root: &Root, found: &Found) -> ListedNote {
    let path = found.path.as_str();
    let content = root.read(&found.path, NOTE_BYTES_MAX).ok();
    let note = content.and_then(|content| Note::read(&NotePath::parse(path).ok()?, content).ok());
    let (title, updated) = match note {
        Some(note) => (note.metadata.title, note.metadata.updated),
        None => (stem(path).to_owned(), None),
    };
    let updated = updated.unwrap_or_else(|| rfc3339(found.modified_ns / 1_000_000_000));
    ListedNote { path: path.to_owned(), title, size_bytes: found.bytes, updated }
}

fn no_folder(folder: &RootPath) -> ToolError {
    ToolError::resource(format!("there is no folder `{folder}` in the vault"))
        .suggest("`vault_list` without a folder shows every note with its path.")
}
