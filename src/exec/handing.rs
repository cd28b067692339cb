//! How an output is handed on: inline, inline and cut, or as a reference to an artifact.
//!
//! Whatever happens to it on the way, the outcome holds the output whole: only what a model sees
//! becomes smaller, and says so.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use crate::call::ToolName;
use crate::exec::OutputBounds;
use crate::exec::artifact::{ArtifactStore, Pinned};
use crate::exec::collaborator::Collaborators;
use crate::exec::executor::Started;
use crate::exec::output::{Weight, weigh};
use crate::exec::shown;
use crate::harness::Lease;
use crate::limits::{ARTIFACT_STORE_TIME_MAX, ARTIFACT_SUMMARY_CHARS_MAX};
use crate::moment::Clock;
use crate::outcome::{Outcome, ToolArtifactReference, ToolExecutionResult};
use crate::tool::panic::task_error;

/// The output of a call that went well.
pub(super) struct Output {
    pub whole: Arc<Json>,
    pub weight: Weight,
    pub elapsed_ms: u64,
}

/// An output that is too large even when it is cut.
pub(super) struct Large {
    whole: Arc<Json>,
    weight: Weight,
    elapsed_ms: u64,
}

/// The outcome with this output, when a model may see it whole or cut.
pub(super) fn hand_on(
    started: &Started<'_>,
    output: Output,
    bounds: &OutputBounds,
) -> Result<Outcome, Box<Large>> {
    let Output { whole, weight, elapsed_ms } = output;
    let cut = shown::cut(&whole, &weight, bounds);
    let chars =
        cut.as_ref().map_or(Ok(weight), |cut| weigh(cut, usize::MAX)).map_or(usize::MAX, |it| it.chars);
    if chars > bounds.inline_chars_max {
        return Err(Box::new(Large { whole, weight, elapsed_ms }));
    }
    Ok(inline(started, whole, cut, elapsed_ms))
}

impl Large {
    /// Stores it whole; should that fail, the call has succeeded all the same, and what a model sees says
    /// what is missing.
    pub async fn store(self, started: &Started<'_>, with: &Collaborators, clock: &Arc<dyn Clock>) -> Outcome {
        let Self { whole, weight, elapsed_ms } = self;
        let turn = started.trace.turn();
        let lease = turn.lease(clock.now() + ARTIFACT_STORE_TIME_MAX, clock);
        let summary = summary(&whole);
        let tool = started.call.tool.clone();
        let stored = store((with.artifacts.clone(), tool), whole.clone(), lease).await;
        match stored.map(|pinned| turn.pins().keep(pinned)) {
            Ok(id) => Outcome::ToolArtifactReference(ToolArtifactReference {
                call_id: started.call.id,
                tool_name: started.call.tool.clone(),
                artifact_id: id.to_string(),
                summary,
                size_bytes: weight.bytes as u64,
                output: whole,
                elapsed_ms,
            }),
            Err(why) => {
                tracing::error!(call = %started.call.id, "a large output could not be stored: {why}");
                let chars = weight.chars;
                let told = format!("the output has {chars} characters and could not be stored: {why}");
                let shown = shown::told(json!({"summary": summary}), vec![told]);
                inline(started, whole, Some(shown), elapsed_ms)
            }
        }
    }
}

fn inline(started: &Started<'_>, output: Arc<Json>, shown: Option<Json>, elapsed_ms: u64) -> Outcome {
    Outcome::ToolExecutionResult(ToolExecutionResult {
        call_id: started.call.id,
        tool_name: started.call.tool.clone(),
        output,
        shown: shown.map(Arc::new),
        elapsed_ms,
        was_coerced: started.was_coerced,
    })
}

/// Stores on a thread that may block. A store that takes too long is left behind with a dead lease.
async fn store(
    (artifacts, tool): (Arc<dyn ArtifactStore>, ToolName),
    whole: Arc<Json>,
    lease: Lease,
) -> Result<Pinned, String> {
    let under = lease.clone();
    let storing =
        tokio::task::spawn_blocking(move || artifacts.put(whole.to_string().as_bytes(), &tool, &under));
    let stored = tokio::time::timeout(ARTIFACT_STORE_TIME_MAX, storing).await;
    lease.revoke();
    match stored {
        Ok(Ok(stored)) => stored.map_err(|fault| fault.to_string()),
        Ok(Err(panicked)) => Err(task_error(panicked).to_string()),
        Err(_) => Err(format!("it took longer than {} s", ARTIFACT_STORE_TIME_MAX.as_secs())),
    }
}

/// The beginning of the output.
fn summary(whole: &Json) -> String {
    let text = whole.to_string();
    if text.chars().nth(ARTIFACT_SUMMARY_CHARS_MAX).is_none() {
        return text;
    }
    text.chars().take(ARTIFACT_SUMMARY_CHARS_MAX - 3).chain("...".chars()).collect()
}
