//! What a node reads and writes through its attributes.

use helve::status::Status;
use helve::value::{Type, Value};

use super::Fault;
use super::number::{int, text};
use super::world::World;

/// The key that `{key}` points to; `{=}` and `=` point to the key of the port's own name.
pub fn pointer(name: &str, attribute: &str) -> Option<String> {
    let inside = match attribute.trim() {
        "=" => "=",
        trimmed => trimmed.strip_prefix('{')?.strip_suffix('}')?,
    };
    // Keys hold neither quotes nor colons; such a text is JSON.
    let is_key = !inside.is_empty() && !inside.contains(['"', ':']);
    is_key.then(|| if inside == "=" { name.to_owned() } else { inside.to_owned() })
}

impl World {
    /// What the port holds: the literal, or the value of its key.
    pub fn input(&self, id: usize, port: &str) -> Option<Value> {
        let attribute = self.attribute(id, port)?;
        match pointer(port, &attribute) {
            Some(key) => self.board.value(self.nodes[id].scope, &key).cloned(),
            None => Some(Value::text(attribute)),
        }
    }

    fn required(&self, id: usize, port: &str) -> Result<Value, Fault> {
        self.input(id, port).ok_or_else(|| format!("{} has no {port}", self.nodes[id].path))
    }

    pub fn int(&self, id: usize, port: &str) -> Result<i64, Fault> {
        int(&self.required(id, port)?)
    }

    /// An integer that need not be there; what is there must be one.
    pub fn int_or(&self, id: usize, port: &str, default: i64) -> Result<i64, Fault> {
        self.attribute(id, port).map_or(Ok(default), |_| self.int(id, port))
    }

    pub fn text(&self, id: usize, port: &str) -> Result<String, Fault> {
        Ok(text(&self.required(id, port)?))
    }

    pub fn flag_or(&self, id: usize, port: &str, default: bool) -> Result<bool, Fault> {
        if self.attribute(id, port).is_none() {
            return Ok(default);
        }
        match &*self.text(id, port)? {
            "1" | "true" | "TRUE" | "True" => Ok(true),
            "0" | "false" | "FALSE" | "False" => Ok(false),
            other => Err(format!("{other:?} is no bool")),
        }
    }

    pub fn status_or(&self, id: usize, port: &str, default: Status) -> Result<Status, Fault> {
        if self.attribute(id, port).is_none() {
            return Ok(default);
        }
        let text = self.text(id, port)?;
        Status::parse(&text).ok_or_else(|| format!("{text:?} is no status"))
    }

    pub fn output(&mut self, id: usize, port: &str, ty: Type, value: Value) -> Result<(), Fault> {
        let attribute = self.attribute(id, port).ok_or("an output that goes nowhere")?;
        let key = pointer(port, &attribute).ok_or("an output that is a literal")?;
        self.board.write(self.nodes[id].scope, &key, ty, value)
    }
}

/// The type that a port declares its key with. What is not listed declares no type.
pub fn declared(kind: &str, port: &str) -> Type {
    match (kind, port) {
        ("Inc", "n") | (_, "num_attempts" | "num_cycles") => Type::Int,
        (_, "success_count" | "failure_count" | "max_failures") => Type::Int,
        (_, "msec" | "delay_msec") => Type::Uint,
        (_, "then_skip" | "catch_on_halt") => Type::Bool,
        ("Precondition", "else") => Type::Status,
        ("LoopInt", "value") => Type::Int,
        ("LoopDouble", "value") => Type::Real,
        ("LoopBool", "value") => Type::Bool,
        ("LoopString", "value") => Type::Text,
        ("SetKey", "value" | "out") | ("EqualsKey", "a" | "b") => Type::Text,
        (_, "plan" | "code" | "if") => Type::Text,
        (switch, _) if switch.starts_with("Switch") => Type::Text,
        _ => Type::Any,
    }
}
