//! Values that are put together from keys: a part of a key's value, a text or JSON with keys inside.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::id::SlotId;
use crate::json_path::JsonPath;

/// A key, or a part of its value. `K` is the key's number in its definition, or its slot.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<K = SlotId> {
    /// The key.
    pub key: K,
    /// The way to the part; empty for the whole value.
    pub path: JsonPath,
}

/// Text or JSON with keys inside.
#[derive(Clone, Debug, PartialEq)]
pub enum Template<K = SlotId> {
    /// A value as it stands.
    Value(Json),
    /// The value of a key, or of a part of it.
    Part(Part<K>),
    /// Pieces put together to one text.
    Text(Vec<Piece<K>>),
    /// An array.
    Array(Vec<Template<K>>),
    /// An object.
    Object(Vec<(String, Template<K>)>),
}

/// A piece of a text template.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece<K = SlotId> {
    /// Text as it stands.
    Text(Arc<str>),
    /// The value of a key, or of a part of it.
    Value(Part<K>),
}

impl<K: Copy> Part<K> {
    pub(crate) fn map<T>(&self, slot: &mut impl FnMut(K) -> T) -> Part<T> {
        Part { key: slot(self.key), path: self.path.clone() }
    }
}

impl<K: Copy> Template<K> {
    /// The same template with other keys. Recursive: templates come from JSON texts, whose depth
    /// serde_json bounds at 128.
    pub(super) fn map<T>(&self, slot: &mut impl FnMut(K) -> T) -> Template<T> {
        match self {
            Self::Value(json) => Template::Value(json.clone()),
            Self::Part(part) => Template::Part(part.map(slot)),
            Self::Text(pieces) => Template::Text(pieces.iter().map(|piece| piece.map(slot)).collect()),
            Self::Array(items) => Template::Array(items.iter().map(|item| item.map(slot)).collect()),
            Self::Object(members) => Template::Object(
                members.iter().map(|(name, member)| (name.clone(), member.map(slot))).collect(),
            ),
        }
    }
}

impl<K> Template<K> {
    /// The keys inside, and parts of keys, in the order they are written in. Recursive as `map`.
    pub fn parts(&self) -> Vec<&Part<K>> {
        match self {
            Self::Value(_) => Vec::new(),
            Self::Part(part) => vec![part],
            Self::Text(pieces) => (pieces.iter())
                .filter_map(|piece| match piece {
                    Piece::Text(_) => None,
                    Piece::Value(part) => Some(part),
                })
                .collect(),
            Self::Array(items) => items.iter().flat_map(Self::parts).collect(),
            Self::Object(members) => members.iter().flat_map(|(_, member)| member.parts()).collect(),
        }
    }
}

impl<K: Copy> Piece<K> {
    fn map<T>(&self, slot: &mut impl FnMut(K) -> T) -> Piece<T> {
        match self {
            Self::Text(text) => Piece::Text(text.clone()),
            Self::Value(part) => Piece::Value(part.map(slot)),
        }
    }
}
