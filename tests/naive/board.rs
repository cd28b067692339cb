//! The board: keys of scopes. Where a key lives is found by walking, every time.

use std::collections::BTreeMap;

use helve::value::{Type, Value};

use super::Fault;
use super::number;

/// A key that is there.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// `Any` as long as nobody with a type has written or declared it.
    pub ty: Type,
    /// Nothing as long as nobody has written it.
    pub value: Option<Value>,
    /// How often it was written.
    pub seq: u64,
}

/// The keys of one tree instance.
#[derive(Default)]
pub struct Scope {
    /// The scope around it; nothing for the main tree.
    pub parent: Option<usize>,
    /// The keys that are another name for a key of the parent.
    pub remap: BTreeMap<String, String>,
    /// Whether every other key is the parent's of the same name.
    pub autoremap: bool,
    /// The path of the subtree.
    pub path: String,
    pub keys: BTreeMap<String, Entry>,
    /// The keys that the subtree was given as literals: they are its own.
    pub constants: Vec<String>,
}

/// All scopes; the first is the main tree's.
#[derive(Default)]
pub struct Board {
    pub scopes: Vec<Scope>,
}

impl Board {
    /// Where a key lives, and its name there.
    pub fn home(&self, scope: usize, key: &str) -> (usize, String) {
        if let Some(root) = key.strip_prefix('@') {
            return self.home(0, root);
        }
        let here = &self.scopes[scope];
        match here.parent {
            Some(parent) if here.remap.contains_key(key) => self.home(parent, &here.remap[key]),
            Some(parent)
                if here.autoremap && !key.starts_with('_') && !here.constants.iter().any(|it| it == key) =>
            {
                self.home(parent, key)
            }
            _ => (scope, key.to_owned()),
        }
    }

    pub fn entry(&self, scope: usize, key: &str) -> Option<&Entry> {
        let (home, name) = self.home(scope, key);
        self.scopes[home].keys.get(&name)
    }

    pub fn value(&self, scope: usize, key: &str) -> Option<&Value> {
        self.entry(scope, key)?.value.as_ref()
    }

    /// The entry of a key, made when it is not there.
    pub fn entry_mut(&mut self, scope: usize, key: &str) -> &mut Entry {
        let (home, name) = self.home(scope, key);
        self.scopes[home].keys.entry(name).or_default()
    }

    pub fn remove(&mut self, scope: usize, key: &str) {
        let (home, name) = self.home(scope, key);
        self.scopes[home].keys.remove(&name);
    }

    /// A port names the key: it is there from now on, of the port's type if it is new.
    pub fn declare(&mut self, scope: usize, key: &str, ty: Type) {
        let (home, name) = self.home(scope, key);
        self.scopes[home].keys.entry(name).or_insert(Entry { ty, ..Entry::default() });
    }

    /// A write by a port or by the application. A text has no type of its own: it is read as what the
    /// key holds.
    pub fn write(&mut self, scope: usize, key: &str, ty: Type, value: Value) -> Result<(), Fault> {
        let entry = self.entry_mut(scope, key);
        let is_text = matches!(value, Value::Text(_));
        let value = match (entry.ty, is_text) {
            (Type::Any, true) => value,
            (Type::Any, false) => {
                entry.ty = ty;
                value
            }
            (Type::Text, false) => return Err(format!("{key} is a text")),
            (known, _) => converted(value, known)?,
        };
        entry.value = Some(value);
        entry.seq += 1;
        Ok(())
    }

    /// A write by a script. The first fixes the kind, all others are converted into it.
    pub fn assign(&mut self, scope: usize, key: &str, value: Value) -> Result<(), Fault> {
        let entry = self.entry_mut(scope, key);
        let value = match (&entry.value, &value) {
            (None, Value::Text(_)) if entry.ty != Type::Any => converted(value, entry.ty)?,
            (None, _) => value,
            (Some(Value::Text(_)), Value::Text(_)) => value,
            (Some(Value::Text(_)), _) => return Err(format!("{key} holds a text")),
            (Some(_), Value::Text(_)) if entry.ty != Type::Any => converted(value, entry.ty)?,
            // Whatever number it was, it is a real now.
            (Some(_), Value::Text(_)) => converted(value, Type::Real)?,
            (Some(old), _) => {
                let kind = old.kind();
                converted(value, kind)?
            }
        };
        entry.value = Some(value);
        entry.seq += 1;
        Ok(())
    }
}

/// The value as a key of this type holds it.
pub fn converted(value: Value, ty: Type) -> Result<Value, Fault> {
    Ok(match ty {
        Type::Bool => match &value {
            Value::Text(text) => match &**text {
                "true" | "TRUE" | "True" | "1" => Value::Bool(true),
                "false" | "FALSE" | "False" | "0" => Value::Bool(false),
                _ => return Err(format!("{text:?} is no bool")),
            },
            other => Value::Bool(number::truth(other)?),
        },
        Type::Int | Type::Int64 | Type::Uint | Type::Uint64 => Value::Int(number::int(&value)?),
        Type::Real => Value::Real(number::real_in(&value, &BTreeMap::new())?),
        _ => value,
    })
}
