//! The bounds on what a tool returns.

use std::io;

use serde_json::Value as Json;

use crate::limits::{JSON_DEPTH_MAX, OUTPUT_BYTES_MAX};
use crate::tool::ToolError;

/// The output, unless it is too deep to be walked or too large to be kept.
pub(super) fn check(output: Json) -> Result<Json, ToolError> {
    if is_deeper(&output, JSON_DEPTH_MAX) {
        dismantle(output);
        let message = format!("the output is nested deeper than {JSON_DEPTH_MAX} levels");
        return Err(ToolError::runtime(message).suggest("let the tool return flatter data"));
    }
    if is_larger(&output, OUTPUT_BYTES_MAX) {
        let message = format!("the output has more than {OUTPUT_BYTES_MAX} bytes as JSON");
        return Err(ToolError::resource(message)
            .suggest("ask for less, or let the tool write a file and return its path"));
    }
    Ok(output)
}

/// Whether `value` nests arrays and objects deeper than `depth_max`. Not recursive: a value that
/// a tool has built may be as deep as it likes.
pub(super) fn is_deeper(value: &Json, depth_max: usize) -> bool {
    let mut open = vec![(value, 0)];
    while let Some((value, depth)) = open.pop() {
        let inside = |value| (value, depth + 1);
        match value {
            Json::Array(_) | Json::Object(_) if depth >= depth_max => return true,
            Json::Array(items) => open.extend(items.iter().map(inside)),
            Json::Object(members) => open.extend(members.values().map(inside)),
            _ => {}
        }
    }
    false
}

/// Drops a value level by level: its own drop is recursive and would overflow the stack.
fn dismantle(value: Json) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Json::Array(items) => open.extend(items),
            Json::Object(members) => open.extend(members.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
}

/// Counts instead of serializing into memory: of a large output no second copy is made, and
/// counting ends at the bound.
fn is_larger(output: &Json, bytes_max: usize) -> bool {
    serde_json::to_writer(Counter { left: bytes_max }, output).is_err()
}

struct Counter {
    left: usize,
}

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self.left.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn nested(depth: usize) -> Json {
        (0..depth).fold(
            Json::Null,
            |inner, level| if level % 2 == 0 { json!([inner]) } else { json!({"a": inner}) },
        )
    }

    #[test]
    fn depth_is_bounded_and_what_is_too_deep_does_not_overflow_the_stack() {
        assert!(check(nested(JSON_DEPTH_MAX)).is_ok());
        let error = check(nested(JSON_DEPTH_MAX + 1)).unwrap_err();
        assert_eq!(error.message(), "the output is nested deeper than 127 levels");
        let deep = (0..1_000_000).fold(Json::Null, |inner, _| Json::Array(vec![inner]));
        assert!(check(deep).is_err());
    }

    #[test]
    fn what_passes_can_be_written_and_read_back() {
        let passed = check(nested(JSON_DEPTH_MAX)).unwrap();
        assert_eq!(serde_json::from_str::<Json>(&passed.to_string()).unwrap(), passed);
    }

    #[test]
    fn an_output_above_the_bound_is_refused_and_says_so() {
        let error = check(Json::String("x".repeat(OUTPUT_BYTES_MAX - 1))).unwrap_err();
        assert_eq!(error.message(), "the output has more than 67108864 bytes as JSON");
        assert!(check(Json::String("x".repeat(OUTPUT_BYTES_MAX - 2))).is_ok());
    }

    #[test]
    fn size_is_counted_as_json_to_the_byte() {
        let check = |value: Json, bytes| {
            assert_eq!(value.to_string().len(), bytes);
            assert!(!is_larger(&value, bytes));
            assert!(is_larger(&value, bytes - 1));
        };
        check(json!("ab"), 4);
        check(json!({"a": ["ü\n", 1.5, null]}), 23);
    }
}
