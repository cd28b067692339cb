//! Lines of source text, bounded for people and models.

use crate::limits::CODE_LINE_CHARS_MAX;

/// A line without its indentation, cut to [`CODE_LINE_CHARS_MAX`] characters around the byte
/// `focus`; what was cut off shows as `…`.
pub fn bounded(line: &[u8], focus: usize) -> String {
    let window = CODE_LINE_CHARS_MAX * 4;
    let from = focus.saturating_sub(window).min(line.len());
    let to = focus.saturating_add(window).min(line.len());
    let before = String::from_utf8_lossy(&line[from..focus.clamp(from, to)]).chars().count();
    let text = String::from_utf8_lossy(&line[from..to]);
    let trimmed = text.trim();
    if from == 0 && to == line.len() && trimmed.chars().count() <= CODE_LINE_CHARS_MAX {
        return trimmed.to_owned();
    }
    let start = before.saturating_sub(CODE_LINE_CHARS_MAX / 4);
    let kept: String = text.chars().skip(start).take(CODE_LINE_CHARS_MAX - 2).collect();
    let is_end = to == line.len() && text.chars().count() <= start + CODE_LINE_CHARS_MAX - 2;
    let head = if from > 0 || start > 0 { "…" } else { "" };
    format!("{head}{}{}", kept.trim(), if is_end { "" } else { "…" })
}

/// The first `max` characters; a `…` in place of the last one when there are more.
pub fn clipped(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    text.chars().take(max.saturating_sub(1)).chain(['…']).collect()
}

/// The lines of a text by number.
pub struct Lines<'s> {
    source: &'s [u8],
    starts: Vec<usize>,
}

impl<'s> Lines<'s> {
    /// The lines of `source`.
    pub fn new(source: &'s [u8]) -> Self {
        let breaks = source.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
        Self { source, starts: std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect() }
    }

    /// Offset of the first byte of a line, which is counted from 1.
    pub fn start(&self, line: u32) -> usize {
        let at = (line as usize).saturating_sub(1);
        self.starts.get(at).copied().unwrap_or(self.source.len())
    }

    /// The bytes of a line; none when there is no such line.
    pub fn get(&self, line: u32) -> &'s [u8] {
        &self.source[self.start(line)..self.start(line.saturating_add(1))]
    }
}

/// Counts columns in characters, place after place. Counting each from its line's start would take
/// quadratic time in a file that is one long line.
pub struct Columns<'s> {
    source: &'s [u8],
    line_start: usize,
    byte: usize,
    characters: u32,
}

impl<'s> Columns<'s> {
    /// Columns in `source`.
    pub fn new(source: &'s [u8]) -> Self {
        Self { source, line_start: 0, byte: 0, characters: 0 }
    }

    /// The column, from 1, of `byte` in the line that starts at `line_start`. Cheap when places
    /// come in order.
    pub fn column(&mut self, line_start: usize, byte: usize) -> u32 {
        if line_start != self.line_start || byte < self.byte {
            (self.line_start, self.byte, self.characters) = (line_start, line_start, 0);
        }
        let passed = self.source.get(self.byte..byte).unwrap_or_default();
        let is_first_byte = |&&byte: &&u8| byte & 0b1100_0000 != 0b1000_0000;
        let more = passed.iter().filter(is_first_byte).count();
        self.byte = byte;
        self.characters = self.characters.saturating_add(u32::try_from(more).unwrap_or(u32::MAX));
        self.characters.saturating_add(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_around_the_focus() {
        let long = format!("{}needle{}", "a".repeat(5_000), "b".repeat(5_000));
        let cut = bounded(long.as_bytes(), 5_000);
        assert!(cut.contains("needle"), "{cut}");
        assert!(cut.starts_with('…') && cut.ends_with('…'), "{cut}");
        assert!(cut.chars().count() <= CODE_LINE_CHARS_MAX);
        assert_eq!(bounded(b"    let x = 1;\r\n", 8), "let x = 1;");
        assert_eq!(bounded(b"", 0), "");
        assert_eq!(bounded(b"short", 99), "short");
    }

    #[test]
    fn columns_count_characters_in_any_order() {
        let source = "aé b\nzz".as_bytes();
        let mut columns = Columns::new(source);
        for (line_start, byte, column) in [(0, 0, 1), (0, 4, 4), (0, 3, 3), (6, 7, 2), (0, 1, 2)] {
            assert_eq!(columns.column(line_start, byte), column, "{line_start} {byte}");
        }
    }

    #[test]
    fn lines_have_numbers_from_one() {
        let lines = Lines::new(b"one\ntwo\n");
        for (number, line) in [(1, &b"one\n"[..]), (2, b"two\n"), (3, b""), (9, b"")] {
            assert_eq!(lines.get(number), line, "{number}");
        }
    }
}
