//! The preview of a call, under its bounds.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;

use crate::call::Call;
use crate::exec::collaborator::{Collaborators, DecidedBy, WriteRequest};
use crate::exec::confirm::{ApprovalKey, Diff};
use crate::exec::leash::Leash;
use crate::harness::{FileState, Foreseen};
use crate::limits::{PREVIEW_BYTES_MAX, PREVIEW_FILES_MAX};
use crate::manifest::ToolManifest;
use crate::tool::panic::task_error;
use crate::tool::{CallContext, FileChange, Preview, Tool, ToolError};

/// A task that ends when nobody waits for it any more.
pub(super) struct Task<T>(pub JoinHandle<T>);

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Asks the tool what the call would write. It gets the time of the call itself, for it may have to
/// do as much.
pub(super) async fn preview(
    tool: Arc<dyn Tool>,
    call: &Arc<Call>,
    cx: CallContext,
    bound: Duration,
    leash: Leash<'_>,
) -> Result<Option<Preview>, ToolError> {
    cx.lease().end();
    let (arguments, token) = (call.arguments.clone(), cx.token().clone());
    let mut task = Task(tokio::spawn(async move { tool.preview(&arguments, &cx).await }));
    let answered = tokio::select! {
        biased;
        () = leash.cancelled() => Err(ToolError::cancelled()),
        answered = &mut task.0 => answered.unwrap_or_else(|fault| Err(task_error(fault))),
        () = tokio::time::sleep(bound) => Err(overdue(bound)),
    };
    token.cancel();
    answered.and_then(|preview| preview.map(bounded).transpose())
}

fn overdue(bound: Duration) -> ToolError {
    let message = format!("the tool did not say within {} s what it would write", bound.as_secs_f64());
    ToolError::new(crate::outcome::ErrorCategory::Timeout, message)
        .suggest("give the call more time, or a smaller task")
}

/// What is larger cannot be looked at by a person, nor kept.
fn bounded(preview: Preview) -> Result<Preview, ToolError> {
    let bytes: usize = preview.changes.iter().map(FileChange::bytes).sum();
    let files = preview.changes.len();
    if files > PREVIEW_FILES_MAX || bytes > PREVIEW_BYTES_MAX {
        let message = format!(
            "the call would change {bytes} bytes in {files} files; at most {PREVIEW_BYTES_MAX} bytes in \
             {PREVIEW_FILES_MAX} files can be shown and kept"
        );
        return Err(ToolError::user_input(message).suggest("split it into several calls"));
    }
    Ok(preview)
}

/// The question that a preview makes.
pub(super) fn request(
    call: Arc<Call>,
    manifest: &ToolManifest,
    asked_by: DecidedBy,
    preview: Option<Preview>,
    round: u32,
) -> WriteRequest {
    let changes: Option<Arc<[FileChange]>> = preview.map(|preview| preview.changes.into());
    WriteRequest {
        effects: manifest.effects,
        asked_by,
        diff: changes.as_deref().map(Diff::of),
        key: ApprovalKey::of(&call, changes.as_deref()),
        changes,
        call,
        round,
    }
}

/// The files that the request names, each as it stands in it.
pub(super) fn foreseen(request: &WriteRequest) -> Option<Arc<Foreseen>> {
    let changes = request.changes.as_deref()?;
    let before = changes.iter().map(|change| (change.file(), change.state_before()));
    let after = changes.iter().map(|change| (change.file(), change.state_after()));
    Some(Arc::new(Foreseen::new(before).left_as(after)))
}

/// Whether the files still stand as the request shows them. A file that cannot be looked at is not
/// the one that was shown.
pub(super) async fn is_current(request: &WriteRequest) -> bool {
    let Some(changes) = request.changes.clone() else { return true };
    let look = move || {
        changes.iter().all(|it| FileState::at(&it.file()).is_ok_and(|found| found == it.state_before()))
    };
    tokio::task::spawn_blocking(look).await.unwrap_or(false)
}

/// Whether the call is worth a checkpoint.
pub(super) fn is_kept(with: &Collaborators, request: &WriteRequest) -> bool {
    with.checkpoints.keeps() && request.changes.as_ref().is_some_and(|changes| !changes.is_empty())
}
