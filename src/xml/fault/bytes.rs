//! Faults of bytes that are no text, and of texts that are no XML.

use std::sync::Arc;

use crate::diag::{Code, Diagnostic};
use crate::text::{Source, Span};

/// A text that can be shown, from bytes that are none from `offset` on: the bytes up to the end of
/// that line, a replacement character in the place of each that is no text.
fn lossy(name: &str, bytes: &[u8], offset: usize) -> (Arc<Source>, Span) {
    let line = bytes[offset..].iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len() - offset);
    let body = bytes[..offset + line].strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes[..offset + line]);
    let start = offset + body.len() - (offset + line);
    let source = Source::new(name, String::from_utf8_lossy(body));
    (source, Span::new(start, start + char::REPLACEMENT_CHARACTER.len_utf8()))
}

/// Bytes that are more than a text may have.
pub fn too_large(name: &str, len: usize, limit: usize) -> Diagnostic {
    Diagnostic::new(Code::E0010, format!("`{name}` is too large: {len} bytes, the limit is {limit}"))
        .note("the limit keeps one file from taking all memory")
        .help("Split the trees over several files and join them with `<include path=\"..\"/>`.")
}

/// Bytes that begin with a UTF-16 byte order mark.
pub fn utf16(name: &str) -> Diagnostic {
    Diagnostic::new(Code::E0002, format!("`{name}` is UTF-16, not UTF-8"))
        .note("the file begins with the byte order mark of UTF-16")
        .help("Save it as UTF-8, or run `iconv -f UTF-16 -t UTF-8` on it.")
}

/// Bytes that hold a zero.
pub fn binary(name: &str, offset: usize) -> Diagnostic {
    Diagnostic::new(Code::E0003, format!("`{name}` is binary: a zero byte at offset {offset}"))
        .note("no XML text holds a zero byte")
        .help("Check that the path names a tree and not something compiled or compressed.")
}

/// Bytes that are no UTF-8 from `offset` on.
pub fn not_utf8(name: &str, bytes: &[u8], offset: usize) -> Diagnostic {
    let message = format!("`{name}` is not UTF-8: byte 0x{:02X} at offset {offset}", bytes[offset]);
    let (source, span) = lossy(name, bytes, offset);
    let fault = Diagnostic::new(Code::E0002, message).at(&source, span, "no character begins with this byte");
    match declared_encoding(bytes) {
        Some(encoding) => fault
            .note(format!("its XML declaration says `{encoding}`; only UTF-8 is read"))
            .help(format!("Run `iconv -f {encoding} -t UTF-8` on it and declare `UTF-8`.")),
        None => fault
            .note("XML without a declared encoding is UTF-8, and only UTF-8 is read")
            .help("Save it as UTF-8; if an old editor wrote it, try `iconv -f WINDOWS-1252 -t UTF-8`."),
    }
}

/// The encoding that an XML declaration names, unless it is UTF-8.
fn declared_encoding(bytes: &[u8]) -> Option<&str> {
    let declaration = bytes.strip_prefix(b"<?xml")?;
    let end = declaration.iter().position(|&byte| byte == b'>')?;
    let declaration = std::str::from_utf8(&declaration[..end]).ok()?;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|&quote| quote == '"' || quote == '\'')?;
    let encoding = value[1..].split_once(quote)?.0;
    let is_name =
        |name: &str| name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter));
    (!encoding.is_empty() && is_name(encoding) && !encoding.eq_ignore_ascii_case("utf-8")).then_some(encoding)
}

/// A text without anything in it.
pub fn empty(source: &Arc<Source>) -> Diagnostic {
    let end = source.text().trim_end().len();
    let message = if source.text().is_empty() { "the file is empty" } else { "the file holds no element" };
    Diagnostic::new(Code::E0014, message)
        .at(source, Span::new(end, end), "a `<root>` is expected")
        .note("a tree file holds one `<root>` element with the trees inside")
        .help("Begin with `<root BTCPP_format=\"4\"> <BehaviorTree ID=\"Main\"> .. </BehaviorTree> </root>`.")
}

/// A text that is something else than XML, at `start`; `what` says what it looks like.
pub fn not_xml(source: &Arc<Source>, start: usize, what: Option<&str>) -> Diagnostic {
    let first = source.text()[start..].chars().next().map_or(1, char::len_utf8);
    let seems = what.map(|what| format!("; it looks like {what}")).unwrap_or_default();
    let label =
        what.map_or_else(|| "`<` is expected here".to_owned(), |what| format!("{what} begins like this"));
    Diagnostic::new(Code::E0003, format!("the text is no XML{seems}"))
        .at(source, Span::new(start, start + first), label)
        .note("a tree is an XML file whose outermost element is `<root>`")
        .help("Check that the path names a tree file.")
}
