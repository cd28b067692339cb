//! Large values in few words.

use serde_json::Value as Json;

use crate::cli::out::plain;
use crate::outcome::Outcome;
use crate::text::count_of;

/// Longest text in a gist, in characters.
const TEXT_CHARS_MAX: usize = 48;
/// Longest gist, in characters.
const GIST_CHARS_MAX: usize = 110;

/// A value on one line: objects by their members, arrays by their size, long text by its beginning.
pub(super) fn gist(json: &Json) -> String {
    shorten(&words(json, 0), GIST_CHARS_MAX)
}

fn words(json: &Json, depth: usize) -> String {
    match json {
        Json::String(text) if depth == 0 => shorten(text, GIST_CHARS_MAX),
        Json::String(text) => format!("\"{}\"", shorten(text, TEXT_CHARS_MAX)),
        Json::Array(items) if items.is_empty() => "[]".to_owned(),
        Json::Array(items) => format!("[{}]", count_of(items.len(), "item")),
        Json::Object(members) if depth > 0 => format!("{{{}}}", count_of(members.len(), "member")),
        Json::Object(members) => {
            let members: Vec<_> = members
                .iter()
                .map(|(name, member)| format!("{name}: {}", words(member, depth + 1)))
                .collect();
            members.join(", ")
        }
        scalar => scalar.to_string(),
    }
}

/// A text on one line, without what a terminal would obey, and no longer than `most` characters.
pub(super) fn shorten(text: &str, most: usize) -> String {
    let flat = plain(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    if flat.chars().count() <= most {
        return flat;
    }
    let kept: String = flat.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// What an outcome brought, or why it brought nothing.
pub(super) fn outcome_gist(outcome: &Outcome) -> String {
    if let Outcome::ToolArtifactReference(it) = outcome {
        // As many digits as people type.
        let id = it.artifact_id.get(..8).unwrap_or(&it.artifact_id);
        return format!("[{id}] {}", gist(&it.output));
    }
    match (outcome.output(), outcome.failure_text()) {
        (Some(output), _) => gist(output),
        (None, Some(failure)) => shorten(&failure, GIST_CHARS_MAX),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_fits_on_a_line() {
        let value = json!({"a": [1, 2], "b": {"c": 1}, "d": "two\nlines", "e": 1.5, "f": []});
        assert_eq!(gist(&value), "a: [2 items], b: {1 member}, d: \"two lines\", e: 1.5, f: []");
        assert_eq!(gist(&json!("plain")), "plain");
        assert_eq!(gist(&json!(["a"])), "[1 item]");
        assert_eq!(gist(&json!({"a": "\u{1b}[2J"})), "a: \"\\u{1b}[2J\"");
        assert_eq!(gist(&json!("x".repeat(500))).chars().count(), GIST_CHARS_MAX);
    }
}
