//! A source without what is not code: comments and the insides of literals become blanks, line for
//! line, and the tests at a file's end are cut off.

/// The code of a source, its lines where they were.
pub fn code_of(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while !rest.is_empty() {
        let (kept, dropped) = next(rest);
        code.push_str(&rest[..kept]);
        code.extend(rest[kept..kept + dropped].chars().map(|c| if c == '\n' { c } else { ' ' }));
        rest = &rest[kept + dropped..];
    }
    code
}

/// The code above the tests that stand at a file's end.
pub fn without_tests(code: &str) -> &str {
    code.find("#[cfg(test)]\nmod tests {").map_or(code, |at| &code[..at])
}

/// How many bytes are code, and how many after them are not.
fn next(rest: &str) -> (usize, usize) {
    if rest.starts_with("//") {
        return (0, rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return (0, block_comment(rest));
    }
    if let Some(hashes) = raw_string(rest) {
        let open = rest.find('"').map_or(rest.len(), |at| at + 1);
        let close = format!("\"{}", "#".repeat(hashes));
        let end = rest[open..].find(&close).map_or(rest.len() - open, |at| at + close.len());
        return (open, end);
    }
    if let Some(inside) = rest.strip_prefix('"') {
        return (1, string_end(inside, '"'));
    }
    if let Some(end) = char_literal(rest) {
        return (1, end);
    }
    // A whole word at once, so that the `r` of `for "..."` opens no raw string.
    let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let first = rest.chars().next().map_or(1, char::len_utf8);
    (word.max(first), 0)
}

fn block_comment(rest: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        match &rest.as_bytes()[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// The hashes of a raw string that begins here.
fn raw_string(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let bare = after.trim_start_matches('#');
    bare.starts_with('"').then(|| after.len() - bare.len())
}

/// How long the rest of a literal is whose opening quote was just before: escapes are passed over,
/// the closing quote counts.
fn string_end(rest: &str, quote: char) -> usize {
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The same for a character literal; a lifetime is none.
fn char_literal(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('\'')?;
    let first = inside.chars().next()?;
    if first == '\\' {
        return Some(string_end(inside, '\''));
    }
    inside[first.len_utf8()..].starts_with('\'').then(|| first.len_utf8() + 1)
}
