//! One value as another type, where nothing is lost by it.

use serde_json::{Number, Value as Json};

/// The largest whole number up to which every double is exact: above it `1e20` may have been
/// another number once.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// Whether `value` is of a JSON Schema type. A whole double is an integer to JSON Schema, but not
/// to most tools: here it is a number, so that it is converted.
pub(super) fn is_of(value: &Json, name: &str) -> bool {
    match value {
        Json::Null => name == "null",
        Json::Bool(_) => name == "boolean",
        Json::Number(number) => name == "number" || name == "integer" && !number.is_f64(),
        Json::String(_) => name == "string",
        Json::Array(_) => name == "array",
        Json::Object(_) => name == "object",
    }
}

/// `value` as the type `name`; `None` when that would invent or lose something.
pub(super) fn convert(value: &Json, name: &str) -> Option<Json> {
    match (name, value) {
        ("integer", Json::Number(number)) => whole(number.as_f64()?),
        ("integer", Json::String(text)) => integer(text.trim()),
        ("number", Json::String(text)) => number(text.trim()),
        ("boolean", Json::String(text)) => boolean(text.trim()),
        ("string", Json::Number(_) | Json::Bool(_)) => Some(Json::String(value.to_string())),
        ("array", Json::String(text)) => parsed(text).filter(Json::is_array).or_else(|| listed(value)),
        ("array", Json::Number(_) | Json::Bool(_) | Json::Object(_)) => listed(value),
        ("object", Json::String(text)) => parsed(text).filter(Json::is_object),
        _ => None,
    }
}

fn integer(text: &str) -> Option<Json> {
    (text.parse::<i64>().map(Json::from).ok())
        .or_else(|| text.parse::<u64>().map(Json::from).ok())
        .or_else(|| whole(text.parse().ok()?))
}

fn whole(real: f64) -> Option<Json> {
    (real.fract() == 0.0 && real.abs() < EXACT_MAX).then(|| Json::from(real as i64))
}

fn number(text: &str) -> Option<Json> {
    let exact = text.parse::<i64>().map(Json::from).ok();
    exact.or_else(|| Number::from_f64(text.parse().ok()?).map(Json::Number))
}

fn boolean(text: &str) -> Option<Json> {
    // Models write Python's `True` as often as JSON's `true`.
    let is = |word| text.eq_ignore_ascii_case(word);
    if is("true") { Some(true.into()) } else { is("false").then(|| false.into()) }
}

fn parsed(text: &str) -> Option<Json> {
    serde_json::from_str(text).ok()
}

fn listed(value: &Json) -> Option<Json> {
    Some(Json::Array(vec![value.clone()]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(value: Json, name: &str, converted: Option<Json>) {
        let found = convert(&value, name);
        // As text: `1` and `1.0` must not be mistaken for each other.
        assert_eq!(found.map(|it| it.to_string()), converted.map(|it| it.to_string()), "{value} as {name}");
    }

    #[test]
    fn what_means_the_same_is_converted() {
        check(json!("5"), "integer", Some(json!(5)));
        check(json!(" -5 "), "integer", Some(json!(-5)));
        check(json!("5.0"), "integer", Some(json!(5)));
        check(json!("18446744073709551615"), "integer", Some(json!(u64::MAX)));
        check(json!(1.0), "integer", Some(json!(1)));
        check(json!("1.5"), "number", Some(json!(1.5)));
        check(json!("7"), "number", Some(json!(7)));
        check(json!("true"), "boolean", Some(json!(true)));
        check(json!("False"), "boolean", Some(json!(false)));
        check(json!(5), "string", Some(json!("5")));
        check(json!(true), "string", Some(json!("true")));
        check(json!("a"), "array", Some(json!(["a"])));
        check(json!({"a": 1}), "array", Some(json!([{"a": 1}])));
        check(json!("[1, 2]"), "array", Some(json!([1, 2])));
        check(json!("{\"a\": 1}"), "array", Some(json!(["{\"a\": 1}"])));
        check(json!("{\"a\": 1}"), "object", Some(json!({"a": 1})));
    }

    #[test]
    fn what_would_invent_or_lose_something_is_not() {
        check(json!("many"), "integer", None);
        check(json!("5 apples"), "integer", None);
        check(json!(""), "integer", None);
        check(json!(1.5), "integer", None);
        check(json!(1e20), "integer", None);
        check(json!("1e20"), "integer", None);
        check(json!("NaN"), "number", None);
        check(json!("inf"), "number", None);
        check(json!("yes"), "boolean", None);
        check(json!(1), "boolean", None);
        check(json!(["a"]), "string", None);
        check(json!({"a": 1}), "string", None);
        check(json!(null), "string", None);
        check(json!(null), "array", None);
        check(json!("[1, 2]"), "object", None);
        check(json!("text"), "object", None);
    }
}
