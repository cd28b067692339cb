//! The YAML block at the head of a note: splitting, reading, and editing it so that what nobody
//! asked to change stays as it was, byte for byte.

use serde_json::{Map, Value as Json};

use crate::limits::FRONT_MATTER_BYTES_MAX;

/// A note's text in its two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts<'t> {
    /// What stands between the fences; `None` when the text has no such head.
    pub(super) block: Option<&'t str>,
    /// What follows, without the one line break that sets it off.
    pub(super) body: &'t str,
}

/// Splits a text whose first line is `---` and that has a closing `---` or `...`. A head that is
/// never closed is none: the `---` is a rule then.
pub(super) fn split(text: &str) -> Parts<'_> {
    let whole = Parts { block: None, body: text };
    // A byte order mark is passed by only before a fence; elsewhere it is the author's.
    let head = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = head.split_inclusive('\n');
    let Some(opening) = lines.next().filter(|line| line.trim_end() == "---") else { return whole };
    let mut at = opening.len();
    for line in lines {
        if matches!(line.trim_end(), "---" | "...") {
            let rest = &head[at + line.len()..];
            let body = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')).unwrap_or(rest);
            return Parts { block: Some(&head[opening.len()..at]), body };
        }
        at += line.len();
    }
    whole
}

/// What a block says; the reason, in words, when it cannot be read.
pub(super) fn parse(block: &str) -> Result<Map<String, Json>, String> {
    if block.len() > FRONT_MATTER_BYTES_MAX {
        let bytes = block.len();
        return Err(format!("the front matter has {bytes} bytes; at most {FRONT_MATTER_BYTES_MAX} are read"));
    }
    if block.lines().all(|line| line.trim().is_empty() || line.starts_with('#')) {
        return Ok(Map::new());
    }
    match serde_saphyr::from_str(block) {
        Ok(Json::Object(values)) => Ok(values),
        Ok(Json::Null) => Ok(Map::new()),
        Ok(_) => Err("the front matter is no mapping of keys to values".into()),
        Err(fault) => Err(explain(&fault)),
    }
}

/// The parser's own words on one line. Lines are counted in the note: its first is the fence.
fn explain(fault: &serde_saphyr::Error) -> String {
    let words = fault.without_snippet().to_string();
    let words = words.lines().next().unwrap_or_default().trim().to_owned();
    match fault.location() {
        Some(place) => format!("the front matter is no YAML: line {} of the note: {words}", place.line() + 1),
        None => format!("the front matter is no YAML: {words}"),
    }
}

/// A note's new text, and why its front matter could not be changed, when it could not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Composed {
    pub(super) text: String,
    pub(super) warning: Option<String>,
}

/// One key and the text that becomes its value.
pub(super) type Change<'t> = (&'static str, &'t str);

/// Puts `body` under the front matter that the note has, with `changes` made in it. A body that
/// brings front matter of its own adds its keys and wins where both have one. Front matter that
/// cannot be edited safely is kept as it is, and the warning says so.
pub(super) fn compose(existing: Option<&str>, body: &str, changes: &[Change<'_>]) -> Composed {
    let parts = split(body);
    let brought = parts.block.filter(|block| Block::read(block).is_some());
    let body = if brought.is_some() { parts.body } else { body };
    let (block, warning) = match edit(existing.unwrap_or_default(), brought, changes) {
        Some(block) => (block, None),
        None => (existing.unwrap_or_default().to_owned(), Some(UNEDITABLE.to_owned())),
    };
    // A body that itself looks like front matter gets an empty one before it, so that it is read
    // back as body.
    if block.is_empty() && split(body).block.is_none() {
        return Composed { text: body.to_owned(), warning };
    }
    let end = if block.is_empty() || block.ends_with('\n') { "" } else { "\n" };
    Composed { text: format!("---\n{block}{end}---\n\n{body}"), warning }
}

const UNEDITABLE: &str = "the note's front matter cannot be edited safely (it is malformed, or not one plain \
    `key: value` after another) and was kept as it is; title, dates and front matter of the body were not \
    written; correct it by hand";

/// The block with all changes; `None` when there are some and they cannot be made.
fn edit(existing: &str, brought: Option<&str>, changes: &[Change<'_>]) -> Option<String> {
    if brought.is_none() && changes.is_empty() {
        return Some(existing.to_owned());
    }
    let mut block = Block::read(existing)?;
    if let Some(brought) = brought {
        block.take(Block::read(brought)?);
    }
    for (key, text) in changes {
        block.set(key, text);
    }
    let edited = block.render();
    // The proof of the edit: it reads as what was meant. An alias whose anchor was replaced, say,
    // does not.
    Block::read(&edited).filter(|again| again.keys().eq(block.keys())).map(|_| edited)
}

/// A block as its top-level entries, each with its own text.
struct Block {
    entries: Vec<Entry>,
    line_break: &'static str,
}

struct Entry {
    /// `None` for what stands before the first key.
    key: Option<String>,
    text: String,
}

impl Block {
    /// The entries, when a line-by-line look finds the very keys that the parser finds.
    fn read(block: &str) -> Option<Self> {
        let values = parse(block).ok()?;
        let mut entries: Vec<Entry> = Vec::new();
        for line in block.split_inclusive('\n') {
            match (top_level_key(line), entries.last_mut()) {
                (Some(key), _) => entries.push(Entry { key: Some(key), text: line.into() }),
                (None, Some(last)) => last.text.push_str(line),
                (None, None) => entries.push(Entry { key: None, text: line.into() }),
            }
        }
        let line_break = if block.contains("\r\n") { "\r\n" } else { "\n" };
        let read = Self { entries, line_break };
        let mut keys: Vec<&str> = read.keys().collect();
        keys.sort_unstable();
        keys.into_iter().eq(values.keys()).then_some(read)
    }

    fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter_map(|entry| entry.key.as_deref())
    }

    /// Sets one key to a text, in place or at the end.
    fn set(&mut self, key: &str, text: &str) {
        let line = format!("{key}: {}{}", scalar(text), self.line_break);
        self.put(key, line);
    }

    /// Takes over the entries of another block.
    fn take(&mut self, other: Self) {
        for entry in other.entries {
            match entry.key {
                Some(key) => self.put(&key, entry.text),
                None if self.entries.is_empty() => self.entries.push(entry),
                None => {}
            }
        }
    }

    fn put(&mut self, key: &str, mut text: String) {
        if !text.ends_with('\n') {
            text.push_str(self.line_break);
        }
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.key.as_deref() == Some(key)) {
            text.push_str(trailing_comments(&entry.text));
            entry.text = text;
            return;
        }
        if let Some(last) = self.entries.last_mut().filter(|last| !last.text.ends_with('\n')) {
            last.text.push_str(self.line_break);
        }
        self.entries.push(Entry { key: Some(key.to_owned()), text });
    }

    fn render(&self) -> String {
        self.entries.iter().map(|entry| entry.text.as_str()).collect()
    }
}

/// The key of a line that begins an entry of the outermost mapping. What it takes for a key
/// wrongly, the comparison with the parser's keys finds out.
fn top_level_key(line: &str) -> Option<String> {
    let line = line.trim_end();
    let first = line.chars().next()?;
    if first.is_whitespace() || first == '#' || line == "-" || line.starts_with("- ") {
        return None;
    }
    if first == '"' || first == '\'' {
        let (key, rest) = line[1..].split_once(first)?;
        return rest.trim_start().starts_with(':').then(|| key.to_owned());
    }
    let key = line.split_once(": ").map(|(key, _)| key).or_else(|| line.strip_suffix(':'))?;
    Some(key.trim_end().to_owned())
}

/// The blank and comment lines at the end of an entry: they belong to what follows it.
fn trailing_comments(text: &str) -> &str {
    let mut start = text.len();
    for line in text.split_inclusive('\n').rev() {
        if !(line.trim().is_empty() || line.starts_with('#')) {
            break;
        }
        start -= line.len();
    }
    &text[start..]
}

/// A text as a YAML scalar: plain where every reader takes it for that text, quoted elsewhere.
fn scalar(text: &str) -> String {
    if is_date(text) || is_plain(text) {
        return text.to_owned();
    }
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\u{feff}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}' => quoted.extend(escape(c)),
            c if c.is_control() => quoted.extend(escape(c)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn escape(c: char) -> impl Iterator<Item = char> {
    format!("\\u{:04x}", u32::from(c)).into_bytes().into_iter().map(char::from)
}

/// Letters, digits, spaces and a few marks, and no word that YAML reads as something else.
fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && !text.ends_with(' ')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || " _-./()".contains(c))
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}

/// An RFC 3339 date, which people write plain.
fn is_date(text: &str) -> bool {
    text.len() >= 10
        && text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || "-:.+TZ".contains(c))
        && text.as_bytes().get(4) == Some(&b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_what_two_fences_hold() {
        let rows = [
            ("---\na: 1\n---\n\nbody", Some("a: 1\n"), "body"),
            ("---\na: 1\n---\nbody", Some("a: 1\n"), "body"),
            ("---\r\na: 1\r\n---\r\n\r\nbody", Some("a: 1\r\n"), "body"),
            ("\u{feff}---\na: 1\n...\n", Some("a: 1\n"), ""),
            ("---\n---", Some(""), ""),
            ("---\nnever closed", None, "---\nnever closed"),
            ("text\n---\na: 1\n---\n", None, "text\n---\na: 1\n---\n"),
            ("\u{feff}text", None, "\u{feff}text"),
            ("", None, ""),
        ];
        for (text, block, body) in rows {
            assert_eq!(split(text), Parts { block, body }, "{text:?}");
        }
    }

    #[test]
    fn edits_leave_the_rest_byte_for_byte() {
        let messy = "# mine\nz:   [1,  2]\ntitle:  'Old'  # why\n# about the rest\n\ntags:\n- a\n- b: c\n\"odd key\": |\n  x: y\n";
        let rows: [(&str, &[Change<'_>], &str); 7] = [
            ("", &[("title", "New")], "title: New\n"),
            ("a: 1", &[("title", "New")], "a: 1\ntitle: New\n"),
            ("a: 1\r\n", &[("title", "New")], "a: 1\r\ntitle: New\r\n"),
            (messy, &[("title", "New")], &messy.replace("title:  'Old'  # why", "title: New")),
            ("title: |\n  two\n  lines\nb: 1\n", &[("title", "x: y")], "title: \"x: y\"\nb: 1\n"),
            ("a: 1\n", &[("updated", "2026-01-06T12:00:00Z")], "a: 1\nupdated: 2026-01-06T12:00:00Z\n"),
            ("a: 1\n", &[("title", "yes")], "a: 1\ntitle: \"yes\"\n"),
        ];
        for (block, changes, expected) in rows {
            assert_eq!(edit(block, None, changes).as_deref(), Some(expected), "{block:?}");
        }
    }

    #[test]
    fn what_cannot_be_edited_safely_is_kept() {
        for block in
            ["{a: 1}\n", "a: [1\n", "- a\n", "a: &x 1\ntitle: &t Old\nb: *t\n", "a: 1\na: 2\n", "? k\n: v\n"]
        {
            let made = compose(Some(block), "body", &[("title", "New")]);
            assert_eq!(made.text, format!("---\n{block}---\n\nbody"));
            assert!(made.warning.is_some(), "{block:?}");
            assert_eq!(compose(Some(block), "body", &[]).warning, None, "{block:?}");
        }
    }

    #[test]
    fn faults_name_the_line_of_the_note() {
        let fault = parse("a: 1\nb: [1\n").unwrap_err();
        assert!(fault.contains("line ") && !fault.contains('\n'), "{fault}");
        assert!(parse("- a\n").unwrap_err().contains("no mapping"));
    }

    proptest::proptest! {
        #[test]
        fn a_title_is_read_back(title in "\\PC*|[\\x00-\\u{ffff}]{0,12}|(yes|null|- a|1e3|0x1f|~|#a: b)") {
            let block = edit("k: v\n", None, &[("title", &title)]).unwrap();
            let values = parse(&block).unwrap();
            proptest::prop_assert_eq!(values["title"].as_str(), Some(&*title), "{}", block);
        }

        #[test]
        fn a_body_is_read_back(body in "(---\n)?[a:#\n\r -]{0,12}(\n---\n)?(---\nb: 1\n---\n)?\\PC{0,8}", dated: bool) {
            let changes: &[Change<'_>] = if dated { &[("updated", "2026-01-06")] } else { &[] };
            let parts = split(&body);
            let own = parts.block.is_some_and(|block| Block::read(block).is_some());
            let text = compose(None, &body, changes).text;
            proptest::prop_assert_eq!(split(&text).body, if own { parts.body } else { &body });
        }
    }
}
