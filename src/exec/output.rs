//! The bounds on what a tool returns.

use std::sync::Arc;

use serde_json::{Number, Value as Json};

use crate::limits::{JSON_DEPTH_MAX, OUTPUT_BYTES_MAX};
use crate::tool::ToolError;

/// The output, from now on shared, and its weight, unless it is too deep to be walked or too large to be
/// kept. Whatever weighs certainly no more than `little` bytes is weighed roughly: nobody asks how little
/// it is.
pub(super) fn check(output: Json, little: usize) -> Result<(Arc<Json>, Weight), ToolError> {
    match Scales::<ROUGHLY>::weigh(&output, little).or_else(|_| weigh(&output, OUTPUT_BYTES_MAX)) {
        Ok(weight) => Ok((Arc::new(output), weight)),
        Err(Excess::Depth) => {
            dismantle(output);
            let message = format!("the output is nested deeper than {JSON_DEPTH_MAX} levels");
            Err(ToolError::runtime(message).suggest("Let the tool return flatter data."))
        }
        Err(Excess::Bytes) => {
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

/// The size of a value as JSON, and its largest parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Weight {
    pub bytes: usize,
    pub chars: usize,
    /// How deep lists and objects are nested.
    pub depth: usize,
    /// The items of its longest list.
    pub items: usize,
    /// The keys of its widest object.
    pub keys: usize,
    /// The bytes of its longest text that is no key, before they are escaped.
    pub text_bytes: usize,
}

/// Why a value is not weighed to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Excess {
    Depth,
    Bytes,
}

/// Counts in one walk what serializing would write: of a large output no second copy is made, and
/// counting ends at the bounds.
pub(super) fn weigh(output: &Json, bytes_max: usize) -> Result<Weight, Excess> {
    Scales::<EXACTLY>::weigh(output, bytes_max)
}

struct Scales<const IS_ROUGH: bool> {
    bytes_max: usize,
    /// Bytes that continue a character.
    continuing: usize,
    weight: Weight,
}

/// Texts and doubles count as the most that they could take.
const ROUGHLY: bool = true;
const EXACTLY: bool = false;

impl<const IS_ROUGH: bool> Scales<IS_ROUGH> {
    fn weigh(output: &Json, bytes_max: usize) -> Result<Weight, Excess> {
        let mut scales = Self { bytes_max, continuing: 0, weight: Weight::default() };
        scales.add(output, 0)?;
        let chars = scales.weight.bytes - scales.continuing;
        Ok(Weight { chars, ..scales.weight })
    }

    /// Recursive, but no deeper than the bound.
    fn add(&mut self, value: &Json, depth: usize) -> Result<(), Excess> {
        match value {
            Json::Null | Json::Bool(true) => self.bytes(4),
            Json::Bool(false) => self.bytes(5),
            Json::Number(number) => self.bytes(Self::digits(number)),
            Json::String(text) => {
                self.weight.text_bytes = self.weight.text_bytes.max(text.len());
                self.text(text)
            }
            Json::Array(items) => {
                self.weight.items = self.weight.items.max(items.len());
                let depth = self.enter(items.len(), depth)?;
                items.iter().try_for_each(|item| self.add(item, depth))
            }
            Json::Object(members) => {
                self.weight.keys = self.weight.keys.max(members.len());
                let depth = self.enter(2 * members.len(), depth)?;
                members.iter().try_for_each(|(name, value)| {
                    self.text(name)?;
                    self.add(value, depth)
                })
            }
        }
    }

    /// The brackets, and commas and colons, of a list or an object with so many values and names;
    /// answers the depth inside.
    fn enter(&mut self, words: usize, depth: usize) -> Result<usize, Excess> {
        let depth = depth + 1;
        if depth > JSON_DEPTH_MAX {
            return Err(Excess::Depth);
        }
        self.weight.depth = self.weight.depth.max(depth);
        self.bytes(2 + words.saturating_sub(1))?;
        Ok(depth)
    }

    fn bytes(&mut self, count: usize) -> Result<(), Excess> {
        self.weight.bytes += count;
        if self.weight.bytes > self.bytes_max { Err(Excess::Bytes) } else { Ok(()) }
    }

    fn digits(number: &Number) -> usize {
        if IS_ROUGH && number.is_f64() { DOUBLE_CHARS_MAX } else { digits(number) }
    }

    fn text(&mut self, text: &str) -> Result<(), Excess> {
        if IS_ROUGH {
            return self.bytes(2 + text.len() * ESCAPED_CHARS_MAX);
        }
        // A character has one byte that does not continue another one.
        let (mut continuing, mut special) = (0, 0);
        for &byte in text.as_bytes() {
            continuing += usize::from(byte & 0b1100_0000 == 0b1000_0000);
            special += usize::from(byte < b' ' || byte == b'"' || byte == b'\\');
        }
        let escapes = if special == 0 { 0 } else { text.bytes().map(escape).sum() };
        self.continuing += continuing;
        self.bytes(2 + text.len() + escapes)
    }
}

/// A byte becomes at most `\u0000`.
const ESCAPED_CHARS_MAX: usize = 6;
/// The shortest form of a double has at most 17 digits, a sign, a point and an exponent of five.
const DOUBLE_CHARS_MAX: usize = 24;

/// How many more characters an ASCII byte has when it is escaped.
fn escape(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 1,
        0..b' ' => 5,
        _ => 0,
    }
}

fn digits(number: &Number) -> usize {
    let whole = |magnitude: u64| magnitude.checked_ilog10().map_or(1, |tens| tens as usize + 1);
    match (number.as_u64(), number.as_i64()) {
        (Some(count), _) => whole(count),
        (None, Some(below)) => 1 + whole(below.unsigned_abs()),
        (None, None) => number.to_string().len(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
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
        assert!(check(nested(JSON_DEPTH_MAX), 0).is_ok());
        let error = check(nested(JSON_DEPTH_MAX + 1), 9_999).unwrap_err();
        assert_eq!(error.message(), "the output is nested deeper than 127 levels");
        let deep = (0..1_000_000).fold(Json::Null, |inner, _| Json::Array(vec![inner]));
        assert!(check(deep, 9_999).is_err());
    }

    #[test]
    fn what_passes_can_be_written_and_read_back() {
        let (passed, _) = check(nested(JSON_DEPTH_MAX), 0).unwrap();
        assert_eq!(serde_json::from_str::<Json>(&passed.to_string()).unwrap(), *passed);
    }

    #[test]
    fn an_output_above_the_bound_is_refused_and_says_so() {
        let error = check(Json::String("x".repeat(OUTPUT_BYTES_MAX - 1)), 1).unwrap_err();
        assert_eq!(error.message(), "the output has more than 67108864 bytes as JSON");
        assert!(check(Json::String("x".repeat(OUTPUT_BYTES_MAX - 2)), 1).is_ok());
    }

    #[track_caller]
    fn check_size(value: &Json) {
        let text = value.to_string();
        let weight = weigh(value, text.len()).unwrap();
        assert_eq!((weight.bytes, weight.chars), (text.len(), text.chars().count()), "{text}");
        assert_eq!(weigh(value, text.len() - 1), Err(Excess::Bytes));
    }

    #[test]
    fn size_is_counted_as_json_to_the_byte() {
        check_size(&json!("ab"));
        check_size(&json!({"a": ["ü\n", 1.5, null, true, false, {}, []]}));
        check_size(&json!([0, 9, 10, -1, -10, u64::MAX, i64::MIN, 1e300, -0.0, 1e-7, 100.0]));
        let ascii: String = (0..=127).map(char::from).collect();
        check_size(&json!({ascii.clone(): ascii, "\u{2028}": "\u{10ffff}"}));
    }

    #[test]
    fn the_largest_parts_are_known() {
        let weight = weigh(&json!({"a": [1, 2, [{}, []]], "bbb": "üü", "c": {"d": 1}}), 100).unwrap();
        let parts = (weight.depth, weight.items, weight.keys, weight.text_bytes);
        assert_eq!(parts, (4, 3, 3, 4));
        assert_eq!(weigh(&json!(1), 100).unwrap().depth, 0);
    }

    fn any_json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            any::<i64>().prop_map(Json::from),
            any::<f64>().prop_map(Json::from),
            any::<String>().prop_map(Json::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
                prop::collection::btree_map(any::<String>(), inner, 0..4)
                    .prop_map(|it| Json::Object(it.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_counted_is_what_is_written(value in any_json()) {
            check_size(&value);
        }

        #[test]
        fn what_is_weighed_roughly_weighs_no_more_and_has_the_same_parts(value in any_json()) {
            let exact = weigh(&value, usize::MAX).unwrap();
            let (_, rough) = check(value, usize::MAX).unwrap();
            prop_assert!(rough.bytes >= exact.bytes && rough.chars >= exact.chars);
            prop_assert_eq!(Weight { bytes: exact.bytes, chars: exact.chars, ..rough }, exact);
        }
    }
}
