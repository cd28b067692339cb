//! How a JSON Schema is read: references followed, types listed, its wish put in words.

use serde_json::{Map, Value as Json};

use crate::limits::SCHEMA_DEPTH_MAX;

/// A schema inside a document, references followed.
#[derive(Clone, Copy)]
pub(super) struct View<'s> {
    document: &'s Json,
    schema: &'s Map<String, Json>,
}

impl<'s> View<'s> {
    /// The document itself as a schema; `None` for `true`, `false` and a reference into nowhere.
    pub fn of(document: &'s Json) -> Option<Self> {
        Self::at(document, document)
    }

    fn at(document: &'s Json, schema: &'s Json) -> Option<Self> {
        let mut schema = schema.as_object()?;
        for _ in 0..SCHEMA_DEPTH_MAX {
            let Some(reference) = schema.get("$ref").and_then(Json::as_str) else {
                return Some(Self { document, schema });
            };
            schema = document.pointer(reference.strip_prefix('#')?)?.as_object()?;
        }
        None
    }

    /// The schema at a pointer into the document.
    pub fn find(self, pointer: &str) -> Option<Self> {
        Self::at(self.document, self.document.pointer(pointer)?)
    }

    /// What stands under a keyword.
    pub fn get(self, keyword: &str) -> Option<&'s Json> {
        self.schema.get(keyword)
    }

    /// The types that it names; empty when it names none.
    pub fn types(self) -> Vec<&'s str> {
        match self.get("type") {
            Some(Json::String(name)) => vec![name],
            Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// The schemas of a keyword that holds a list: `allOf`, `anyOf`, `prefixItems`.
    pub fn list(self, keyword: &str) -> impl Iterator<Item = Self> + use<'s> {
        let schemas = self.get(keyword).and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        schemas.iter().filter_map(move |schema| Self::at(self.document, schema))
    }

    /// The branches of which one is to fit.
    pub fn branches(self) -> Vec<Self> {
        self.list("anyOf").chain(self.list("oneOf")).collect()
    }

    /// The properties that it names.
    pub fn properties(self) -> impl Iterator<Item = (&'s String, Self)> + use<'s> {
        let properties = self.get("properties").and_then(Json::as_object).into_iter().flatten();
        properties.filter_map(move |(name, schema)| Some((name, Self::at(self.document, schema)?)))
    }

    /// The schema of the property `name`, also of one that only `additionalProperties` allows.
    pub fn property(self, name: &str) -> Option<Self> {
        let named = self.get("properties").and_then(|properties| properties.get(name));
        Self::at(self.document, named.or_else(|| self.get("additionalProperties"))?)
    }

    /// The schema of the item at `index`.
    pub fn item(self, index: usize) -> Option<Self> {
        let leading = self.get("prefixItems").and_then(|items| items.get(index));
        Self::at(self.document, leading.or_else(|| self.get("items"))?)
    }

    /// Whether the property `name` must be there.
    pub fn requires(self, name: &str) -> bool {
        let required = self.get("required").and_then(Json::as_array);
        required.is_some_and(|names| names.iter().any(|required| required == name))
    }

    /// Whether its values are not to be shown.
    pub fn is_secret(self) -> bool {
        self.get("writeOnly") == Some(&Json::Bool(true))
            || self.get("format").and_then(Json::as_str) == Some("password")
    }

    /// What it wants, in a few words: `integer`, `"a" or "b"`, `array of string`.
    pub fn wish(self) -> String {
        self.wish_at(0)
    }

    fn wish_at(self, depth: usize) -> String {
        if let Some(options) = self.get("enum").and_then(Json::as_array) {
            return one_of(options.iter().map(ToString::to_string).collect());
        }
        if let Some(constant) = self.get("const") {
            return constant.to_string();
        }
        // Past this depth the words would be longer than the schema.
        let branches = if depth < 3 { self.branches() } else { Vec::new() };
        if !branches.is_empty() {
            return one_of(branches.into_iter().map(|branch| branch.wish_at(depth + 1)).collect());
        }
        let types = self.types().into_iter().map(|name| match self.item(0) {
            Some(item) if name == "array" && depth < 3 => format!("array of {}", item.wish_at(depth + 1)),
            _ => name.to_owned(),
        });
        one_of(types.collect())
    }
}

fn one_of(mut words: Vec<String>) -> String {
    words.dedup();
    match words.len() {
        0 => "any value".to_owned(),
        _ => words.join(" or "),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(schema: Json, wish: &str) {
        assert_eq!(View::of(&schema).map(View::wish).as_deref(), Some(wish));
    }

    #[test]
    fn a_schema_says_in_words_what_it_wants() {
        check(json!({}), "any value");
        check(json!({"type": "integer", "minimum": 1}), "integer");
        check(json!({"type": ["string", "null"]}), "string or null");
        check(json!({"enum": ["asc", "desc"]}), r#""asc" or "desc""#);
        check(json!({"const": 1}), "1");
        check(json!({"type": "array", "items": {"type": "string"}}), "array of string");
        check(
            json!({"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}], "$defs": {"n": {"type": "number"}}}),
            "number or null",
        );
    }

    #[test]
    fn a_schema_that_refers_to_itself_is_read_to_an_end() {
        assert!(View::of(&json!({"$ref": "#"})).is_none());
        check(json!({"type": "array", "items": {"$ref": "#"}}), "array of array of array of array");
    }
}
