//! Where the members of a JSON object stand in their text.
//!
//! `serde_json` keeps no places. But a `RawValue` that is borrowed is a piece of the text itself, so
//! where it begins says where it stands; each level is read from the raw pieces of the one above.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::text::{Source, Span};

/// The members of an object as they stand, one of the same name as another included.
pub(crate) struct Pairs<'t>(pub Vec<(&'t RawValue, &'t RawValue)>);

impl<'de> Deserialize<'de> for Pairs<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Collect;

        impl<'de> Visitor<'de> for Collect {
            type Value = Pairs<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }

        from.deserialize_map(Collect)
    }
}

/// A piece of the text, by where its first byte lies.
pub(crate) fn place(source: &Source, piece: &str) -> Span {
    let start = (piece.as_ptr() as usize).saturating_sub(source.text().as_ptr() as usize);
    Span::new(start, start + piece.len())
}

/// The place of an error, from its line and column, which count bytes.
pub(crate) fn offset(text: &str, error: &serde_json::Error) -> usize {
    let before: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    (before + error.column().saturating_sub(1)).min(text.len())
}
