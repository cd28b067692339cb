//! What a blackboard slot holds, and the types that ports declare.

use std::fmt;
use std::sync::Arc;

/// A value on the blackboard. A clone never copies the content: text and JSON are shared.
// The variant takes a whole word, so a value is moved by words. A byte with seven behind it is stored in
// pieces and read whole, for which a processor waits a dozen cycles, at every port that is read.
#[repr(u64)]
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Value {
    /// JSON's `null`. A key without a value is something else: it holds no `Value`.
    #[default]
    Null,
    /// A truth value.
    Bool(bool),
    /// An exact integer.
    Int(i64),
    /// A double.
    Real(f64),
    /// Text.
    Text(Arc<str>),
    /// A JSON array or object. Scalars have their own variants: see [`Value::from_json`].
    Json(Arc<serde_json::Value>),
}

impl Value {
    /// Text from anything that reads as a string.
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(text.into())
    }

    /// A JSON value as a blackboard value: scalars by kind, arrays and objects shared whole.
    /// A number that no `i64` holds becomes a double.
    pub fn from_json(json: serde_json::Value) -> Self {
        match json {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(flag) => Self::Bool(flag),
            serde_json::Value::Number(number) => match number.as_i64() {
                Some(int) => Self::Int(int),
                None => Self::Real(number.as_f64().unwrap_or(f64::NAN)),
            },
            serde_json::Value::String(text) => Self::text(text),
            composite => Self::Json(Arc::new(composite)),
        }
    }

    /// The value as JSON. A double that is not finite has no JSON form and becomes `null`.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Bool(flag) => (*flag).into(),
            Self::Int(int) => (*int).into(),
            Self::Real(real) => (*real).into(),
            Self::Text(text) => (&**text).into(),
            Self::Json(json) => (**json).clone(),
        }
    }

    /// Whether a port or key of this type takes the value as it stands. Types that hold a part of a kind
    /// only, such as 32-bit integers, want the range check of [`convert`](crate::convert::convert).
    #[inline]
    pub fn fits(&self, ty: Type) -> bool {
        self.kind() == ty || matches!(ty, Type::Any | Type::Json)
    }

    /// The kind of this value, as the type that holds exactly such values.
    #[inline]
    pub const fn kind(&self) -> Type {
        match self {
            Self::Null | Self::Json(_) => Type::Json,
            Self::Bool(_) => Type::Bool,
            Self::Int(_) => Type::Int64,
            Self::Real(_) => Type::Real,
            Self::Text(_) => Type::Text,
        }
    }
}

impl fmt::Display for Value {
    /// Text bare, everything else as JSON writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Real(real) if !real.is_finite() => write!(f, "{real}"),
            other => write!(f, "{}", other.to_json()),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<i64> for Value {
    fn from(int: i64) -> Self {
        Self::Int(int)
    }
}

impl From<f64> for Value {
    fn from(real: f64) -> Self {
        Self::Real(real)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}

impl From<serde_json::Value> for Value {
    fn from(json: serde_json::Value) -> Self {
        Self::from_json(json)
    }
}

/// The type that a port declares for its key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Type {
    /// Anything: the key stays untyped.
    #[default]
    Any,
    /// `bool`
    Bool,
    /// `int`: 32 bits, as the dialect has it.
    Int,
    /// `int64_t`
    Int64,
    /// `unsigned int`: 32 bits.
    Uint,
    /// `uint64_t`
    Uint64,
    /// `double`
    Real,
    /// `std::string`
    Text,
    /// A JSON value of any shape.
    Json,
    /// One of the status words.
    Status,
}

impl Type {
    /// The name that error texts use and that a model's `type` attribute may hold.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Int64 => "int64_t",
            Self::Uint => "unsigned int",
            Self::Uint64 => "uint64_t",
            Self::Real => "double",
            Self::Text => "std::string",
            Self::Json => "json",
            Self::Status => "NodeStatus",
        }
    }

    /// The type that a model's `type` attribute names; `None` for a name this engine does not know.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "any" | "BT::Any" | "BT::AnyTypeAllowed" | "AnyTypeAllowed" => Self::Any,
            "bool" => Self::Bool,
            "int" | "int32_t" => Self::Int,
            "int64_t" | "int64" | "long" => Self::Int64,
            "unsigned int" | "unsigned" | "uint32_t" => Self::Uint,
            "uint64_t" | "uint64" => Self::Uint64,
            "double" | "float" => Self::Real,
            "std::string" | "string" => Self::Text,
            "json" | "nlohmann::json" => Self::Json,
            "NodeStatus" | "BT::NodeStatus" => Self::Status,
            _ => return None,
        })
    }

    /// Whether values of this type are numbers.
    pub const fn is_number(self) -> bool {
        matches!(self, Self::Int | Self::Int64 | Self::Uint | Self::Uint64 | Self::Real)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
