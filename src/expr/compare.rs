//! Equality and order.

use std::cmp::Ordering;

use serde_json::Value as Json;

use super::number::Number;
use super::operand::Operand;
use super::operator::Binary;
use super::trip::Why;
use super::weight::Steps;
use crate::limits::{EXPR_DEPTH_MAX, EXPR_SHOWN_CHARS_MAX};

/// Compares values of one evaluation.
pub(super) struct Comparer<'c> {
    pub(super) steps: &'c Steps,
    /// The number of an enum name.
    pub(super) enums: &'c dyn Fn(&str) -> Option<i64>,
    /// Whether a text that is no number is merely unequal to every number. In a script it is a
    /// fault, as in the dialect's home.
    pub(super) total: bool,
}

impl Comparer<'_> {
    /// Whether `left operator right` holds.
    #[inline]
    pub(super) fn holds(
        &self,
        operator: Binary,
        left: &Operand<'_>,
        right: &Operand<'_>,
    ) -> Result<bool, Why> {
        match operator {
            Binary::Equal => self.equals(left, right),
            Binary::Unequal => self.equals(left, right).map(|equal| !equal),
            _ => {
                let order = self.order(operator, left, right)?;
                Ok(order.is_some_and(|order| agrees(operator, order)))
            }
        }
    }

    /// Equality. Kinds that cannot be compared are unequal, but for text next to a number.
    pub(super) fn equals(&self, left: &Operand<'_>, right: &Operand<'_>) -> Result<bool, Why> {
        if let (Some(left), Some(right)) = (left.number(), right.number()) {
            return Ok(left.equals(right));
        }
        match (left, right) {
            (Operand::Text(left), Operand::Text(right)) => {
                texts(self.steps, Binary::Equal, left.as_str(), right.as_str())
            }
            (Operand::Json(left), Operand::Json(right)) => self.same(left.as_json(), right.as_json(), 0),
            (Operand::Null, Operand::Null) => Ok(true),
            (Operand::Text(text), other) | (other, Operand::Text(text)) => {
                let Some(number) = other.number() else { return Ok(false) };
                match self.number(text.as_str()) {
                    Ok(parsed) => Ok(parsed.equals(number)),
                    Err(_) if self.total => Ok(false),
                    Err(why) => Err(why),
                }
            }
            _ => Ok(false),
        }
    }

    fn order(
        &self,
        operator: Binary,
        left: &Operand<'_>,
        right: &Operand<'_>,
    ) -> Result<Option<Ordering>, Why> {
        match (left, left.number(), right, right.number()) {
            (_, Some(left), _, Some(right)) => Ok(left.order(right)),
            (Operand::Text(left), _, Operand::Text(right), _) => {
                let (left, right) = (left.as_str(), right.as_str());
                self.steps.pay_bytes(left.len().min(right.len()))?;
                Ok(Some(left.cmp(right)))
            }
            (Operand::Text(left), _, _, Some(right)) => Ok(self.number(left.as_str())?.order(right)),
            (_, Some(left), Operand::Text(right), _) => Ok(left.order(self.number(right.as_str())?)),
            _ => Err(Why::Operands(operator, left.kind(), right.kind())),
        }
    }

    /// The number that a text stands for next to a number.
    fn number(&self, text: &str) -> Result<Number, Why> {
        match text {
            "true" => return Ok(Number::Int(1)),
            "false" => return Ok(Number::Int(0)),
            _ => {}
        }
        let named = || (self.enums)(text).map(Number::Int);
        named().or_else(|| Number::parse(text)).ok_or_else(|| not_number(text))
    }

    /// Whether two JSON values are the same; numbers as `==` has them, no text taken for a number.
    fn same(&self, left: &Json, right: &Json, depth: usize) -> Result<bool, Why> {
        if depth > EXPR_DEPTH_MAX {
            return Err(Why::TooDeep);
        }
        self.steps.pay(1)?;
        match (left, right) {
            (Json::Array(left), Json::Array(right)) if left.len() == right.len() => {
                all(left.iter().zip(right), |(left, right)| self.same(left, right, depth + 1))
            }
            (Json::Object(left), Json::Object(right)) if left.len() == right.len() => {
                all(left, |(key, left)| match right.get(key) {
                    Some(right) => self.same(left, right, depth + 1),
                    None => Ok(false),
                })
            }
            (Json::String(left), Json::String(right)) => {
                self.steps.pay_bytes(left.len().min(right.len()))?;
                Ok(left == right)
            }
            (Json::Number(_), Json::Number(_)) => {
                let number = |json| Operand::part(json).number();
                Ok(number(left).zip(number(right)).is_some_and(|(left, right)| left.equals(right)))
            }
            (left, right) => Ok(matches!((left, right), (Json::Null, Json::Null)) || bools(left, right)),
        }
    }
}

fn bools(left: &Json, right: &Json) -> bool {
    left.as_bool().is_some() && left.as_bool() == right.as_bool()
}

fn all<T>(
    items: impl IntoIterator<Item = T>,
    mut holds: impl FnMut(T) -> Result<bool, Why>,
) -> Result<bool, Why> {
    for item in items {
        if !holds(item)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether `left operator right` holds of integers; `None` when the operator compares nothing.
#[inline(always)]
pub(super) fn ints(operator: Binary, left: i64, right: i64) -> Option<bool> {
    Some(match operator {
        Binary::Equal => left == right,
        Binary::Unequal => left != right,
        Binary::Less => left < right,
        Binary::Greater => left > right,
        Binary::AtMost => left <= right,
        Binary::AtLeast => left >= right,
        _ => return None,
    })
}

/// Whether `left operator right` holds of numbers.
pub(super) fn numbers(operator: Binary, left: Number, right: Number) -> bool {
    match operator {
        Binary::Equal => left.equals(right),
        Binary::Unequal => !left.equals(right),
        _ => left.order(right).is_some_and(|order| agrees(operator, order)),
    }
}

/// Whether `left operator right` holds of texts.
pub(super) fn texts(steps: &Steps, operator: Binary, left: &str, right: &str) -> Result<bool, Why> {
    steps.pay_bytes(left.len().min(right.len()))?;
    Ok(match operator {
        Binary::Equal => left == right,
        Binary::Unequal => left != right,
        _ => agrees(operator, left.cmp(right)),
    })
}

fn agrees(operator: Binary, order: Ordering) -> bool {
    match operator {
        Binary::Less => order.is_lt(),
        Binary::Greater => order.is_gt(),
        Binary::AtMost => order.is_le(),
        _ => order.is_ge(),
    }
}

/// The fault of a text that is no number, its end cut off when it is long.
pub(super) fn not_number(text: &str) -> Why {
    let cut = text.char_indices().nth(EXPR_SHOWN_CHARS_MAX).map_or(text.len(), |(at, _)| at);
    let dots = if cut < text.len() { "..." } else { "" };
    Why::NotNumber(format!("{}{dots}", &text[..cut]).into())
}
