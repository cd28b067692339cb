//! Values and text as XML spells them.

use std::borrow::Cow;

use crate::xml::reference::reference_len;

/// A text with `\n` as its only line end.
pub(super) fn unix_lines(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n").into() } else { text.into() }
}

/// A piece of raw markup with what XML does not allow in it spelled so that it does. References that
/// are right stay as they are, so a value that was right is not touched.
pub(super) fn mended(raw: &str) -> Cow<'_, str> {
    let raw = unix_lines(raw);
    if !raw.contains(['&', '<']) {
        return raw;
    }
    let mut out = String::with_capacity(raw.len());
    let mut rest = &*raw;
    while let Some(at) = rest.find(['&', '<']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let len = reference_len(rest).unwrap_or(1);
        out.push_str(match &rest[..len] {
            "&" => "&amp;",
            "<" => "&lt;",
            reference => reference,
        });
        rest = &rest[len..];
    }
    out.push_str(rest);
    out.into()
}

/// The same for text between tags, which `]]>` may not stand in either.
pub(super) fn mended_text(raw: &str) -> String {
    mended(raw).replace("]]>", "]]&gt;")
}

/// A value in its quotes.
pub(super) fn quoted(raw: &str) -> String {
    let value = mended(raw);
    match (value.contains('"'), value.contains('\'')) {
        (true, true) => format!("\"{}\"", value.replace('"', "&quot;")),
        (true, false) => format!("'{value}'"),
        (false, _) => format!("\"{value}\""),
    }
}
