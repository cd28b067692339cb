//! Conversions between values: what a text means to a typed port, what a number means to another.
//!
//! The rules are those of BehaviorTree.CPP 4 (`convertFromString`, `safeNumericCast`), with one
//! deviation: a number with something behind it (`2abc`) is refused, not read as far as it goes.

use std::fmt;

use serde_json::Value as Json;

use crate::status::Status;
use crate::value::{Type, Value};

/// Why a value does not fit a type: a lowercase fragment, `"2abc" is no int`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvertFault {
    message: Box<str>,
}

impl fmt::Display for ConvertFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConvertFault {}

fn fault<T>(message: impl Into<Box<str>>) -> Result<T, ConvertFault> {
    Err(ConvertFault { message: message.into() })
}

/// Reads a text as a value of type `to`.
///
/// # Errors
/// When the text is no such value, or lies outside the type's range.
pub fn from_text(text: &str, to: Type) -> Result<Value, ConvertFault> {
    match to {
        Type::Any | Type::Text => Ok(Value::text(text)),
        Type::Bool => match text {
            "1" | "true" | "TRUE" | "True" => Ok(Value::Bool(true)),
            "0" | "false" | "FALSE" | "False" => Ok(Value::Bool(false)),
            _ => fault(format!("{text:?} is no bool: write `true` or `false`")),
        },
        Type::Int | Type::Int64 | Type::Uint | Type::Uint64 => match text.parse::<i64>() {
            Ok(int) => in_range(int, to),
            Err(_) if is_integer(text) => fault(format!("{text} lies outside {to}")),
            Err(_) => fault(format!("{text:?} is no {to}")),
        },
        Type::Real => match text.parse::<f64>() {
            Ok(real) if starts_like_a_number(text) => Ok(Value::Real(real)),
            _ => fault(format!("{text:?} is no number")),
        },
        Type::Status => match Status::parse(text) {
            Some(_) => Ok(Value::text(text)),
            None => fault(format!("{text:?} is no status: write SUCCESS, FAILURE, RUNNING or SKIPPED")),
        },
        Type::Json => match serde_json::from_str(text) {
            Ok(json) => Ok(Value::from_json(json)),
            Err(why) => fault(format!("{text:?} is no JSON: {why}")),
        },
    }
}

/// Rust reads `inf` and `nan` as numbers; the dialect does not.
fn starts_like_a_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'))
        && text.contains(|c: char| c.is_ascii_digit())
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn in_range(int: i64, to: Type) -> Result<Value, ConvertFault> {
    let fits = match to {
        Type::Int => i32::try_from(int).is_ok(),
        Type::Uint => u32::try_from(int).is_ok(),
        Type::Uint64 => int >= 0,
        _ => true,
    };
    if fits { Ok(Value::Int(int)) } else { fault(format!("{int} lies outside {to}")) }
}

/// The value as a port of type `to` reads it. Nothing is copied when it fits already.
///
/// # Errors
/// When the value has no such form, or would lose something: a fraction, a range.
pub fn convert(value: &Value, to: Type) -> Result<Value, ConvertFault> {
    match (value, to) {
        (_, Type::Any | Type::Json) => Ok(value.clone()),
        (Value::Text(text), Type::Text) => Ok(Value::Text(text.clone())),
        (Value::Text(text), _) => from_text(text, to),
        (Value::Bool(_), Type::Bool) => Ok(value.clone()),
        (Value::Bool(flag), _) if to.is_number() => convert(&Value::Int((*flag).into()), to),
        (Value::Bool(flag), Type::Text) => Ok(Value::text(if *flag { "true" } else { "false" })),
        (Value::Int(int), Type::Bool) => bool_of(*int as f64, value),
        (Value::Int(int), Type::Real) => Ok(Value::Real(*int as f64)),
        (Value::Int(int), Type::Text) => Ok(Value::text(int.to_string())),
        (Value::Int(int), Type::Int | Type::Int64 | Type::Uint | Type::Uint64) => in_range(*int, to),
        (Value::Real(real), Type::Bool) => bool_of(*real, value),
        (Value::Real(_), Type::Real) => Ok(value.clone()),
        (Value::Real(real), Type::Text) => Ok(Value::text(format!("{real:.6}"))),
        (Value::Real(real), Type::Int | Type::Int64 | Type::Uint | Type::Uint64) => match whole(*real) {
            Some(int) => in_range(int, to),
            None => fault(format!("{real} is no {to}")),
        },
        (Value::Json(json), Type::Text) => Ok(Value::text(json.to_string())),
        (Value::Null | Value::Json(_) | Value::Bool(_) | Value::Int(_) | Value::Real(_), _) => {
            fault(format!("a value of kind {} is no {to}", value.kind()))
        }
    }
}

/// The integer that a double is.
#[inline]
pub fn whole(real: f64) -> Option<i64> {
    // The cast saturates, and no double is `i64::MAX`: it rounds to 2^63, which is no `i64`.
    let int = real as i64;
    (int as f64 == real && int != i64::MAX).then_some(int)
}

fn bool_of(number: f64, value: &Value) -> Result<Value, ConvertFault> {
    if number == 0.0 || number == 1.0 {
        Ok(Value::Bool(number == 1.0))
    } else {
        fault(format!("{value} is no bool"))
    }
}

/// The value as JSON for an argument of type `to`: text stays text, and a double that is whole
/// becomes an integer where one is wanted. What does not fit goes as it is, for the validation to
/// name it.
pub fn to_argument(value: &Value, to: Type) -> Json {
    match (value, to) {
        (Value::Int(_) | Value::Real(_) | Value::Text(_), Type::Bool | Type::Int64 | Type::Real) => {
            convert(value, to).unwrap_or_else(|_| value.clone()).to_json()
        }
        _ => value.to_json(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, to: Type, expected: Result<Value, &str>) {
        let got = from_text(text, to);
        assert_eq!(got.as_ref().map_err(ToString::to_string), expected.as_ref().map_err(|s| (*s).to_owned()));
    }

    #[test]
    fn text_is_read_by_the_type_of_the_port() {
        check("42", Type::Int, Ok(Value::Int(42)));
        check("3000000000", Type::Int, Err("3000000000 lies outside int"));
        check("3000000000", Type::Uint, Ok(Value::Int(3_000_000_000)));
        check("-1", Type::Uint64, Err("-1 lies outside uint64_t"));
        check("99999999999999999999", Type::Int64, Err("99999999999999999999 lies outside int64_t"));
        check("2abc", Type::Int, Err("\"2abc\" is no int"));
        check(" 2", Type::Int, Err("\" 2\" is no int"));
        check("1e3", Type::Real, Ok(Value::Real(1000.0)));
        check("nan", Type::Real, Err("\"nan\" is no number"));
        check("True", Type::Bool, Ok(Value::Bool(true)));
        check("yes", Type::Bool, Err("\"yes\" is no bool: write `true` or `false`"));
        check("SUCCESS", Type::Status, Ok(Value::text("SUCCESS")));
    }

    #[test]
    fn a_number_converts_when_nothing_is_lost() {
        assert_eq!(convert(&Value::Real(2.0), Type::Int), Ok(Value::Int(2)));
        assert_eq!(convert(&Value::Real(2.5), Type::Int).unwrap_err().to_string(), "2.5 is no int");
        assert_eq!(
            convert(&Value::Real(9.3e18), Type::Int64).unwrap_err().to_string(),
            "9300000000000000000 is no int64_t"
        );
        assert_eq!(convert(&Value::Real(2.5), Type::Text), Ok(Value::text("2.500000")));
        assert_eq!(convert(&Value::text("7"), Type::Int), Ok(Value::Int(7)));
        assert_eq!(convert(&Value::Int(2), Type::Bool).unwrap_err().to_string(), "2 is no bool");
    }
}
