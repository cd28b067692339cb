//! Which bytes may stand where.
//!
//! Names follow the dialect's reference reader, not the XML tables: every character beyond ASCII may
//! stand in a name. All delimiters are ASCII, so a scan over bytes always stops on a character border.

const BLANK: u8 = 1;
const NAME_START: u8 = 1 << 1;
const NAME: u8 = 1 << 2;
const SPECIAL: u8 = 1 << 3;
const QUOTE: u8 = 1 << 4;

/// What each byte may be: a text is read byte by byte, and each is asked once.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0_u8;
    loop {
        classes[byte as usize] = class(byte);
        if byte == u8::MAX {
            break classes;
        }
        byte += 1;
    }
};

const fn class(byte: u8) -> u8 {
    match byte {
        b'\r' => BLANK | SPECIAL,
        b' ' | b'\t' | b'\n' => BLANK,
        b'&' | b'<' => SPECIAL,
        b'"' | b'\'' => QUOTE,
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | b':' | 0x80.. => NAME_START | NAME,
        b'0'..=b'9' | b'-' | b'.' => NAME,
        _ => 0,
    }
}

const fn is(byte: u8, class: u8) -> bool {
    CLASSES[byte as usize] & class != 0
}

/// What XML counts as blank.
pub(super) const fn is_blank(byte: u8) -> bool {
    is(byte, BLANK)
}

/// Whether a name may begin with it.
pub(super) const fn is_name_start(byte: u8) -> bool {
    is(byte, NAME_START)
}

/// Whether a name may go on with it.
pub(super) const fn is_name(byte: u8) -> bool {
    is(byte, NAME)
}

/// Whether a value with this byte is not simply the text.
pub(super) const fn is_special(byte: u8) -> bool {
    is(byte, SPECIAL)
}

/// Whether a value may hold it and is simply the text, whatever its quotes are.
pub(super) const fn is_plain(byte: u8) -> bool {
    !is(byte, SPECIAL | QUOTE)
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
