//! The signature of a definition and the comment that belongs to it.

use tree_sitter::Node;

use crate::limits::{CODE_DOC_CHARS_MAX, CODE_SIGNATURE_CHARS_MAX};
use crate::tools::code::grammar::Grammar;
use crate::tools::code::line::clipped;

/// Longest text before a definition on its own line that is part of its signature: `export `,
/// `pub(crate) `, `typedef `. In a file that is one long line everything would be.
const LEAD_BYTES_MAX: usize = 40;
/// Most lines of comment looked at, and longest of them.
const COMMENT_LINES_MAX: usize = 200;
const COMMENT_LINE_BYTES_MAX: usize = 2_000;

/// A definition up to its body, on one line. A name that comes after the body, as in C's
/// `typedef struct { .. } ring;`, is added.
pub fn signature(node: Node<'_>, name: &str, source: &[u8]) -> String {
    let start =
        if node.start_position().column <= LEAD_BYTES_MAX { line_start(node) } else { node.start_byte() };
    let end = body_start(node).unwrap_or_else(|| first_line_end(node, source));
    let head = source.get(start..end.max(start)).unwrap_or_default();
    let head = &head[..head.len().min(CODE_SIGNATURE_CHARS_MAX * 8)];
    let line = one_line(&String::from_utf8_lossy(head));
    let line = line.trim_end_matches('{').trim_end().trim_end_matches(',');
    let named = if line.contains(name) { line.to_owned() } else { format!("{line} … {name}") };
    clipped(&named, CODE_SIGNATURE_CHARS_MAX)
}

/// Several lines as a formatter would write them if they fitted on one.
fn one_line(text: &str) -> String {
    let mut joined = String::new();
    for line in text.lines() {
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.starts_with([')', ']', '>']) {
            joined.truncate(joined.trim_end_matches([',', ' ']).len());
        } else if !joined.is_empty() && !joined.ends_with(['(', '[', '<']) {
            joined.push(' ');
        }
        joined += &line;
    }
    joined.trim().to_owned()
}

/// The comment above a definition, or the docstring in it.
pub fn doc(grammar: Grammar, node: Node<'_>, source: &[u8]) -> Option<String> {
    let docstring = || docstring(node, source);
    let text = match grammar {
        Grammar::Python => docstring().or_else(|| comment_above(grammar, node, source)),
        _ => comment_above(grammar, node, source),
    }?;
    let text = text.trim();
    (!text.is_empty()).then(|| clipped(text, CODE_DOC_CHARS_MAX))
}

fn line_start(node: Node<'_>) -> usize {
    node.start_byte().saturating_sub(node.start_position().column)
}

fn first_line_end(node: Node<'_>, source: &[u8]) -> usize {
    let text = source.get(node.byte_range()).unwrap_or_default();
    node.start_byte() + text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len())
}

/// Where the body begins; also of a function that is the value of a variable.
fn body_start(node: Node<'_>) -> Option<usize> {
    let body = |node: Node<'_>| node.child_by_field_name("body").map(|body| body.start_byte());
    let value = |node: Node<'_>| node.child_by_field_name("value").and_then(body);
    body(node).or_else(|| value(node)).or_else(|| node.named_child(0).and_then(value))
}

fn docstring(node: Node<'_>, source: &[u8]) -> Option<String> {
    let first = node.child_by_field_name("body")?.named_child(0)?;
    let string = if first.kind() == "string" { first } else { first.named_child(0)? };
    let text = source.get(string.byte_range()).filter(|_| string.kind() == "string")?;
    let text = String::from_utf8_lossy(text);
    let quoted = text.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let lines = quoted.trim_matches(['"', '\'']).lines().map(str::trim);
    Some(lines.collect::<Vec<_>>().join("\n"))
}

/// Read from the text and not from the tree: the node before a definition may be an attribute, a
/// decorator, or outside of an `export`, and inside a macro there is no tree around it.
fn comment_above(grammar: Grammar, node: Node<'_>, source: &[u8]) -> Option<String> {
    let marker = if grammar == Grammar::Python { "#" } else { "//" };
    let mut end = line_start(node);
    let mut lines = Vec::new();
    let mut state = Above::Attributes;
    for _ in 0..COMMENT_LINES_MAX {
        let Some((start, line)) = line_before(source, end) else { break };
        state = state.next(line, marker);
        match state {
            Above::Attributes | Above::InAttribute => {}
            Above::Comment | Above::InBlock | Above::BlockStart => lines.push(bare(line, marker)),
            Above::End => break,
        }
        end = start;
    }
    lines.reverse();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// What the line just read, going up from a definition, is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Above {
    /// `#[inline]`, `@cached`, `template <class T>`.
    Attributes,
    /// The later lines of an attribute over several.
    InAttribute,
    /// A line comment.
    Comment,
    /// A block comment whose beginning is further up.
    InBlock,
    /// The first line of a block comment.
    BlockStart,
    /// Anything else.
    End,
}

impl Above {
    fn next(self, line: &str, marker: &str) -> Self {
        let is_comment = line.starts_with(marker) && !line.starts_with("//!");
        match self {
            Self::InBlock if line.starts_with("/*") => Self::BlockStart,
            Self::InBlock => Self::InBlock,
            Self::InAttribute if line.starts_with("#[") => Self::Attributes,
            Self::InAttribute => Self::InAttribute,
            _ if is_comment => Self::Comment,
            Self::Attributes if line.ends_with("*/") && line.starts_with("/*") => Self::BlockStart,
            Self::Attributes if line.ends_with("*/") => Self::InBlock,
            Self::Attributes if is_attribute(line) => Self::Attributes,
            Self::Attributes if line.ends_with(")]") => Self::InAttribute,
            _ => Self::End,
        }
    }
}

fn is_attribute(line: &str) -> bool {
    ["#[", "@", "template", "[["].iter().any(|start| line.starts_with(start))
}

fn line_before(source: &[u8], end: usize) -> Option<(usize, &str)> {
    let before = source.get(..end.checked_sub(1)?)?;
    let window = before.len().saturating_sub(COMMENT_LINE_BYTES_MAX);
    let start = match before[window..].iter().rposition(|&byte| byte == b'\n') {
        Some(at) => window + at + 1,
        None if window == 0 => 0,
        None => return None,
    };
    Some((start, std::str::from_utf8(&before[start..]).ok()?.trim()))
}

/// A line of comment without its marks.
fn bare(line: &str, marker: &str) -> String {
    let line = line.trim_start_matches("/**").trim_start_matches("/*").trim_end_matches("*/");
    let line = line.trim_start_matches(marker).trim_start_matches(['/', '!']);
    line.trim_start().trim_start_matches("* ").trim_start_matches('*').trim().to_owned()
}
