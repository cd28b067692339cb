//! Where a value ends whose closing quote is missing, or that holds quotes of its own kind.
//!
//! Without the quote a value runs to the quote that opens the next value in the file, so it ends in
//! `name=` and what follows it is no attribute. Both together never happen in a sound tag: a script
//! may end in `=`, but then a blank, `/`, `>` or `name="` follows its quote.

use super::letters::{is_blank, is_name, is_name_start, name_end, skip_blanks, trim_end};

/// Where a value without a closing quote seems to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// The tag goes on: the next attribute begins after this.
    Attribute { value_end: usize },
    /// The tag ends too: `>` stands before `after`.
    Tag { value_end: usize, after: usize, is_closed: bool },
    /// Quotes inside the value ended it early; this one is the last.
    Quotes { value_end: usize },
}

impl Cut {
    /// Where the value ends.
    pub const fn value_end(self) -> usize {
        let (Self::Attribute { value_end } | Self::Tag { value_end, .. } | Self::Quotes { value_end }) = self;
        value_end
    }
}

/// Looks for a forgotten quote in the value from `start` to the quote at `end`.
pub(super) fn find(bytes: &[u8], start: usize, end: usize) -> Option<Cut> {
    if is_plausible(bytes, end + 1) {
        return None;
    }
    tag_end(bytes, start, end).or_else(|| attribute_end(bytes, start, end)).or_else(|| last_quote(bytes, end))
}

/// Looks for the end of a value that no quote closes in the whole rest of the text.
pub(super) fn find_to_end(bytes: &[u8], start: usize) -> Option<Cut> {
    tag_end(bytes, start, bytes.len())
}

/// Whether what stands at `at` may follow a value: a blank, the end of the tag, `name="`.
fn is_plausible(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at).copied() {
        None | Some(b'/' | b'>' | b'?') => true,
        Some(byte) if is_blank(byte) => true,
        Some(byte) if is_name_start(byte) => {
            let equals = skip_blanks(bytes, name_end(bytes, at));
            let quote = skip_blanks(bytes, equals + 1);
            bytes.get(equals) == Some(&b'=') && matches!(bytes.get(quote), Some(b'"' | b'\''))
        }
        Some(_) => false,
    }
}

/// The first `>` that a tag or the end of the text follows. A `>` of a script is followed by neither.
fn tag_end(bytes: &[u8], start: usize, end: usize) -> Option<Cut> {
    let is_end = |&at: &usize| {
        let next = skip_blanks(bytes, at + 1);
        bytes[at] == b'>' && matches!(bytes.get(next), None | Some(b'<'))
    };
    let close = (start..end).find(is_end)?;
    let is_closed = close > start && bytes[close - 1] == b'/';
    let value_end = trim_end(bytes, close - usize::from(is_closed)).max(start);
    Some(Cut::Tag { value_end, after: close + 1, is_closed })
}

/// The blanks before the `name=` that the value ends in.
fn attribute_end(bytes: &[u8], start: usize, end: usize) -> Option<Cut> {
    let equals = trim_end(bytes, end).checked_sub(1).filter(|&at| at >= start && bytes[at] == b'=')?;
    let name = trim_end(bytes, equals);
    let letters = bytes[start..name].iter().rev().take_while(|&&byte| is_name(byte)).count();
    let begin = name - letters;
    let is_name = letters > 0 && is_name_start(bytes[begin]) && begin > start && is_blank(bytes[begin - 1]);
    is_name.then(|| Cut::Attribute { value_end: trim_end(bytes, begin).max(start) })
}

/// After a quote inside the value, the first one on the same line that surely ends it: the end of the
/// tag or a whole next attribute follows.
fn last_quote(bytes: &[u8], first: usize) -> Option<Cut> {
    let quote = bytes[first];
    let line =
        first + 1 + bytes[first + 1..].iter().take_while(|&&byte| byte != b'\n' && byte != b'<').count();
    let is_last = |&at: &usize| {
        let next = skip_blanks(bytes, at + 1);
        let is_attribute = next > at + 1 && bytes.get(next).copied().is_some_and(is_name_start);
        let is_tag_end = matches!(bytes.get(next..), Some([b'>', ..] | [b'/', b'>', ..]));
        bytes[at] == quote && (is_tag_end || (is_attribute && is_plausible(bytes, next)))
    };
    (first + 2..line).find(is_last).map(|value_end| Cut::Quotes { value_end })
}
