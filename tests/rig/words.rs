//! Events as lines that people read.

use helve::event::{Event, EventKind};
use helve::tree::Tree;

/// One event as a line.
pub fn line(tree: &Tree, event: &Event) -> String {
    match &event.kind {
        EventKind::WillTick { tick } => format!("tick {tick}"),
        EventKind::DidTick { tick, status } => format!("tick {tick}: {status}"),
        EventKind::DidVisit { node, status } => format!("  {} {status}", tree.path(*node)),
        EventKind::DidHalt { node } => format!("  {} halted", tree.path(*node)),
        EventKind::WillCall { node, call } => {
            let arguments = serde_json::to_string(&*call.arguments).expect("JSON can be written");
            let bound = call.timeout.map_or(String::new(), |bound| format!(" within {bound:?}"));
            let (id, tool, attempt) = (call.id.0, &call.tool, call.attempt);
            assert_eq!(*call.caller, *tree.path(*node), "a call names its leaf");
            format!("  {} calls #{id} {tool}({arguments}) attempt {attempt}{bound}", tree.path(*node))
        }
        EventKind::WillStop { node, call } => format!("  {} stops #{}", tree.path(*node), call.0),
        EventKind::DidStop { node, call, outcome } => {
            format!("  {} stopped #{}, which left a {}", tree.path(*node), call.0, outcome.kind())
        }
        EventKind::DidCall { node, call, outcome, status } => {
            format!("  {} takes #{}'s {}: {status}", tree.path(*node), call.0, outcome.kind())
        }
        EventKind::DidWrite { slot, seq, value, node } => {
            let by = node.map_or("outside".to_owned(), |node| tree.path(node));
            let value = value.as_ref().map_or("nothing".to_owned(), |value| value.to_json().to_string());
            format!("  {by} writes {} = {value} (#{seq})", key(tree, *slot))
        }
        EventKind::DidFail { node, reason } => format!("  {} because {reason}", tree.path(*node)),
        EventKind::DidError { node, message } => format!("  {} cannot go on: {message}", tree.path(*node)),
    }
}

fn key(tree: &Tree, slot: helve::id::SlotId) -> String {
    let mut slots = tree.layout().slots();
    slots.find(|(id, _)| *id == slot).map_or("a late key".to_owned(), |(_, slot)| slot.key.to_string())
}
