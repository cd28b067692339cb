//! The question, and how long it may stand.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use crate::exec::Turn;
use crate::exec::collaborator::{Approval, Approver, WriteRequest};
use crate::exec::confirm::showing::Task;
use crate::exec::gate::Refusal;
use crate::exec::leash::Leash;
use crate::limits::APPROVAL_WAIT_MAX;
use crate::moment::Moment;
use crate::outcome::DenialReason;
use crate::tool::panic::task_error;
use crate::tool::{Notice, Notices, ToolError};

/// Asks, and answers who said yes. The time is that of a person: it does not count against the
/// tool's own deadline, and is bounded by what is left of the turn and by [`APPROVAL_WAIT_MAX`].
pub(super) async fn ask(
    approver: Arc<dyn Approver>,
    request: &Arc<WriteRequest>,
    turn: &Turn,
    now: Moment,
    leash: Leash<'_>,
) -> Result<Arc<str>, Refusal> {
    let wait = turn.time_left(now).map_or(APPROVAL_WAIT_MAX, |left| left.min(APPROVAL_WAIT_MAX));
    let asked = request.clone();
    let mut task = Task(tokio::spawn(async move { approver.approve(&asked).await }));
    let answer = tokio::select! {
        biased;
        () = leash.cancelled() => return Err(Refusal::Failed(ToolError::cancelled())),
        answer = &mut task.0 => answer.map_err(|fault| broken(&task_error(fault)))?,
        () = tokio::time::sleep(wait) => return Err(unanswered(wait)),
    };
    match answer {
        Approval::Yes { by } => Ok(by),
        Approval::No { by, details, hint } => Err(denied(format!("not allowed by {by}: {details}"), hint)),
    }
}

pub(super) fn denied(details: String, hint: Option<String>) -> Refusal {
    Refusal::Denied { reason: DenialReason::WriteDenied, details, hint }
}

/// Whoever cannot say yes has not said it.
fn broken(fault: &ToolError) -> Refusal {
    let details = format!("the approver broke before it answered: {}", fault.message());
    denied(details, Some("this is a fault in the approver, not in the call: mend it".to_owned()))
}

fn unanswered(wait: Duration) -> Refusal {
    let details = format!("nobody answered within {} s", wait.as_secs());
    denied(details, Some("call again when somebody is there, or allow it by a rule".to_owned()))
}

/// The names on the wire of what is told of a question: a yes, a no.
pub const PERMISSION_EVENTS: [&str; 2] = [GRANTED, DENIED];
const GRANTED: &str = "tool.permission.granted";
const DENIED: &str = "tool.permission.denied";

/// Tells whoever watches what became of the question.
pub(super) fn tell(notices: &dyn Notices, request: &WriteRequest, answer: &Result<Arc<str>, Refusal>) {
    let (name, by, details) = match answer {
        Ok(by) => (GRANTED, Some(&**by), None),
        Err(Refusal::Denied { details, .. }) => (DENIED, None, Some(details.clone())),
        Err(Refusal::Failed(error)) => (DENIED, None, Some(error.message().to_owned())),
    };
    let payload = json!({
        "tool": request.call.tool,
        "key": request.key.to_string(),
        "because": request.asked_by.to_string(),
        "by": by,
        "details": details,
        "round": request.round,
    });
    notices.notice(request.call.id, Notice::Event { name, payload });
}
