//! `vault_write`: a note, written whole.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::harness::Root;
use crate::limits::NOTE_BYTES_MAX;
use crate::manifest::{Effects, ToolManifest};
use crate::tool::{CallContext, FileChange, Preview, ToolError, TypedTool};
use crate::tools::vault::front_matter::{self, Change, Composed};
use crate::tools::vault::note::{hash, utf8};
use crate::tools::vault::{NotePath, Vault};

/// What `vault_write` is asked.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct WriteArguments {
    /// The note's path from the project's folder; `.md` is added when it is missing.
    pub path: String,
    /// The note's new text below the front matter. Front matter at its head is merged into the note's own.
    pub body: String,
    /// The title for the front matter; none keeps the one that the note has.
    pub title: Option<String>,
    /// The project, a folder of the vault; none for the vault itself.
    pub project_id: Option<String>,
    /// Who writes.
    pub user_id: Option<String>,
}

/// A note that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WriteOutput {
    /// `ok`
    pub status: String,
    /// The note's path from the project's folder.
    pub path: String,
    /// The absolute path of the note's file.
    pub file: String,
    /// Whether the note is new.
    pub created: bool,
    /// The size of the file.
    pub bytes: usize,
    /// A hash of the file's content, the same that `vault_read` gives.
    pub hash: String,
    /// What could not be done as asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// The tool `vault_write`.
#[derive(Debug)]
pub struct VaultWrite {
    vault: Arc<Vault>,
}

impl VaultWrite {
    /// The tool over `vault`.
    pub fn new(vault: Arc<Vault>) -> Self {
        Self { vault }
    }
}

impl TypedTool for VaultWrite {
    type Arguments = WriteArguments;
    type Output = WriteOutput;

    fn describe(&self) -> ToolManifest {
        let description = "Writes a markdown note of the vault whole, making its folders. Front matter that \
            the note has is kept; title and dates are set in it.";
        <Self as TypedTool>::manifest("vault_write", description)
            .category("vault")
            .agent_scope(&["oracle", "librarian"])
            .timeout(Duration::from_secs(10))
            .effects(Effects::Writes)
            .success("result.status == \"ok\"")
            .reads(&["path", "body", "title", "project_id", "user_id"])
            .writes("result", "write_status")
    }

    async fn call(&self, arguments: WriteArguments, cx: &CallContext) -> Result<WriteOutput, ToolError> {
        let vault = self.vault.clone();
        cx.blocking(move |cx| write(&vault, &arguments, cx)).await
    }

    /// The dates in it are those of the moment of the preview; the note gets those of its writing.
    async fn preview(
        &self,
        arguments: WriteArguments,
        cx: &CallContext,
    ) -> Result<Option<Preview>, ToolError> {
        let vault = self.vault.clone();
        cx.blocking(move |_| preview(&vault, &arguments).map(Some)).await
    }
}

fn preview(vault: &Vault, arguments: &WriteArguments) -> Result<Preview, ToolError> {
    let note = Note::of(vault, arguments)?;
    let root = vault.project_path(arguments.project_id.as_deref())?;
    let change = FileChange {
        root,
        path: note.path.path().clone(),
        before: note.existing.map(|text| text.into_bytes().into()),
        after: Some(note.composed.text.into_bytes().into()),
    };
    Ok(Preview { changes: vec![change] })
}

/// A note as it is and as it is to be.
struct Note {
    path: NotePath,
    existing: Option<String>,
    composed: Composed,
}

impl Note {
    fn of(vault: &Vault, arguments: &WriteArguments) -> Result<Self, ToolError> {
        let path = NotePath::parse(&arguments.path)?;
        check_size(&path, arguments.body.len())?;
        let existing = match vault.project(arguments.project_id.as_deref())? {
            Some(root) => existing(&root, &path)?,
            None => None,
        };
        let composed = compose(existing.as_deref(), arguments, vault.now().as_deref());
        check_size(&path, composed.text.len())?;
        Ok(Self { path, existing, composed })
    }
}

fn write(vault: &Vault, arguments: &WriteArguments, cx: &CallContext) -> Result<WriteOutput, ToolError> {
    let _turn = vault.turn_to_write();
    let Note { path, existing, composed: Composed { text, warning } } = Note::of(vault, arguments)?;
    let root = vault.project_for_writing(arguments.project_id.as_deref(), cx.lease())?;
    root.write(path.path(), text.as_bytes(), cx.lease())?;
    Ok(WriteOutput {
        status: "ok".into(),
        path: path.to_string(),
        file: root.locate(path.path()).display().to_string(),
        created: existing.is_none(),
        bytes: text.len(),
        hash: hash(text.as_bytes()),
        warning,
    })
}

fn check_size(path: &NotePath, bytes: usize) -> Result<(), ToolError> {
    if bytes <= NOTE_BYTES_MAX {
        return Ok(());
    }
    Err(ToolError::user_input(format!(
        "the note `{path}` would have {bytes} bytes; at most {NOTE_BYTES_MAX} are written"
    ))
    .suggest("Split it into several notes."))
}

/// The text of the note as it is now; `None` when there is none.
fn existing(root: &Root, path: &NotePath) -> Result<Option<String>, ToolError> {
    match root.read(path.path(), NOTE_BYTES_MAX) {
        Ok(content) => utf8(path, content).map(Some),
        Err(fault) if fault.is_not_found() => Ok(None),
        Err(fault) => Err(fault.into()),
    }
}

/// The note's new text. A note that is there keeps its date of creation, also the lack of one.
fn compose(existing: Option<&str>, arguments: &WriteArguments, now: Option<&str>) -> Composed {
    let mut changes: Vec<Change<'_>> = Vec::new();
    changes.extend(arguments.title.as_deref().map(|title| ("title", title)));
    if existing.is_none() {
        changes.extend(now.map(|now| ("created", now)));
    }
    changes.extend(now.map(|now| ("updated", now)));
    let block = existing.and_then(|text| front_matter::split(text).block);
    front_matter::compose(block, &arguments.body, &changes)
}
