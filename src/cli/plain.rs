//! A run as plain lines: one for each thing that happens.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::cli::gist::{outcome_gist, shorten};
use crate::cli::out::Out;
use crate::cli::picture::Picture;
use crate::cli::stage::Stage;
use crate::event::{Event, EventKind};
use crate::exec::PERMISSION_EVENTS;
use crate::id::CallId;
use crate::run::{Events, RunEvent};
use crate::tool::Notice;
use crate::tree::Tree;

/// Prints until the events end.
pub(super) async fn show(
    events: &mut Events,
    picture: &mut Picture,
    tree: &Arc<Tree>,
    place: (&mut Out, &Stage),
) {
    let (out, stage) = place;
    while let Some(event) = events.next().await {
        picture.take(&event);
        // No line lands in the middle of a question.
        let _quiet = stage.take().await;
        match &event {
            RunEvent::Engine(event) => {
                if let Some(line) = line(tree, event) {
                    out.line(line);
                }
            }
            RunEvent::Missed(missed) => out.line(format!("... {missed} events were not seen in time")),
            RunEvent::Notice { call, notice: Notice::Event { name, payload } } => {
                if let Some(line) = permission(*call, name, payload).or_else(|| log(*call, name, payload)) {
                    out.line(line);
                }
            }
            RunEvent::Notice { .. } => {}
        }
    }
}

/// Who has said yes to a call; a no is told by its outcome.
fn permission(call: CallId, name: &str, said: &Json) -> Option<String> {
    let by = said.get("by").filter(|_| PERMISSION_EVENTS.contains(&name))?.as_str()?;
    let tool = said.get("tool").and_then(Json::as_str).unwrap_or_default();
    Some(format!("{:>9}  allowed {tool}  {call}, by {by}", ""))
}

/// What a program says while it runs.
fn log(call: CallId, name: &str, said: &Json) -> Option<String> {
    let message = said.get("message").filter(|_| name == "tool.call.log")?.as_str()?;
    let level = said.get("level").and_then(Json::as_str).unwrap_or("info");
    Some(format!("{:>9}  log     {call}  {}: {}", "", one_line(level), one_line(message)))
}

fn one_line(text: &str) -> String {
    shorten(text, usize::MAX)
}

/// What an event is worth telling.
pub(super) fn line(tree: &Tree, event: &Event) -> Option<String> {
    let (at, text) = (event.at, |verb: &str, rest: String| format!("{verb:<7} {rest}"));
    let text = match &event.kind {
        EventKind::WillCall { node, call } => text("call", format!("{}  {}", call.tool, tree.path(*node))),
        EventKind::DidCall { node, outcome, status, .. } => {
            let gist = outcome_gist(outcome);
            let ms = outcome.elapsed_ms();
            text(outcome.kind(), format!("{}  {ms} ms  {status}  {gist}", tree.path(*node)))
        }
        EventKind::WillStop { node, .. } => text("stop", tree.path(*node)),
        EventKind::DidStop { node, outcome, .. } => {
            text("stopped", format!("{}  {} ms", tree.path(*node), outcome.elapsed_ms()))
        }
        EventKind::DidFail { node, reason } => {
            text("failed", format!("{}  {}", tree.path(*node), one_line(reason)))
        }
        EventKind::DidError { node, message } => {
            text("error", format!("{}  {}", tree.path(*node), one_line(message)))
        }
        EventKind::WillTick { .. }
        | EventKind::DidTick { .. }
        | EventKind::DidVisit { .. }
        | EventKind::DidHalt { .. }
        | EventKind::DidWrite { .. } => return None,
    };
    Some(format!("{at:>9}  {text}"))
}
