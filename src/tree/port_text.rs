//! What the text of an attribute means to a port: a literal, a pointer, a template.

use std::ops::Range;

use crate::json_path::JsonPath;

/// The meaning of a port's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PortText<'t> {
    /// The text itself.
    Literal,
    /// `{key}`, `{key.path[0]}`, `{=}`, `=`.
    Pointer(Pointer<'t>),
}

/// A key, or a part of its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pointer<'t> {
    /// The key; `=` has become the port's own name.
    pub key: &'t str,
    /// The way to the part; empty for the whole value.
    pub path: JsonPath,
}

/// Why a text that looks like a pointer is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PointerFault {
    pub range: Range<usize>,
    pub message: String,
}

/// Reads a port's text. A pointer is a text whose first non-blank is `{` and whose last is `}`;
/// it holds a key and perhaps a path. `{=}` and `=` are the key of the port's own name.
pub(super) fn parse<'t>(text: &'t str, port: &'t str) -> Result<PortText<'t>, PointerFault> {
    let is_bare = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
    let has_no_blanks = is_bare(text.as_bytes().first()) && is_bare(text.as_bytes().last());
    let trimmed = if has_no_blanks { text } else { text.trim() };
    if trimmed == "=" {
        return Ok(PortText::Pointer(Pointer { key: port, path: JsonPath::default() }));
    }
    match inside(trimmed) {
        Some(inner) => {
            let offset = inner.as_ptr() as usize - text.as_ptr() as usize;
            pointer(inner, port, offset).map(PortText::Pointer)
        }
        None => Ok(PortText::Literal),
    }
}

/// The text between the braces of a pointer: at least one character, as the reference has it.
pub(super) fn inside(trimmed: &str) -> Option<&str> {
    trimmed.strip_prefix('{')?.strip_suffix('}').filter(|inner| !inner.is_empty())
}

/// Reads what stands between the braces. `offset` is where it begins in the attribute's value.
pub(super) fn pointer<'t>(inner: &'t str, port: &'t str, offset: usize) -> Result<Pointer<'t>, PointerFault> {
    let end = inner.bytes().position(|byte| matches!(byte, b'.' | b'[')).unwrap_or(inner.len());
    let (key, path) = inner.split_at(end);
    let key = if key == "=" { port } else { key };
    if let Err(message) = check_key(key) {
        return Err(PointerFault { range: offset..offset + end.max(1), message });
    }
    if path.is_empty() {
        return Ok(Pointer { key, path: JsonPath::default() });
    }
    let path = JsonPath::parse(path).map_err(|fault| {
        let at = offset + end + fault.offset;
        PointerFault { range: at..offset + inner.len(), message: fault.message.to_owned() }
    })?;
    Ok(Pointer { key, path })
}

/// Whether a text can be a key: not empty, no blanks, none of the characters that mean something
/// else in a pointer or an expression.
pub(super) fn check_key(key: &str) -> Result<(), String> {
    let bare = key.strip_prefix('@').unwrap_or(key);
    if !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_graphic() && !is_odd(byte.into())) {
        return Ok(());
    }
    if bare.trim().is_empty() {
        return Err("the key is missing".to_owned());
    }
    if key != key.trim() {
        return Err(format!("the key has blanks around it: write `{{{}}}`", key.trim()));
    }
    match bare.chars().find(|&c| c.is_whitespace() || c.is_control() || is_odd(c)) {
        Some(odd) => Err(format!("a key holds no {odd:?}")),
        None => Ok(()),
    }
}

/// What means something else in a pointer or an expression.
const fn is_odd(c: char) -> bool {
    matches!(c, '{' | '}' | '"' | '\'' | '<' | '>' | '&' | ',' | ';' | '(' | ')')
}

/// A piece of a text with pointers inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TextPiece<'t> {
    Text(&'t str),
    Pointer(Pointer<'t>),
}

/// Cuts a text at its pointers: `report {name}.md` has three pieces. `None` when it has no pointer
/// that reads as one; braces that hold none stay text.
pub(super) fn pieces(text: &str) -> Option<Vec<TextPiece<'_>>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut plain = text;
    while let Some(open) = rest.find('{') {
        let Some(close) = rest[open..].find('}').map(|at| open + at) else { break };
        let inner = &rest[open + 1..close];
        if let Ok(found) = pointer(inner, "", 0) {
            let before = plain.len() - rest.len() + open;
            if before > 0 {
                pieces.push(TextPiece::Text(&plain[..before]));
            }
            pieces.push(TextPiece::Pointer(found));
            plain = &rest[close + 1..];
            rest = plain;
        } else {
            rest = &rest[open + 1..];
        }
    }
    if pieces.is_empty() {
        return None;
    }
    if !plain.is_empty() {
        pieces.push(TextPiece::Text(plain));
    }
    Some(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let got = match parse(text, "port") {
            Ok(PortText::Literal) => "literal".to_owned(),
            Ok(PortText::Pointer(pointer)) => format!("{}{}", pointer.key, pointer.path),
            Err(fault) => format!("{:?} {}", fault.range, fault.message),
        };
        assert_eq!(got, expected, "{text}");
    }

    #[test]
    fn a_port_text_is_a_literal_or_a_pointer() {
        check("hello", "literal");
        check("{}", "literal");
        check("hi {name}", "literal");
        check("{name}", "name");
        check("  {name} ", "name");
        check("{=}", "port");
        check("=", "port");
        check("{@top}", "@top");
        check("{hits.results[0].path}", "hits.results[0].path");
        check("{ k }", "1..4 the key has blanks around it: write `{k}`");
        check("{a} and {b}", "1..10 a key holds no '}'");
        check("{a[}", "2..3 `]` is missing");
        check("{.a}", "1..2 the key is missing");
    }

    #[test]
    fn a_template_is_cut_at_its_pointers() {
        let cut = |text| {
            pieces(text).map(|pieces| {
                (pieces.iter())
                    .map(|piece| match piece {
                        TextPiece::Text(text) => format!("{text:?}"),
                        TextPiece::Pointer(it) => format!("<{}{}>", it.key, it.path),
                    })
                    .collect::<String>()
            })
        };
        assert_eq!(cut("report {name}.md").as_deref(), Some("\"report \"<name>\".md\""));
        assert_eq!(cut("{a}{b.c}").as_deref(), Some("<a><b.c>"));
        assert_eq!(cut("fn x() { {body} }").as_deref(), Some("\"fn x() { \"<body>\" }\""));
        assert_eq!(cut("no {} pointer { here }"), None);
    }
}
