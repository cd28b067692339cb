//! Shows a tree: as lines of text, or for Graphviz.

use std::fmt;
use std::fmt::Write as _;

use crate::catalog::{Class, Kind, PortManifest};
use crate::convert;
use crate::id::NodeId;
use crate::json_path::JsonPath;
use crate::status::Status;
use crate::tree::{Binding, FOR_EACH_PORTS, Part, Piece, Template, Tree};

/// The sign before a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// No sign: the tree is shown at rest.
    #[default]
    None,
    /// The sign of a status.
    Status(Status),
}

impl Mark {
    /// The sign as one character in brackets, or nothing.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Status(Status::Idle) => "[·] ",
            Self::Status(Status::Running) => "[●] ",
            Self::Status(Status::Success) => "[✓] ",
            Self::Status(Status::Failure) => "[✗] ",
            Self::Status(Status::Skipped) => "[↷] ",
        }
    }
}

/// One line of a drawing, in the parts that a terminal may colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The node.
    pub node: NodeId,
    /// The branches to the left.
    pub branch: String,
    /// The sign.
    pub mark: Mark,
    /// What the node is called.
    pub label: String,
    /// Its ports, shortly; or what the annotation says.
    pub detail: String,
}

/// A tree as lines, in pre-order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The lines.
    pub lines: Vec<Line>,
}

impl fmt::Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            let gap = if line.detail.is_empty() { "" } else { "  " };
            writeln!(f, "{}{}{}{gap}{}", line.branch, line.mark.as_str(), line.label, line.detail)?;
        }
        Ok(())
    }
}

/// Levels of branches that are drawn; deeper nodes say how deep they are instead.
const BRANCH_LEVELS_MAX: usize = 48;
/// Longest text of a port's value in a drawing, in characters.
const PORT_TEXT_CHARS_MAX: usize = 32;

/// Draws a tree. `annotate` gives each node its sign and, when it has something to say, the text
/// that stands in place of the ports.
pub fn draw(tree: &Tree, annotate: impl Fn(NodeId) -> (Mark, Option<String>)) -> Drawing {
    let mut open: Vec<bool> = Vec::new();
    let mut ends: Vec<u32> = Vec::new();
    let lines = tree.ids().map(|node| {
        while ends.pop_if(|end| *end <= node.get()).is_some() {
            open.pop();
        }
        ends.push(tree.node(node).end);
        open.push(tree.parent(node).is_some_and(|parent| tree.next_child(parent, node).is_some()));
        let (mark, text) = annotate(node);
        let detail = text.unwrap_or_else(|| ports_text(tree, node));
        Line { node, branch: branch(&open), mark, label: label(tree, node), detail }
    });
    Drawing { lines: lines.collect() }
}

/// The branches of a node from whether it and each ancestor has a sibling below; the root has none.
fn branch(open: &[bool]) -> String {
    let levels = &open[1..];
    if levels.len() > BRANCH_LEVELS_MAX {
        return format!("{}({} deep) ", "│  ".repeat(2), levels.len());
    }
    let mut text = String::new();
    for (level, &more) in levels.iter().enumerate() {
        text.push_str(match (level + 1 == levels.len(), more) {
            (true, true) => "├─ ",
            (true, false) => "└─ ",
            (false, true) => "│  ",
            (false, false) => "   ",
        });
    }
    text
}

/// `Sequence "plan"`, `search_code "find it"`, `SubTree Explore "left"`.
fn label(tree: &Tree, node: NodeId) -> String {
    let mut text = tree.written_as(node).name.to_string();
    if tree.node(node).kind == Kind::SubTree {
        let _ = write!(text, " {}", tree.layout().scope(tree.subtree_scope(node)).tree);
    }
    if let Some(name) = tree.name_of(node) {
        let _ = write!(text, " \"{name}\"");
    }
    if let Some(it) = tree.substituted(node) {
        let _ = write!(text, " ({})", it.by);
    }
    text
}

/// The bound ports: inputs as `port={key}`, outputs as `→ {key}`.
fn ports_text(tree: &Tree, node: NodeId) -> String {
    if tree.node(node).kind == Kind::SubTree {
        return String::new();
    }
    let mut texts = Vec::new();
    for (index, port) in tree.manifest(node).ports.iter().enumerate() {
        if let Some(key) = lane_key(tree, node, index) {
            texts.push(format!("{}={{{key}}}", port.name));
            continue;
        }
        let binding = tree.binding(node, index);
        let Some(value) = binding_text(tree, binding) else { continue };
        // What a contract binds of itself, and the tool can do without, is not worth the room.
        if port.direction.reads() && !port.required && is_default(tree, binding, port, &value) {
            continue;
        }
        texts.push(match (port.direction.reads(), value) {
            (true, value) => format!("{}={}", port.name, shorten(&value)),
            (false, value) => format!("→ {value}"),
        });
    }
    texts.join(" ")
}

/// The key that a port of a `ForEach` names in its lanes.
fn lane_key(tree: &Tree, node: NodeId, port: usize) -> Option<&str> {
    if tree.node(node).kind != Kind::ForEach {
        return None;
    }
    let lane = tree.lane(tree.first_child(node)?);
    let slot = match FOR_EACH_PORTS.get(port) {
        Some(&"item") => Some(lane.item),
        Some(&"index") => lane.index,
        Some(&"result") => lane.result,
        _ => None,
    };
    Some(&tree.layout().slot(slot?).key)
}

/// Whether a port holds its default, as it was written or as it is read: 2 and 2.0 are one number.
fn is_default(tree: &Tree, binding: Binding, port: &PortManifest, text: &str) -> bool {
    let Some(default) = port.default.as_deref() else { return false };
    default == text
        || matches!(binding, Binding::Literal(index)
            if convert::from_text(default, port.ty).as_ref() == Ok(tree.literal(index)))
}

fn binding_text(tree: &Tree, binding: Binding) -> Option<String> {
    match binding {
        Binding::Absent => None,
        Binding::Literal(index) => Some(tree.literal(index).to_string()),
        Binding::Slot(slot) => Some(format!("{{{}}}", tree.layout().slot(slot).key)),
        Binding::Part(index) => Some(part_text(tree, tree.part(index))),
        Binding::Script(index) => Some(tree.script(index).program.text().to_string()),
        Binding::Template(index) => Some(template_text(tree, tree.template(index))),
    }
}

fn part_text(tree: &Tree, Part { key, path }: &Part) -> String {
    let path: &JsonPath = path;
    format!("{{{}{path}}}", tree.layout().slot(*key).key)
}

fn template_text(tree: &Tree, template: &Template) -> String {
    match template {
        Template::Value(json) => json.to_string(),
        Template::Part(part) => part_text(tree, part),
        Template::Text(pieces) => (pieces.iter())
            .map(|piece| match piece {
                Piece::Text(text) => text.to_string(),
                Piece::Value(part) => part_text(tree, part),
            })
            .collect(),
        Template::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| template_text(tree, item)).collect();
            format!("[{}]", items.join(", "))
        }
        Template::Object(members) => {
            let members: Vec<_> =
                members.iter().map(|(name, it)| format!("{name}: {}", template_text(tree, it))).collect();
            format!("{{{}}}", members.join(", "))
        }
    }
}

fn shorten(text: &str) -> String {
    let flat: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if flat.chars().count() <= PORT_TEXT_CHARS_MAX {
        return flat;
    }
    let kept: String = flat.chars().take(PORT_TEXT_CHARS_MAX - 1).collect();
    format!("{kept}…")
}

/// The tree in Graphviz's language, children from left to right.
pub fn dot(tree: &Tree) -> String {
    let mut text = format!(
        "digraph {} {{\n  node [fontname=\"Helvetica\", fontsize=10, shape=box, style=rounded];\n  \
         edge [arrowsize=0.6];\n  ordering=out;\n",
        quoted(tree.name())
    );
    for node in tree.ids() {
        let shape = match tree.manifest(node).class {
            Class::Control => "box, style=\"rounded,filled\", fillcolor=\"#e8eef7\"",
            Class::Decorator => "box, style=\"rounded,filled\", fillcolor=\"#f3ecf7\"",
            Class::Condition => "ellipse",
            Class::SubTree => "folder",
            Class::Action => "box",
        };
        let ports = ports_text(tree, node);
        let gap = if ports.is_empty() { "" } else { "\n" };
        let caption = quoted(&format!("{}{gap}{ports}", label(tree, node)));
        let _ = writeln!(text, "  n{} [label={caption}, shape={shape}];", node.get());
    }
    for node in tree.ids() {
        if let Some(parent) = tree.parent(node) {
            let _ = writeln!(text, "  n{} -> n{};", parent.get(), node.get());
        }
    }
    text.push_str("}\n");
    text
}

/// A text as Graphviz quotes it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
