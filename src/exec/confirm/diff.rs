//! What would change, as a unified diff.

use std::path::Path;

use similar::{ChangeTag, TextDiff};

use crate::limits::{DIFF_CONTEXT_LINES, DIFF_LINE_CHARS_MAX, DIFF_LINES_MAX, DIFF_TIME_MAX};
use crate::tool::FileChange;

/// A unified diff of some files, bounded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// The lines, at most [`DIFF_LINES_MAX`].
    pub lines: Vec<String>,
    /// Lines that come to the files.
    pub added: usize,
    /// Lines that go from them.
    pub removed: usize,
    /// Lines of the diff beyond its bound.
    pub cut: usize,
}

impl Diff {
    /// The difference that these changes make.
    pub fn of(changes: &[FileChange]) -> Self {
        let mut diff = Self::default();
        for change in changes {
            diff.file(&change.file(), change.before.as_deref(), change.after.as_deref());
        }
        diff
    }

    /// How many lines come and go, as `+3 -1`.
    pub fn tally(&self) -> String {
        format!("+{} -{}", self.added, self.removed)
    }

    fn file(&mut self, path: &Path, before: Option<&[u8]>, after: Option<&[u8]>) {
        let name = |content: Option<&[u8]>| match content {
            Some(_) => path.display().to_string(),
            None => "/dev/null".to_owned(),
        };
        self.line(format!("--- {}", name(before)));
        self.line(format!("+++ {}", name(after)));
        match (text(before), text(after)) {
            (Some(before), Some(after)) => self.texts(before, after),
            _ => {
                let bytes = |content: Option<&[u8]>| content.map_or(0, <[u8]>::len);
                self.line(format!("binary: {} bytes become {} bytes", bytes(before), bytes(after)));
            }
        }
    }

    fn texts(&mut self, before: &str, after: &str) {
        let diff = TextDiff::configure().timeout(DIFF_TIME_MAX).diff_lines(before, after);
        for hunk in diff.unified_diff().context_radius(DIFF_CONTEXT_LINES).iter_hunks() {
            self.line(hunk.header().to_string());
            for change in hunk.iter_changes() {
                let sign = match change.tag() {
                    ChangeTag::Equal => ' ',
                    ChangeTag::Delete => '-',
                    ChangeTag::Insert => '+',
                };
                self.added += usize::from(sign == '+');
                self.removed += usize::from(sign == '-');
                self.line(format!("{sign}{}", change.value().trim_end_matches(['\n', '\r'])));
                if change.missing_newline() {
                    self.line("\\ no newline at the end of the file".to_owned());
                }
            }
        }
    }

    fn line(&mut self, line: String) {
        if self.lines.len() == DIFF_LINES_MAX {
            self.cut += 1;
            return;
        }
        let length = line.chars().count();
        if length <= DIFF_LINE_CHARS_MAX {
            return self.lines.push(line);
        }
        let kept: String = line.chars().take(DIFF_LINE_CHARS_MAX).collect();
        self.lines.push(format!("{kept}… ({} more characters)", length - DIFF_LINE_CHARS_MAX));
    }
}

/// The content as text; a file that is not there has none of it.
fn text(content: Option<&[u8]>) -> Option<&str> {
    let content = content.unwrap_or_default();
    std::str::from_utf8(content).ok().filter(|text| !text.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::RootPath;

    #[track_caller]
    fn check(before: Option<&[u8]>, after: Option<&[u8]>, tally: &str, expected: &str) {
        let change = FileChange {
            root: "/r".into(),
            path: RootPath::parse("a.md").unwrap(),
            before: before.map(Into::into),
            after: after.map(Into::into),
        };
        let diff = Diff::of(&[change]);
        assert_eq!((diff.lines.join("\n").as_str(), diff.tally().as_str()), (expected, tally));
    }

    #[test]
    fn a_change_is_shown_with_its_surroundings() {
        check(
            Some(b"1\n2\n3\n4\n5\n6\n"),
            Some(b"1\n2\n3\n4\nfive\n6\n"),
            "+1 -1",
            "--- /r/a.md\n+++ /r/a.md\n@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+five\n 6",
        );
        let new = "--- /dev/null\n+++ /r/a.md\n@@ -0,0 +1 @@\n+one\n\\ no newline at the end of the file";
        check(None, Some(b"one"), "+1 -0", new);
        check(Some(b"one\n"), None, "+0 -1", "--- /r/a.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-one");
        check(Some(b"one\n"), Some(b"one\n"), "+0 -0", "--- /r/a.md\n+++ /r/a.md");
        let binary = "--- /r/a.md\n+++ /r/a.md\nbinary: 2 bytes become 3 bytes";
        check(Some(b"\xff\xfe"), Some(b"a\0b"), "+0 -0", binary);
    }

    #[test]
    fn a_diff_is_bounded_and_counts_what_it_leaves_out() {
        let after = "x".repeat(DIFF_LINE_CHARS_MAX) + "\n" + &"y\n".repeat(DIFF_LINES_MAX);
        let change = FileChange {
            root: "/r".into(),
            path: RootPath::parse("a.md").unwrap(),
            before: None,
            after: Some(after.into_bytes().into()),
        };
        let diff = Diff::of(&[change]);
        assert_eq!((diff.lines.len(), diff.cut, diff.added), (DIFF_LINES_MAX, 4, DIFF_LINES_MAX + 1));
        assert!(diff.lines[3].ends_with("x… (1 more characters)"));
    }
}
