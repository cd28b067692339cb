//! Bytes as they come, under the caps.

use super::failure::Failure;

/// What a program has printed so far, counted.
pub(super) struct Lines {
    buffer: Vec<u8>,
    /// How far the buffer was searched for the end of a line.
    searched: usize,
    seen: usize,
    number: usize,
    bytes_max: usize,
    line_bytes_max: usize,
}

impl Lines {
    pub fn new(bytes_max: usize, line_bytes_max: usize) -> Self {
        Self { buffer: Vec::new(), searched: 0, seen: 0, number: 0, bytes_max, line_bytes_max }
    }

    /// Takes bytes in.
    ///
    /// # Errors
    /// When there are more than may be; nothing is kept then.
    pub fn take(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.seen = self.seen.saturating_add(bytes.len());
        if self.seen > self.bytes_max {
            return Err(Failure::TooMuch { bytes_max: self.bytes_max });
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    /// The next whole line without its end; at the `end` of the output also the last one, which may
    /// have none.
    ///
    /// # Errors
    /// When it is too long or not UTF-8.
    pub fn next(&mut self, end: bool) -> Result<Option<String>, Failure> {
        let found = self.buffer[self.searched..].iter().position(|&byte| byte == b'\n');
        let length = match found {
            Some(at) => self.searched + at,
            None => {
                self.searched = self.buffer.len();
                self.buffer.len()
            }
        };
        if length > self.line_bytes_max {
            return Err(Failure::LineTooLong { line: self.number + 1, bytes_max: self.line_bytes_max });
        }
        if found.is_none() && (!end || self.buffer.is_empty()) {
            return Ok(None);
        }
        self.number += 1;
        self.searched = 0;
        let rest = self.buffer.split_off((length + 1).min(self.buffer.len()));
        let mut line = std::mem::replace(&mut self.buffer, rest);
        line.truncate(length);
        text(line, self.number).map(Some)
    }

    /// The number of the line that was answered last, from 1.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Everything at once.
    ///
    /// # Errors
    /// When it is not UTF-8.
    pub fn whole(&mut self) -> Result<String, Failure> {
        text(std::mem::take(&mut self.buffer), 1)
    }
}

fn text(bytes: Vec<u8>, line: usize) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|fault| {
        let before = &fault.as_bytes()[..fault.utf8_error().valid_up_to()];
        let ends = before.iter().filter(|&&byte| byte == b'\n').count();
        let column = before.rsplit(|&byte| byte == b'\n').next().map_or(0, <[u8]>::len) + 1;
        Failure::NotUtf8 { line: line + ends, column }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of these pieces, and the fault that ended them.
    fn lines(pieces: &[&[u8]], bytes_max: usize, line_max: usize) -> (Vec<String>, Option<Failure>) {
        let mut lines = Lines::new(bytes_max, line_max);
        let mut found = Vec::new();
        for (at, piece) in pieces.iter().chain([&&b""[..]]).enumerate() {
            if let Err(fault) = lines.take(piece) {
                return (found, Some(fault));
            }
            loop {
                match lines.next(at == pieces.len()) {
                    Ok(Some(line)) => found.push(line),
                    Ok(None) => break,
                    Err(fault) => return (found, Some(fault)),
                }
            }
        }
        (found, None)
    }

    #[track_caller]
    fn check(pieces: &[&[u8]], expected: &[&str], fault: Option<Failure>) {
        assert_eq!(lines(pieces, 20, 8), (expected.iter().map(|it| (*it).to_owned()).collect(), fault));
    }

    #[test]
    fn lines_come_whole_whatever_the_pieces_are() {
        check(&[b"a\nbc\n"], &["a", "bc"], None);
        check(&[b"a", b"b\nc", b"d"], &["ab", "cd"], None);
        check(&[b"\n\n"], &["", ""], None);
        check(&[], &[], None);
        check(&[b"\xc3", b"\xa9\n"], &["é"], None);
    }

    #[test]
    fn the_caps_hold_before_and_after_the_end_of_a_line() {
        check(&[b"12345678\n"], &["12345678"], None);
        let long = |line| Some(Failure::LineTooLong { line, bytes_max: 8 });
        check(&[b"a\n123456789\n"], &["a"], long(2));
        check(&[b"12345", b"6789"], &[], long(1));
        check(
            &[b"1234567\n1234567\n", b"12345"],
            &["1234567", "1234567"],
            Some(Failure::TooMuch { bytes_max: 20 }),
        );
        check(&[b"ok\na\xffb\n"], &["ok"], Some(Failure::NotUtf8 { line: 2, column: 2 }));
    }

    #[test]
    fn what_is_no_text_in_a_whole_output_is_found_by_line_and_column() {
        let mut lines = Lines::new(100, 100);
        lines.take(b"one\ntw\xff").unwrap();
        assert_eq!(lines.whole(), Err(Failure::NotUtf8 { line: 2, column: 3 }));
    }
}
