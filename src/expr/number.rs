//! Numbers: exact among integers, double otherwise.
//!
//! The dialect computes in doubles. Here two integers are computed as integers, which gives the
//! same results wherever a double holds them and exact ones where it does not; there the home
//! engine stops with an error.

use std::cmp::Ordering;

use super::operand::Operand;
use super::operator::{Binary, Unary};
use super::trip::Why;
use crate::value::Value;

/// The largest integer up to which every integer has a double of its own.
const EXACT_MAX: u64 = 1 << 53;

/// The dialect's tolerance of `==` between doubles: the step of a 32-bit float at 1.
const TOLERANCE: f64 = f32::EPSILON as f64;

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Int(i64),
    Real(f64),
}

impl Operand<'_> {
    /// The number that it is; a truth value counts as 1 or 0.
    #[inline]
    pub(super) fn number(&self) -> Option<Number> {
        match *self {
            Self::Int(int) | Self::Whole(int) => Some(Number::Int(int)),
            Self::Real(real) => Some(Number::Real(real)),
            Self::Truth(flag) | Self::Bool(flag) => Some(Number::Int(flag.into())),
            Self::Null | Self::Text(_) | Self::Json(_) => None,
        }
    }
}

impl Number {
    /// The computed number as the board has it: a double wherever a double holds it exactly.
    #[inline]
    pub(super) fn into_value(self) -> Value {
        match self {
            Self::Int(int) if is_exact(int) => Value::Real(int as f64),
            Self::Int(int) => Value::Int(int),
            Self::Real(real) => Value::Real(real),
        }
    }

    /// The number that a whole text writes; blanks around it do not matter.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(int) = text.parse() {
            return Some(Self::Int(int));
        }
        let hexadecimal = text.strip_prefix("0x").or(text.strip_prefix("0X"));
        match hexadecimal {
            Some(digits) if digits.starts_with(['+', '-']) => None,
            Some(digits) => i64::from_str_radix(digits, 16).ok().map(Self::Int),
            None => text.parse().ok().map(Self::Real),
        }
    }

    /// The double, where it is the same number.
    #[inline]
    fn exact(self) -> Result<f64, Why> {
        match self {
            Self::Int(int) if int.unsigned_abs() > EXACT_MAX => Err(Why::Inexact(int)),
            Self::Int(int) => Ok(int as f64),
            Self::Real(real) => Ok(real),
        }
    }

    fn bits(self, sign: &'static str) -> Result<i64, Why> {
        match self {
            Self::Int(int) => Ok(int),
            Self::Real(real) if real.fract() == 0.0 && real.abs() < i64::MAX as f64 => Ok(real as i64),
            Self::Real(_) => Err(Why::NotBits(sign)),
        }
    }

    /// Whether both are the same number; reals within [`TOLERANCE`].
    #[inline]
    pub(super) fn equals(self, other: Self) -> bool {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Real(a), Self::Real(b)) => a == b || (a - b).abs() <= TOLERANCE,
            (Self::Int(int), Self::Real(real)) | (Self::Real(real), Self::Int(int)) => {
                if int.unsigned_abs() <= EXACT_MAX {
                    (int as f64 - real).abs() <= TOLERANCE
                } else {
                    order(int, real) == Some(Ordering::Equal)
                }
            }
        }
    }

    /// Their order; none for a NaN.
    #[inline]
    pub(super) fn order(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(&b)),
            (Self::Real(a), Self::Real(b)) => a.partial_cmp(&b),
            (Self::Int(int), Self::Real(real)) => order(int, real),
            (Self::Real(real), Self::Int(int)) => order(int, real).map(Ordering::reverse),
        }
    }

    pub(super) fn is_zero(self) -> bool {
        match self {
            Self::Int(int) => int == 0,
            Self::Real(real) => real == 0.0,
        }
    }
}

/// Whether a double holds this integer exactly.
#[inline]
fn is_exact(int: i64) -> bool {
    // The cast back saturates, so the largest integers, whose double is 2^63, need the last test.
    let real = int as f64;
    int.unsigned_abs() <= EXACT_MAX || (real as i64 == int && real < i64::MAX as f64)
}

/// How an integer compares with a real, exactly.
fn order(int: i64, real: f64) -> Option<Ordering> {
    if int.unsigned_abs() <= EXACT_MAX {
        return (int as f64).partial_cmp(&real);
    }
    // Past 2^53 a double is a whole number, and within the range of i128 the cast keeps it; a
    // larger one saturates beyond every i64.
    (!real.is_nan()).then(|| i128::from(int).cmp(&(real as i128)))
}

/// The sum, difference, product, quotient or bits of two numbers.
pub(super) fn arithmetic(operator: Binary, left: Number, right: Number) -> Result<Number, Why> {
    if let (Number::Int(left), Number::Int(right)) = (left, right)
        && let Some(int) = integral(operator, left, right)
    {
        return Ok(Number::Int(int));
    }
    if let Some(bits) = bitwise(operator) {
        let sign = operator.sign();
        return Ok(Number::Int(bits(left.bits(sign)?, right.bits(sign)?)));
    }
    let (left, right) = (left.exact()?, right.exact()?);
    Ok(Number::Real(match operator {
        Binary::Add => left + right,
        Binary::Subtract => left - right,
        Binary::Multiply => left * right,
        _ => left / right,
    }))
}

fn bitwise(operator: Binary) -> Option<fn(i64, i64) -> i64> {
    match operator {
        Binary::BitOr => Some(|a, b| a | b),
        Binary::BitXor => Some(|a, b| a ^ b),
        Binary::BitAnd => Some(|a, b| a & b),
        _ => None,
    }
}

/// The exact result of `+ - * /`, where it is an integer.
#[inline(always)]
pub(super) fn integral(operator: Binary, left: i64, right: i64) -> Option<i64> {
    match operator {
        Binary::Add => left.checked_add(right),
        Binary::Subtract => left.checked_sub(right),
        Binary::Multiply => left.checked_mul(right),
        Binary::Divide => {
            left.checked_rem(right).filter(|&rest| rest == 0).and_then(|_| left.checked_div(right))
        }
        _ => None,
    }
}

/// `-`, `!` or `~` of a number.
pub(super) fn unary(operator: Unary, operand: &Operand<'_>) -> Result<Operand<'static>, Why> {
    let number = operand.number().ok_or_else(|| Why::Operand(operator, operand.kind()))?;
    match (operator, number) {
        (Unary::Not, number) => Ok(Operand::Truth(number.is_zero())),
        (Unary::Complement, number) => Ok(Operand::Whole(!number.bits(operator.sign())?)),
        (Unary::Minus, Number::Real(real)) => Ok(Operand::Real(-real)),
        (Unary::Minus, Number::Int(int)) => match int.checked_neg() {
            Some(int) => Ok(Operand::Whole(int)),
            None => Ok(Operand::Real(-(int as f64))),
        },
    }
}
