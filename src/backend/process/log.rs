//! The end of what a program prints to its standard error.

use std::collections::VecDeque;

use super::secrets::Secrets;
use crate::limits::{PROCESS_LOG_BYTES, PROCESS_LOG_SHOWN_CHARS_MAX};

/// The last bytes of a stream.
#[derive(Debug, Default)]
pub(super) struct LogTail {
    bytes: VecDeque<u8>,
    is_cut: bool,
    /// Bytes before the tail that are kept so that a secret which the cut goes through is still seen
    /// whole, and hidden.
    margin: usize,
}

impl LogTail {
    pub fn new(secrets: &Secrets) -> Self {
        Self { margin: secrets.bytes_max(), ..Self::default() }
    }

    pub fn take(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        let surplus = self.bytes.len().saturating_sub(PROCESS_LOG_BYTES + self.margin);
        if surplus > 0 {
            self.is_cut = true;
            self.bytes.drain(..surplus);
        }
    }

    /// The tail as text for a person, without secrets; what is no text in it is replaced.
    pub fn text(&mut self, secrets: &Secrets) -> String {
        let text = secrets.hide(String::from_utf8_lossy(self.bytes.make_contiguous()).into_owned());
        // Whatever of a secret the cut has left at the front is shorter than the margin.
        let front = if self.is_cut { self.margin } else { 0 };
        let keep: String = text.trim_end().chars().skip(front).collect();
        let surplus = keep.chars().count().saturating_sub(PROCESS_LOG_SHOWN_CHARS_MAX);
        let shown: String = keep.chars().skip(surplus).collect();
        let is_cut = self.is_cut || surplus > 0;
        format!("{}{}", if is_cut { "..." } else { "" }, shown.trim())
    }
}

#[cfg(test)]
mod tests {
    use super::super::secrets::tests::secrets;
    use super::*;

    #[test]
    fn the_end_is_kept() {
        let none = Secrets::default();
        let mut log = LogTail::new(&none);
        log.take(b"first\n");
        assert_eq!(log.text(&none), "first");
        log.take("x".repeat(2 * PROCESS_LOG_BYTES).as_bytes());
        log.take(b"\xff last\n");
        let text = log.text(&none);
        assert!(text.starts_with("...x") && text.ends_with("x\u{fffd} last"), "{text}");
        assert!(text.chars().count() <= PROCESS_LOG_SHOWN_CHARS_MAX + 3);
    }

    #[test]
    fn a_secret_that_the_cut_goes_through_is_not_shown_in_part() {
        let secrets = secrets(&[("KEY", "0123456789")]).unwrap();
        for filler in 0..20 {
            let mut log = LogTail::new(&secrets);
            log.take(b"0123456789");
            log.take("x".repeat(PROCESS_LOG_BYTES - 5 + filler).as_bytes());
            log.take(b"\nline\n\n");
            assert!(!log.text(&secrets).contains("789"));
        }
    }
}
