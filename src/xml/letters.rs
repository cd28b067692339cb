//! Which bytes may stand where.
//!
//! Names follow the dialect's reference reader, not the XML tables: every character beyond ASCII may
//! stand in a name. All delimiters are ASCII, so a scan over bytes always stops on a character border.

/// What XML counts as blank.
pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Whether a name may begin with it.
pub(super) const fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte >= 0x80 || byte == b'_' || byte == b':'
}

/// Whether a name may go on with it.
pub(super) const fn is_name(byte: u8) -> bool {
    is_name_start(byte) || byte.is_ascii_digit() || byte == b'-' || byte == b'.'
}

/// The first offset from `at` on that does not satisfy `test`.
pub(super) fn skip(bytes: &[u8], at: usize, test: impl Fn(u8) -> bool) -> usize {
    let rest = &bytes[at.min(bytes.len())..];
    at + rest.iter().position(|&byte| !test(byte)).unwrap_or(rest.len())
}

/// The first offset from `at` on that is not blank.
pub(super) fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    skip(bytes, at, is_blank)
}

/// Where the name that begins at `at` ends; `at` itself when none begins there.
pub(super) fn name_end(bytes: &[u8], at: usize) -> usize {
    if bytes.get(at).copied().is_some_and(is_name_start) { skip(bytes, at, is_name) } else { at }
}

/// Where the blanks before `at` begin.
pub(super) fn trim_end(bytes: &[u8], at: usize) -> usize {
    bytes[..at].iter().rposition(|&byte| !is_blank(byte)).map_or(0, |last| last + 1)
}
