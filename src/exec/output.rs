//! The bounds on what a tool returns.

use std::io;

use serde_json::Value as Json;

use crate::limits::{JSON_DEPTH_MAX, OUTPUT_BYTES_MAX};
use crate::tool::ToolError;

/// The output and its weight, unless it is too deep to be walked or too large to be kept.
pub(super) fn check(output: Json) -> Result<(Json, Weight), ToolError> {
    if is_deeper(&output, JSON_DEPTH_MAX) {
        dismantle(output);
        let message = format!("the output is nested deeper than {JSON_DEPTH_MAX} levels");
        return Err(ToolError::runtime(message).suggest("Let the tool return flatter data."));
    }
    match weigh(&output, OUTPUT_BYTES_MAX) {
        Some(weight) => Ok((output, weight)),
        None => {
            let message = format!("the output has more than {OUTPUT_BYTES_MAX} bytes as JSON");
            Err(ToolError::resource(message)
                .suggest("Ask for less, or let the tool write a file and return its path."))
        }
    }
}

/// Whether `value` nests arrays and objects deeper than `depth_max`. Recursive, but no deeper than
/// that: a value that a tool has built may be as deep as it likes.
pub(super) fn is_deeper(value: &Json, depth_max: usize) -> bool {
    let inside = |value| is_deeper(value, depth_max - 1);
    match value {
        Json::Array(items) => depth_max == 0 || items.iter().any(inside),
        Json::Object(members) => depth_max == 0 || members.values().any(inside),
        _ => false,
    }
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

/// The size of a value as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Weight {
    pub bytes: usize,
    pub chars: usize,
}

/// Counts instead of serializing into memory: of a large output no second copy is made, and
/// counting ends at the bound. `None` above it.
pub(super) fn weigh(output: &Json, bytes_max: usize) -> Option<Weight> {
    let mut counter = Counter { bytes_max, weight: Weight { bytes: 0, chars: 0 } };
    serde_json::to_writer(&mut counter, output).ok().map(|()| counter.weight)
}

struct Counter {
    bytes_max: usize,
    weight: Weight,
}

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.weight.bytes += bytes.len();
        if self.weight.bytes > self.bytes_max {
            return Err(io::ErrorKind::StorageFull.into());
        }
        // A character has one byte that does not continue another one.
        self.weight.chars += bytes.iter().filter(|&&byte| byte & 0b1100_0000 != 0b1000_0000).count();
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
        let (passed, _) = check(nested(JSON_DEPTH_MAX)).unwrap();
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
        let check = |value: Json, bytes, chars| {
            assert_eq!((value.to_string().len(), value.to_string().chars().count()), (bytes, chars));
            assert_eq!(weigh(&value, bytes), Some(Weight { bytes, chars }));
            assert_eq!(weigh(&value, bytes - 1), None);
        };
        check(json!("ab"), 4, 4);
        check(json!({"a": ["ü\n", 1.5, null]}), 23, 22);
    }
}
