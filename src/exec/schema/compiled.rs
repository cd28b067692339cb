//! A tool's argument schema, compiled.

use std::fmt;
use std::sync::Arc;

use jsonschema::{ValidationError, Validator};
use serde_json::Value as Json;

use super::fault::{ArgumentFault, faults};
use super::fit::fit;
use super::shape::Shape;
use super::view::View;
use crate::call::{Arguments, ToolName};
use crate::exec::output::is_deeper;
use crate::limits::{ARGUMENT_HINTS_MAX, JSON_DEPTH_MAX};

/// The JSON Schema of a tool's arguments, ready to judge many calls.
pub struct ArgumentSchema {
    document: Json,
    validator: Validator,
    /// What decides most calls, when the schema is one of the common ones.
    shape: Option<Shape>,
    /// The properties that are filled in when they are missing; `None` when defaults stand where
    /// only a walk finds them.
    defaults: Option<Vec<String>>,
}

/// Arguments that fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The arguments, converted and completed: those that were given, shared, where nothing had to be.
    pub arguments: Arc<Arguments>,
    /// Whether they would have been refused as they were given, or as most tools read them.
    pub was_coerced: bool,
}

/// Why a JSON value is no schema of arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaFault {
    place: String,
    message: String,
}

impl fmt::Display for SchemaFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.place {
            "" => f.write_str(&self.message),
            place => write!(f, "at {place}: {}", self.message),
        }
    }
}

impl std::error::Error for SchemaFault {}

impl SchemaFault {
    /// Where in the schema, as a JSON pointer.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// What the validator says of a schema.
    pub(super) fn of(error: &ValidationError<'_>) -> Self {
        let place = error.instance_path().to_string();
        let message = match place.ends_with("/type") {
            // The validator's own words are about the schema of schemas.
            true => format!(
                "{} is no type; there are array, boolean, integer, null, number, object and string",
                error.instance()
            ),
            false => error.to_string(),
        };
        Self { place, message }
    }
}

impl ArgumentSchema {
    /// Compiles a schema. Nothing is fetched: a reference leads into the schema itself.
    ///
    /// # Errors
    /// When it is no JSON Schema, or one that no object can fit.
    pub fn new(schema: &Json) -> Result<Self, SchemaFault> {
        let fault = |place: &str, message: String| SchemaFault { place: place.to_owned(), message };
        if is_deeper(schema, JSON_DEPTH_MAX) {
            return Err(fault("", format!("it is nested deeper than {JSON_DEPTH_MAX} levels")));
        }
        let validator = jsonschema::options().build(schema).map_err(|error| SchemaFault::of(&error))?;
        let types = View::of(schema).map(View::types).unwrap_or_default();
        if schema == &Json::Bool(false) || !types.is_empty() && !types.contains(&"object") {
            return Err(fault("/type", "arguments are always an object, and it refuses objects".to_owned()));
        }
        let defaults = View::of(schema).and_then(|_| own_defaults(schema));
        Ok(Self { document: schema.clone(), validator, shape: Shape::of(schema), defaults })
    }

    /// The arguments as the tool gets them.
    ///
    /// # Errors
    /// Every fault that no conversion mends.
    pub fn fit(&self, given: &Arc<Arguments>) -> Result<Fitted, Vec<ArgumentFault>> {
        if let Some((arguments, was_coerced)) = self.shape.as_ref().and_then(|shape| shape.fit(given)) {
            return Ok(Fitted { arguments, was_coerced });
        }
        if given.values().any(|value| is_deeper(value, JSON_DEPTH_MAX - 1)) {
            let wanted = format!("nested deeper than {JSON_DEPTH_MAX} levels");
            return Err(vec![ArgumentFault { path: String::new(), given: None, wanted }]);
        }
        let mut fitted = Json::Object((**given).clone());
        let was_coerced = !self.takes_as_given(&fitted) && {
            let changed = View::of(&self.document).is_some_and(|schema| fit(&mut fitted, schema));
            if !self.validator.is_valid(&fitted) {
                return Err(self.faults(&fitted));
            }
            changed
        };
        match fitted {
            Json::Object(arguments) => Ok(Fitted { arguments: Arc::new(arguments), was_coerced }),
            // `{"anyOf": [{"type": "array"}]}` would have the arguments themselves wrapped in a list.
            _ => Err(self.faults(&Json::Object((**given).clone()))),
        }
    }

    /// Whether these arguments need no walk along the schema, which costs ten times the judging:
    /// what fits is left alone, but for defaults that are missing and doubles that are whole.
    fn takes_as_given(&self, given: &Json) -> bool {
        let is_complete = |defaults: &Vec<String>| defaults.iter().all(|name| given.get(name).is_some());
        self.defaults.as_ref().is_some_and(is_complete)
            && !holds_double(given)
            && self.validator.is_valid(given)
    }

    fn faults(&self, arguments: &Json) -> Vec<ArgumentFault> {
        let errors = self.validator.iter_errors(arguments);
        match View::of(&self.document) {
            Some(document) => errors.flat_map(|error| faults(&error, document)).collect(),
            None => errors.map(|error| unplaced(error.masked().to_string())).collect(),
        }
    }

    /// What the tool takes, for whoever is to correct a call.
    pub fn hint(&self, tool: &ToolName) -> String {
        let Some(schema) = View::of(&self.document) else {
            return format!("{tool} takes an object");
        };
        let mut names: Vec<String> = schema
            .properties()
            .map(|(name, property)| match property.get("default").filter(|default| !default.is_null()) {
                Some(default) => format!("{name} ({}, {default} when left out)", property.wish()),
                None if schema.requires(name) => format!("{name} ({})", property.wish()),
                None => format!("{name} ({}, optional)", property.wish()),
            })
            .collect();
        if names.is_empty() {
            return format!("{tool} names no arguments");
        }
        if names.len() > ARGUMENT_HINTS_MAX {
            names.truncate(ARGUMENT_HINTS_MAX);
            names.push("...".to_owned());
        }
        format!("{tool} takes: {}", names.join(", "))
    }
}

/// The properties of the schema itself that have a default; `None` when the word stands anywhere
/// else too, or when parts of the schema are elsewhere.
fn own_defaults(schema: &Json) -> Option<Vec<String>> {
    let properties = schema.get("properties").and_then(Json::as_object);
    let own: Vec<String> = properties
        .into_iter()
        .flatten()
        .filter(|(_, property)| property.get("default").is_some())
        .map(|(name, _)| name.clone())
        .collect();
    (count_defaults(schema) == own.len()).then_some(own)
}

fn count_defaults(schema: &Json) -> usize {
    match schema {
        Json::Array(items) => items.iter().map(count_defaults).sum(),
        Json::Object(members) => {
            members.values().map(count_defaults).sum::<usize>() + usize::from(members.contains_key("default"))
        }
        _ => 0,
    }
}

fn holds_double(value: &Json) -> bool {
    match value {
        Json::Number(number) => number.is_f64(),
        Json::Array(items) => items.iter().any(holds_double),
        Json::Object(members) => members.values().any(holds_double),
        _ => false,
    }
}

fn unplaced(wanted: String) -> ArgumentFault {
    ArgumentFault { path: String::new(), given: None, wanted }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn arguments(value: Json) -> Arc<Arguments> {
        match value {
            Json::Object(arguments) => Arc::new(arguments),
            other => panic!("{other} is no object"),
        }
    }

    #[track_caller]
    fn check(property: Json, given: Json, told: &str) {
        let schema = json!({
            "properties": {"a": property},
            "additionalProperties": false,
            "$defs": {"sort": {"enum": ["asc", "desc"]}},
        });
        let schema = ArgumentSchema::new(&schema).unwrap();
        let faults = schema.fit(&arguments(given)).err().unwrap_or_default();
        let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(faults.join("; "), told);
    }

    #[test]
    fn a_fault_says_where_what_was_given_and_what_is_wanted() {
        check(json!({"type": "integer"}), json!({"a": 1}), "");
        check(json!({"type": "integer"}), json!({"a": "x"}), "a: wanted integer, given \"x\"");
        check(json!({"minimum": 1}), json!({"a": 0}), "a: the value is less than the minimum of 1, given 0");
        check(
            json!({"$ref": "#/$defs/sort"}),
            json!({"a": "up"}),
            "a: wanted \"asc\" or \"desc\", given \"up\"",
        );
        let maybe = json!({"anyOf": [{"$ref": "#/$defs/sort"}, {"type": "null"}]});
        check(maybe, json!({"a": 1}), "a: wanted \"asc\" or \"desc\" or null, given 1");
        let list = json!({"items": {"required": ["path"], "properties": {"path": {"type": "string"}}}});
        check(list.clone(), json!({"a": [{"path": "x"}, {}]}), "a[1].path: missing, wanted string");
        check(list, json!({"a": [{"path": []}]}), "a[0].path: wanted string, given []");
        check(json!({}), json!({"b": 1}), "b: unknown");
        let near = json!({"properties": {"limit": {}}, "additionalProperties": false});
        check(near, json!({"a": {"limt": 1}}), "a.limt: unknown, did you mean `limit`?");
        check(json!(false), json!({"a": 1}), "a: false schema does not allow the value, given 1");
    }

    #[test]
    fn a_long_value_is_cut_and_a_secret_not_shown() {
        let long = "s".repeat(100);
        let told = format!("a: wanted integer, given \"{}... (102 characters)", "s".repeat(39));
        check(json!({"type": "integer"}), json!({"a": long}), &told);
        let secret = json!({"type": "string", "maxLength": 3, "writeOnly": true});
        let told = "a: the value is longer than 3 characters, given a string that is not shown";
        check(secret, json!({"a": "hunter2"}), told);
    }

    #[test]
    fn arguments_that_are_too_deep_are_refused_before_they_are_walked() {
        let deep = (0..JSON_DEPTH_MAX).fold(Json::Null, |inner, _| json!([inner]));
        check(json!({}), json!({"a": deep}), "arguments: nested deeper than 127 levels");
    }

    #[test]
    fn what_no_arguments_can_fit_is_no_schema() {
        let told = |schema| ArgumentSchema::new(&schema).err().map(|fault| fault.to_string());
        assert_eq!(told(json!({})), None);
        assert_eq!(told(json!(true)), None);
        assert_eq!(told(json!({"type": ["object", "null"]})), None);
        let never = Some("at /type: arguments are always an object, and it refuses objects".to_owned());
        assert_eq!(told(json!({"type": "string"})), never);
        assert!(told(json!({"type": "objekt"})).unwrap().starts_with("at /type: "));
        assert!(told(json!({"$ref": "https://example.com/schema.json"})).is_some());
        assert!(told(json!({"properties": {"a": {"pattern": "("}}})).is_some());
    }

    #[test]
    fn the_hint_lists_so_many_arguments_and_no_more() {
        let many: Json = (0..40).map(|n| (format!("a{n:02}"), json!({}))).collect();
        let hint = ArgumentSchema::new(&json!({"properties": many})).unwrap().hint(&"t".into());
        assert!(hint.ends_with("a23 (any value, optional), ..."), "{hint}");
    }

    #[test]
    fn the_arguments_themselves_stay_an_object() {
        let lists = ArgumentSchema::new(&json!({"anyOf": [{"type": "array"}]})).unwrap();
        let faults = lists.fit(&arguments(json!({"a": 1}))).unwrap_err();
        assert_eq!(faults[0].to_string(), "arguments: wanted array, given {\"a\":1}");
    }

    #[test]
    fn a_schema_that_only_refers_to_itself_takes_everything_and_overflows_nothing() {
        let given = arguments(json!({"a": 1}));
        for knot in
            [json!({"$ref": "#"}), json!({"allOf": [{"$ref": "#"}]}), json!({"anyOf": [{"$ref": "#"}]})]
        {
            let fitted = ArgumentSchema::new(&knot).unwrap().fit(&given).unwrap();
            assert_eq!(fitted, Fitted { arguments: given.clone(), was_coerced: false });
        }
    }

    fn any_json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<i32>().prop_map(Json::from),
            "[a-z0-9\\[\\]{}\"]{0,6}".prop_map(Json::from),
            (-9i32..9).prop_map(|n| json!(f64::from(n) / 2.0)),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
                prop::collection::btree_map("[ab]", inner, 0..3)
                    .prop_map(|it| Json::Object(it.into_iter().collect())),
            ]
        })
    }

    fn any_schema() -> impl Strategy<Value = Json> {
        let types = prop::sample::select(vec!["null", "boolean", "number", "string", "array", "object"]);
        let leaf = types.prop_map(|name| json!({"type": name}));
        leaf.prop_recursive(3, 16, 3, |inner| {
            prop_oneof![
                inner.clone().prop_map(|item| json!({"type": "array", "items": item})),
                prop::collection::btree_map("[ab]", inner.clone(), 0..3)
                    .prop_map(|properties| json!({"type": "object", "properties": properties})),
                prop::collection::vec(inner.clone(), 1..3).prop_map(|any| json!({"anyOf": any})),
                prop::collection::vec(inner, 1..3).prop_map(|all| json!({"allOf": all})),
            ]
        })
    }

    /// A schema of what a shape reads, and a little of what it does not.
    fn plain_schema() -> impl Strategy<Value = Json> {
        let types = prop::sample::select(vec![
            json!("null"),
            json!("boolean"),
            json!("integer"),
            json!("number"),
            json!("string"),
            json!(["integer", "null"]),
            json!(["array", "string"]),
        ]);
        let bound = prop::option::of(prop_oneof![
            (-4i64..4).prop_map(|n| json!({"minimum": n})),
            (-4i64..4).prop_map(|n| json!({"maximum": n})),
            (0u64..4).prop_map(|n| json!({"minLength": n})),
            (0u64..4).prop_map(|n| json!({"maxLength": n})),
            (0u64..2).prop_map(|n| json!({"minItems": n})),
            any_json().prop_map(|value| json!({"default": value})),
            Just(json!({"enum": ["a", "b", ""]})),
            Just(json!({"format": "date"})),
            Just(json!({"pattern": "a"})),
        ]);
        let leaf = (prop::option::of(types), bound).prop_map(|(types, bound)| {
            let mut schema = bound.unwrap_or_else(|| json!({}));
            types.into_iter().for_each(|types| schema["type"] = types);
            schema
        });
        leaf.prop_recursive(2, 8, 3, |inner| {
            prop_oneof![
                inner.clone().prop_map(|item| json!({"type": "array", "items": item})),
                object_of(inner),
            ]
        })
    }

    fn object_of(inner: BoxedStrategy<Json>) -> impl Strategy<Value = Json> {
        let properties = prop::collection::btree_map("[abc]", inner.clone(), 0..3);
        let required = prop::collection::btree_set("[ab]", 0..2);
        let others = prop_oneof![Just(json!(true)), Just(json!(false)), inner.clone()];
        (properties, required, prop::option::of(others)).prop_map(|(properties, required, others)| {
            let mut schema = json!({"properties": properties, "required": required});
            others.into_iter().for_each(|others| schema["additionalProperties"] = others);
            schema
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        /// The shape is a short cut: what it lets through, the long way makes the same of.
        #[test]
        fn a_shape_says_what_the_long_way_says(
            document in object_of(plain_schema().boxed()),
            given in prop::collection::btree_map("[abc]", any_json(), 0..3),
        ) {
            let schema = ArgumentSchema::new(&document).unwrap();
            let given: Arc<Arguments> = Arc::new(given.into_iter().collect());
            let short = schema.fit(&given);
            let long = ArgumentSchema { shape: None, ..schema }.fit(&given);
            prop_assert_eq!(short, long);
        }
    }

    #[test]
    fn the_common_schemas_have_a_shape_and_what_it_cannot_say_has_none() {
        let has_shape = |schema: Json| ArgumentSchema::new(&schema).unwrap().shape.is_some();
        let common = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Find",
            "type": "object",
            "properties": {
                "query": {"type": "string", "minLength": 1, "description": "what"},
                "limit": {"type": "integer", "format": "uint32", "minimum": 0, "default": 20},
                "sort": {"type": "string", "enum": ["up", "down"]},
                "folders": {"type": "array", "items": {"type": "string"}},
                "deep": {"type": ["object", "null"], "properties": {"a": {}}, "required": ["a"]},
            },
            "required": ["query"],
            "additionalProperties": false,
        });
        assert!(has_shape(common));
        let deep = json!({"properties": {"a": {"properties": {"b": {"default": 1}}}}});
        let unfit = json!({"properties": {"a": {"type": "integer", "default": "x"}}});
        let old = json!({"$schema": "http://json-schema.org/draft-07/schema#"});
        for schema in [deep, unfit, old, json!({"anyOf": [{}]}), json!({"required": ["a"]})] {
            assert!(!has_shape(schema.clone()), "{schema}");
        }
    }

    proptest! {
        /// Without defaults, and with no whole doubles for integers: what fits is never touched,
        /// and what is let through fits.
        #[test]
        fn what_fits_is_left_alone_and_what_passes_fits(property in any_schema(), value in any_json()) {
            let document = json!({"properties": {"a": property}});
            let schema = ArgumentSchema::new(&document).unwrap();
            let given = json!({"a": value});
            match schema.fit(&arguments(given.clone())) {
                Ok(fitted) if jsonschema::is_valid(&document, &given) => {
                    prop_assert_eq!(&json!(fitted.arguments), &given);
                    prop_assert!(!fitted.was_coerced);
                }
                Ok(fitted) => {
                    prop_assert!(fitted.was_coerced);
                    prop_assert!(jsonschema::is_valid(&document, &json!(fitted.arguments)));
                }
                Err(faults) => {
                    prop_assert!(!faults.is_empty());
                    prop_assert!(!jsonschema::is_valid(&document, &given));
                }
            }
        }
    }
}
