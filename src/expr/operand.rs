//! Values while an expression is evaluated: borrowed from the board wherever that is possible.

use std::sync::Arc;

use serde_json::Value as Json;

use super::number::Number;
use super::trip::{Kind, Why};
use crate::value::Value;

/// A value on its way through an expression.
#[derive(Clone, Debug)]
pub(super) enum Operand<'a> {
    Null,
    /// The answer of a comparison, a condition or a function. On the board it is the double 1 or
    /// 0, as the dialect has it.
    Truth(bool),
    /// A stored truth value; it counts as the integer 1 or 0.
    Bool(bool),
    /// A written or stored integer.
    Int(i64),
    /// A computed integer. On the board it is a double wherever a double holds it exactly, as the
    /// dialect has it, and otherwise stays an integer.
    Whole(i64),
    Real(f64),
    Text(Text<'a>),
    Json(Tree<'a>),
}

/// Text: a part of some value, a whole value, or made here.
#[derive(Clone, Debug)]
pub(super) enum Text<'a> {
    Part(&'a str),
    Shared(&'a Arc<str>),
    Made(Arc<str>),
}

/// A list or an object: a part of some value, a whole value, or made here.
#[derive(Clone, Debug)]
pub(super) enum Tree<'a> {
    Part(&'a Json),
    Shared(&'a Arc<Json>),
    Made(Arc<Json>),
}

/// A value that fits into registers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Plain<'a> {
    Number(Number),
    Text(&'a str),
}

impl<'a> Plain<'a> {
    /// A stored value; a truth value counts as 1 or 0.
    #[inline]
    pub(super) fn of(value: &'a Value) -> Option<Self> {
        Some(match value {
            Value::Int(int) => Self::Number(Number::Int(*int)),
            Value::Real(real) => Self::Number(Number::Real(*real)),
            Value::Bool(flag) => Self::Number(Number::Int((*flag).into())),
            Value::Text(text) => Self::Text(text),
            Value::Null | Value::Json(_) => return None,
        })
    }
}

impl Text<'_> {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Part(text) => text,
            Self::Shared(text) => text,
            Self::Made(text) => text,
        }
    }
}

impl Tree<'_> {
    pub(super) fn as_json(&self) -> &Json {
        match self {
            Self::Part(json) => json,
            Self::Shared(json) => json,
            Self::Made(json) => json,
        }
    }
}

impl<'a> Operand<'a> {
    #[inline]
    pub(super) fn of(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Int(int) => Self::Int(*int),
            Value::Real(real) => Self::Real(*real),
            Value::Text(text) => Self::Text(Text::Shared(text)),
            Value::Json(json) => match &**json {
                Json::Array(_) | Json::Object(_) => Self::Json(Tree::Shared(json)),
                scalar => Self::part(scalar),
            },
        }
    }

    /// A part of a JSON value; scalars become scalars.
    #[inline]
    pub(super) fn part(json: &'a Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(flag) => Self::Bool(*flag),
            Json::Number(number) => match number.as_i64() {
                Some(int) => Self::Int(int),
                None => Self::Real(number.as_f64().unwrap_or(f64::NAN)),
            },
            Json::String(text) => Self::Text(Text::Part(text)),
            Json::Array(_) | Json::Object(_) => Self::Json(Tree::Part(json)),
        }
    }

    /// A number that was computed here.
    #[inline]
    pub(super) fn computed(number: Number) -> Self {
        match number {
            Number::Int(int) => Self::Whole(int),
            Number::Real(real) => Self::Real(real),
        }
    }

    /// The value for the board. Parts of a JSON value are copied, whole values shared.
    #[inline]
    pub(super) fn into_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Truth(flag) => Value::Real(f64::from(u8::from(flag))),
            Self::Bool(flag) => Value::Bool(flag),
            Self::Int(int) => Value::Int(int),
            Self::Whole(int) => Number::Int(int).into_value(),
            Self::Real(real) => Value::Real(real),
            Self::Text(Text::Part(text)) => Value::text(text),
            Self::Text(Text::Shared(text)) => Value::Text(text.clone()),
            Self::Text(Text::Made(text)) => Value::Text(text),
            Self::Json(Tree::Part(json)) => Value::from_json(json.clone()),
            Self::Json(Tree::Shared(json)) => Value::Json(json.clone()),
            Self::Json(Tree::Made(json)) => Value::Json(json),
        }
    }

    /// The value as an item of a list. In a list an answer is a JSON truth value, and a computed
    /// integer is an integer: the board's kinds have no say there.
    pub(super) fn into_json(self) -> Json {
        match self {
            Self::Truth(flag) => flag.into(),
            Self::Whole(int) => int.into(),
            Self::Json(Tree::Part(json)) => json.clone(),
            other => other.into_value().to_json(),
        }
    }

    /// Whether it is true, for whoever needs a condition.
    #[inline]
    pub(super) fn condition(&self) -> Result<bool, Why> {
        match *self {
            Self::Truth(flag) | Self::Bool(flag) => Ok(flag),
            Self::Int(int @ (0 | 1)) => Ok(int == 1),
            Self::Whole(int) => Ok(int != 0),
            Self::Real(real) => Ok(real != 0.0),
            Self::Int(int) => Err(Why::IntCondition(int)),
            Self::Null | Self::Text(_) | Self::Json(_) => Err(Why::Condition(self.kind())),
        }
    }

    /// What it is, for messages.
    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Null => Kind::Null,
            Self::Truth(_) | Self::Bool(_) => Kind::Truth,
            Self::Int(_) | Self::Whole(_) => Kind::Int,
            Self::Real(_) => Kind::Real,
            Self::Text(_) => Kind::Text,
            Self::Json(tree) => match tree.as_json() {
                Json::Array(_) => Kind::List,
                _ => Kind::Object,
            },
        }
    }
}
