//! Values as numbers and as texts.

use std::collections::BTreeMap;

use helve::value::Value;

use super::Fault;

/// The names of integers.
pub type Enums = BTreeMap<String, i64>;

/// What two reals may differ by and be equal: the reference compares with the `epsilon` of a `float`.
pub const TOLERANCE: f64 = f32::EPSILON as f64;
/// The largest integer that a real holds exactly.
const EXACT_MAX: i64 = 1 << 53;

/// A number, from a number: text does not count.
pub fn real(value: &Value) -> Result<f64, Fault> {
    match value {
        Value::Bool(flag) => Ok(f64::from(u8::from(*flag))),
        Value::Int(int) if int.abs() > EXACT_MAX => Err(format!("{int} is too large for arithmetic")),
        Value::Int(int) => Ok(*int as f64),
        Value::Real(real) => Ok(*real),
        other => Err(format!("{other:?} is no number")),
    }
}

/// A number, also from what a text says: `true`, an enum name, `2.5`.
pub fn real_in(value: &Value, enums: &Enums) -> Result<f64, Fault> {
    let Value::Text(text) = value else { return real(value) };
    match (&**text, enums.get(&**text)) {
        ("true", _) => Ok(1.0),
        ("false", _) => Ok(0.0),
        (_, Some(number)) => Ok(*number as f64),
        _ => text.parse().map_err(|_| format!("{text:?} is no number")),
    }
}

/// An integer, from anything that is exactly one.
pub fn int(value: &Value) -> Result<i64, Fault> {
    match value {
        Value::Text(text) => text.parse().map_err(|_| format!("{text:?} is no integer")),
        Value::Bool(flag) => Ok(i64::from(*flag)),
        Value::Int(int) => Ok(*int),
        Value::Real(real) if real.fract() == 0.0 && real.abs() < 9.2e18 => Ok(*real as i64),
        other => Err(format!("{other:?} is no integer")),
    }
}

/// Whether a condition holds: reals that are not zero, integers that are one.
pub fn truth(value: &Value) -> Result<bool, Fault> {
    match value {
        Value::Bool(flag) => Ok(*flag),
        Value::Int(0) => Ok(false),
        Value::Int(1) => Ok(true),
        Value::Real(real) => Ok(*real != 0.0),
        other => Err(format!("{other:?} is no truth value")),
    }
}

/// The value as a text port reads it.
pub fn text(value: &Value) -> String {
    match value {
        Value::Real(real) => format!("{real:.6}"),
        other => other.to_string(),
    }
}
