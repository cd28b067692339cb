//! A run as a picture: the tree with what each node did last, and what each call is doing.
//! A picture knows no terminal; it is made of events and becomes lines.

use std::collections::BTreeMap;
use std::sync::Arc;

use crossterm::style::Color as Hue;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::cli::gist::{outcome_gist, shorten};
use crate::cli::out::paint;
use crate::event::{Event, EventKind};
use crate::id::{CallId, NodeId};
use crate::moment::Moment;
use crate::outcome::Outcome;
use crate::run::RunEvent;
use crate::status::Status;
use crate::tool::Notice;
use crate::tree::{self, Mark, Tree};

/// The frames of the spinner before a leaf whose call is under way.
const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/// Longest text behind a node, in characters.
const DETAIL_CHARS_MAX: usize = 90;

/// What has become of a run so far.
pub(super) struct Picture {
    tree: Arc<Tree>,
    last: Vec<Status>,
    running: BTreeMap<CallId, Running>,
    said: BTreeMap<NodeId, Said>,
}

/// What is said behind a node. It goes when it is no longer so: a sequence that was halted and then
/// succeeded is not halted.
enum Said {
    /// How its last call ended; until the next call.
    Ended(String),
    /// Why it failed; until it does something else.
    Failed(String),
    /// Until its next visit.
    Halted,
}

impl Said {
    fn text(&self) -> &str {
        match self {
            Self::Ended(text) | Self::Failed(text) => text,
            Self::Halted => "halted",
        }
    }

    fn is_past(&self, status: Status) -> bool {
        match self {
            Self::Ended(_) => false,
            Self::Failed(_) => status != Status::Failure,
            Self::Halted => true,
        }
    }
}

/// A call under way.
struct Running {
    node: NodeId,
    tool: String,
    started: Moment,
    doing: Option<String>,
}

/// One line, in the parts that are coloured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PictureLine {
    branch: String,
    mark: String,
    label: String,
    detail: String,
    status: Status,
    is_active: bool,
}

impl Picture {
    pub fn new(tree: Arc<Tree>) -> Self {
        let last = vec![Status::Idle; tree.len()];
        Self { tree, last, running: BTreeMap::new(), said: BTreeMap::new() }
    }

    pub fn take(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Engine(event) => self.take_engine(event),
            RunEvent::Notice { call, notice: Notice::Progress(doing) } => {
                if let Some(running) = self.running.get_mut(call) {
                    running.doing = Some(shorten(doing, DETAIL_CHARS_MAX));
                }
            }
            RunEvent::Notice { .. } | RunEvent::Missed(_) => {}
        }
    }

    pub fn take_engine(&mut self, event: &Event) {
        match &event.kind {
            EventKind::DidVisit { node, status } => {
                self.last[node.index()] = *status;
                if self.said.get(node).is_some_and(|said| said.is_past(*status)) {
                    self.said.remove(node);
                }
            }
            EventKind::DidHalt { node } => {
                self.last[node.index()] = Status::Idle;
                self.said.insert(*node, Said::Halted);
            }
            EventKind::WillCall { node, call } => {
                self.said.remove(node);
                let tool = call.tool.to_string();
                let running = Running { node: *node, tool, started: event.at, doing: None };
                self.running.insert(call.id, running);
            }
            EventKind::DidCall { node, call, outcome, .. } => {
                self.running.remove(call);
                self.said.insert(*node, Said::Ended(ended(outcome)));
            }
            EventKind::DidStop { call, .. } => drop(self.running.remove(call)),
            EventKind::DidFail { node, reason } => {
                self.said.insert(*node, Said::Failed(shorten(reason, DETAIL_CHARS_MAX)));
            }
            EventKind::DidError { node, message } => {
                self.last[node.index()] = Status::Failure;
                self.said.insert(*node, Said::Failed(shorten(message, DETAIL_CHARS_MAX)));
            }
            EventKind::WillTick { .. }
            | EventKind::DidTick { .. }
            | EventKind::WillStop { .. }
            | EventKind::DidWrite { .. } => {}
        }
    }

    /// The tree at `now`; `frame` turns the spinner.
    pub fn lines(&self, now: Moment, frame: usize) -> Vec<PictureLine> {
        let drawing =
            tree::draw(&self.tree, |node| (Mark::Status(self.last[node.index()]), Some(String::new())));
        (drawing.lines.into_iter())
            .map(|line| {
                let status = self.last[line.node.index()];
                let call = self.running.values().find(|running| running.node == line.node);
                let mark = match call {
                    Some(_) => format!("[{}] ", SPINNER[frame % SPINNER.len()]),
                    None => line.mark.as_str().to_owned(),
                };
                let detail = match call {
                    Some(running) => doing(running, &line.label, now),
                    None => self.said.get(&line.node).map_or(String::new(), |said| said.text().to_owned()),
                };
                let is_active = call.is_some();
                PictureLine { branch: line.branch, mark, label: line.label, detail, status, is_active }
            })
            .collect()
    }
}

fn doing(running: &Running, label: &str, now: Moment) -> String {
    let elapsed = now.since(running.started).as_secs_f64();
    let doing = running.doing.as_deref().map_or(String::new(), |doing| format!(" · {doing}"));
    // A leaf is mostly labelled by its tool; one that chose its tool is not.
    let tool = if label.starts_with(&running.tool) { String::new() } else { format!("{} · ", running.tool) };
    format!("{tool}{elapsed:.1} s{doing}")
}

fn ended(outcome: &Outcome) -> String {
    shorten(&format!("{} ms · {}", outcome.elapsed_ms(), outcome_gist(outcome)), DETAIL_CHARS_MAX)
}

impl PictureLine {
    /// The line, no wider than `width` columns.
    pub fn render(&self, width: usize, colour: bool) -> String {
        let gap = if self.detail.is_empty() { "" } else { "  " };
        let mut room = width;
        let mut part = |text: &str| clip(text, &mut room);
        let (branch, mark) = (part(&self.branch), part(&self.mark));
        let (label, detail) = (part(&self.label), part(&format!("{gap}{}", self.detail)));
        let hue = hue(self.status, self.is_active);
        format!("{}{}{label}{}", paint(colour, &branch, Hue::DarkGrey), paint(colour, &mark, hue), {
            let grey = if self.status == Status::Failure { Hue::Red } else { Hue::DarkGrey };
            paint(colour, &detail, grey)
        })
    }
}

const fn hue(status: Status, is_active: bool) -> Hue {
    match (status, is_active) {
        (_, true) | (Status::Running, _) => Hue::Cyan,
        (Status::Success, _) => Hue::Green,
        (Status::Failure, _) => Hue::Red,
        (Status::Skipped, _) => Hue::Yellow,
        (Status::Idle, _) => Hue::DarkGrey,
    }
}

/// The beginning of a text that fits into the room, which shrinks by it.
pub(super) fn clip(text: &str, room: &mut usize) -> String {
    if text.width() <= *room {
        *room -= text.width();
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        let width = c.width().unwrap_or_default();
        if width + 1 > *room {
            break;
        }
        kept.push(c);
        *room -= width;
    }
    if *room > 0 {
        kept.push('…');
    }
    *room = 0;
    kept
}

/// The lines that fit into `height` rows: the active ones stay in sight, and what is left out is
/// counted.
pub(super) fn window(lines: &[PictureLine], height: usize, width: usize, colour: bool) -> Vec<String> {
    if lines.len() <= height {
        return lines.iter().map(|line| line.render(width, colour)).collect();
    }
    // Two rows say how much is above and below.
    let room = height.saturating_sub(2).max(1);
    let active = lines.iter().position(|line| line.is_active).unwrap_or_default();
    let first = active.saturating_sub(room / 2).min(lines.len() - room);
    let left = |count: usize, place: &str| paint(colour, &format!("… {count} more {place}"), Hue::DarkGrey);
    let mut rows = vec![left(first, "above")];
    rows.extend(lines[first..first + room].iter().map(|line| line.render(width, colour)));
    rows.push(left(lines.len() - first - room, "below"));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node;
    use crate::text::Source;
    use crate::tree::CompileOptions;

    fn line(label: &str, detail: &str, is_active: bool) -> PictureLine {
        PictureLine {
            branch: "├─ ".into(),
            mark: "[✓] ".into(),
            label: label.into(),
            detail: detail.into(),
            status: Status::Success,
            is_active,
        }
    }

    #[test]
    fn a_line_is_no_wider_than_the_terminal() {
        let line = line("search \"日本\"", "12 ms · ok", false);
        assert_eq!(line.render(80, false), "├─ [✓] search \"日本\"  12 ms · ok");
        assert_eq!(line.render(24, false), "├─ [✓] search \"日本\"  1…");
        assert_eq!(line.render(17, false), "├─ [✓] search \"…");
        for width in 0..40 {
            assert!(line.render(width, false).width() <= width, "{width}");
        }
    }

    #[test]
    fn what_is_said_goes_when_it_is_no_longer_so() {
        let source = Source::new(
            "a.xml",
            "<root BTCPP_format=\"4\"><BehaviorTree><AlwaysSuccess/></BehaviorTree></root>",
        );
        let tree = tree::load(&source, &node::catalog(), &CompileOptions::default()).expect("a tree");
        let node = tree.root();
        let mut picture = Picture::new(tree);
        #[track_caller]
        fn check(picture: &mut Picture, kind: EventKind, expected: &str) {
            picture.take_engine(&Event { seq: 1, at: Moment::ZERO, kind });
            assert_eq!(picture.lines(Moment::ZERO, 0)[0].detail, expected);
        }
        let visit = |status| EventKind::DidVisit { node, status };
        check(&mut picture, EventKind::DidHalt { node }, "halted");
        check(&mut picture, visit(Status::Running), "");
        check(&mut picture, EventKind::DidFail { node, reason: "no".into() }, "no");
        check(&mut picture, visit(Status::Failure), "no");
        check(&mut picture, visit(Status::Success), "");
    }

    #[test]
    fn the_active_part_stays_in_sight() {
        let lines: Vec<_> = (0..20).map(|place| line(&place.to_string(), "", place == 12)).collect();
        let rows = window(&lines, 7, 40, false);
        assert_eq!(rows.len(), 7);
        assert_eq!(rows[0], "… 10 more above");
        assert_eq!(rows[3], "├─ [✓] 12");
        assert_eq!(rows[6], "… 5 more below");
        assert_eq!(window(&lines, 20, 40, false).len(), 20);
    }
}
