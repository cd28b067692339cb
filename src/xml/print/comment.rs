//! Comments, moved and mended.

use std::borrow::Cow;

use super::markup::unix_lines;

/// A comment with its delimiters, as it stands after `indent`; `old` is what stood before it on its
/// line. Lines that began with the same blanks as the comment move with it; others stay.
pub(super) fn moved(comment: &str, old: &str, indent: &str) -> String {
    let comment = unix_lines(comment);
    let text = comment.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->")).unwrap_or_default();
    let text = mended(text);
    let mut lines = text.split('\n');
    let mut out = format!("<!--{}", lines.next().unwrap_or_default());
    for line in lines {
        out.push('\n');
        match line.strip_prefix(old) {
            Some(rest) if !rest.is_empty() => out.extend([indent, rest]),
            _ => out.push_str(line),
        }
    }
    out.push_str("-->");
    out
}

/// What stood outside the root, as a comment.
pub(super) fn outside(text: &str) -> String {
    format!("<!-- {} -->", mended(unix_lines(text).trim()))
}

/// The inside of a comment without what XML does not allow there: `--`, and `-` at its end.
fn mended(text: &str) -> Cow<'_, str> {
    if !is_broken(text) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 1);
    let mut rest = text;
    while let Some(at) = rest.find("--") {
        out.push_str(&rest[..at]);
        let run = rest[at..].bytes().take_while(|&byte| byte == b'-').count();
        match run {
            2 => out.push_str("- -"),
            _ => out.extend(std::iter::repeat_n('=', run)),
        }
        rest = &rest[at + run..];
    }
    out.push_str(rest);
    if out.ends_with('-') {
        out.push(' ');
    }
    out.into()
}

/// Whether XML does not allow this inside a comment.
pub(in crate::xml) fn is_broken(text: &str) -> bool {
    text.contains("--") || text.ends_with('-')
}
