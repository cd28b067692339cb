//! JSON text out and in, bounded in depth.
//!
//! `serde_json`'s own bound is switched off for a journal, because an output at the executor's
//! bound and what is wrapped around it lie past it. [`is_bounded`] is the bound instead, found
//! without recursion: it keeps a crafted file from overflowing the stack, and a value that could
//! not be read back from being recorded.

use serde::{Deserialize, Serialize};

use crate::journal::error::Kind;
use crate::limits::JOURNAL_DEPTH_MAX;

/// One line of JSON: the same value gives the same bytes.
pub(super) fn write(value: &impl Serialize) -> Result<String, Kind> {
    let json = serde_json::to_string(value).map_err(|fault| Kind::Unserializable(fault.to_string()))?;
    if is_bounded(&json) { Ok(json) } else { Err(Kind::TooDeep) }
}

/// Reads what [`write`] wrote; the error says what is wrong with it.
pub(super) fn read<'j, T: Deserialize<'j>>(json: &'j str) -> Result<T, String> {
    if !is_bounded(json) {
        return Err(format!("is nested deeper than {JOURNAL_DEPTH_MAX} levels"));
    }
    let mut reader = serde_json::Deserializer::from_str(json);
    reader.disable_recursion_limit();
    let read = T::deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    read.map_err(|fault| format!("cannot be read: {fault}"))
}

/// Whether `json` is nested no deeper than [`JOURNAL_DEPTH_MAX`]. A text that is no JSON gets an
/// answer too; its reader refuses it.
fn is_bounded(json: &str) -> bool {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => depth += 1,
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > JOURNAL_DEPTH_MAX {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, bounded: bool) {
        assert_eq!(is_bounded(json), bounded, "{json}");
    }

    #[test]
    fn only_brackets_outside_of_texts_count() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        check("", true);
        check(&nested(JOURNAL_DEPTH_MAX), true);
        check(&nested(JOURNAL_DEPTH_MAX + 1), false);
        check(&r#"{"a":"#.repeat(JOURNAL_DEPTH_MAX + 1), false);
        check(&format!("\"{}\"", "[".repeat(1_000)), true);
        check(&format!(r#""\"{}""#, "[".repeat(1_000)), true);
        check(&format!(r#""\\",{}"#, nested(JOURNAL_DEPTH_MAX + 1)), false);
        check(&format!("[{}]", "[],".repeat(1_000)), true);
    }
}
