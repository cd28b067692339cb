//! The walk down schema and arguments together: types are converted, defaults filled in.
//!
//! Only what a type forbids is touched, so that arguments which fit already are left as they are,
//! apart from defaults and from whole doubles where an integer is wanted.

use serde_json::{Map, Value as Json};

use super::convert::{convert, is_of};
use super::view::View;
use crate::limits::{SCHEMA_ASIDE_MAX, SCHEMA_DEPTH_MAX};

/// Makes `value` fit `schema` as far as it goes. Answers whether anything was changed that the
/// schema did not leave open: filling in an optional property's default is no change.
pub(super) fn fit(value: &mut Json, schema: View<'_>) -> bool {
    fit_at(value, schema, Steps::default())
}

/// How far the walk has come.
#[derive(Clone, Copy, Default)]
struct Steps {
    /// Into values: a schema that refers to itself could wrap a value in lists for ever.
    down: usize,
    /// Into parts of the schema for one and the same value. Each may fork, so these are few.
    aside: usize,
}

impl Steps {
    fn down(self) -> Self {
        Self { down: self.down + 1, aside: 0 }
    }

    fn aside(self) -> Self {
        Self { aside: self.aside + 1, ..self }
    }

    fn is_too_far(self) -> bool {
        self.down > SCHEMA_DEPTH_MAX || self.aside > SCHEMA_ASIDE_MAX
    }
}

fn fit_at(value: &mut Json, schema: View<'_>, steps: Steps) -> bool {
    if steps.is_too_far() {
        return false;
    }
    let mut changed = retype(value, &schema.types());
    changed |= match value {
        Json::Object(members) => fit_members(members, schema, steps),
        Json::Array(items) => fit_items(items, schema, steps),
        _ => false,
    };
    for part in schema.list("allOf") {
        changed |= fit_at(value, part, steps.aside());
    }
    changed | fit_branch(value, &schema.branches(), steps)
}

fn retype(value: &mut Json, types: &[&str]) -> bool {
    if types.is_empty() || types.iter().any(|name| is_of(value, name)) {
        return false;
    }
    match types.iter().find_map(|name| convert(value, name)) {
        Some(converted) => {
            *value = converted;
            true
        }
        None => false,
    }
}

fn fit_members(members: &mut Map<String, Json>, schema: View<'_>, steps: Steps) -> bool {
    let mut changed = false;
    for (name, value) in members.iter_mut() {
        if let Some(property) = schema.property(name) {
            changed |= fit_at(value, property, steps.down());
        }
    }
    for (name, property) in schema.properties().filter(|(_, property)| property.get("default").is_some()) {
        if let (false, Some(default)) = (members.contains_key(name), property.get("default")) {
            members.insert(name.clone(), default.clone());
            changed |= schema.requires(name);
        }
    }
    changed
}

fn fit_items(items: &mut [Json], schema: View<'_>, steps: Steps) -> bool {
    items.iter_mut().enumerate().fold(false, |changed, (index, value)| {
        changed | schema.item(index).is_some_and(|item| fit_at(value, item, steps.down()))
    })
}

/// Goes down the one branch that takes values of this type. When several do, which one was meant
/// is a guess, and when the value fits one of them, changing it for another would be a mistake:
/// it stays. When none does, the first branch that it can be converted for is taken.
fn fit_branch(value: &mut Json, branches: &[View<'_>], steps: Steps) -> bool {
    let taking: Vec<_> = branches.iter().filter(|branch| takes(**branch, value, steps)).collect();
    match taking[..] {
        [only] => fit_at(value, *only, steps.aside()),
        [] => branches.iter().any(|branch| fit_at(value, *branch, steps.aside())),
        _ => false,
    }
}

fn takes(schema: View<'_>, value: &Json, steps: Steps) -> bool {
    if steps.is_too_far() {
        return true;
    }
    let types = schema.types();
    let branches = schema.branches();
    (types.is_empty() || types.iter().any(|name| is_of(value, name)))
        && (branches.is_empty() || branches.iter().any(|branch| takes(*branch, value, steps.aside())))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(schema: Json, value: Json, fitted: Json, changed: bool) {
        let mut found = value.clone();
        let did = View::of(&schema).is_some_and(|schema| fit(&mut found, schema));
        assert_eq!((found.to_string(), did), (fitted.to_string(), changed), "{value} for {schema}");
    }

    fn of(property: Json) -> Json {
        json!({"type": "object", "properties": {"a": property}})
    }

    #[test]
    fn properties_and_items_are_converted_wherever_they_stand() {
        check(of(json!({"type": "integer"})), json!({"a": "5"}), json!({"a": 5}), true);
        let deep = of(json!({"type": "array", "items": of(json!({"type": "boolean"}))}));
        check(deep, json!({"a": {"a": "true"}}), json!({"a": [{"a": true}]}), true);
        let open = json!({"additionalProperties": {"type": "string"}});
        check(open, json!({"any": 1}), json!({"any": "1"}), true);
        let pair = of(json!({"prefixItems": [{"type": "string"}, {"type": "integer"}]}));
        check(pair, json!({"a": [1, "1"]}), json!({"a": ["1", 1]}), true);
    }

    #[test]
    fn defaults_are_filled_in_and_count_only_where_a_value_was_required() {
        let schema = of(json!({"type": "integer", "default": 20}));
        check(schema.clone(), json!({}), json!({"a": 20}), false);
        check(schema.clone(), json!({"a": 1}), json!({"a": 1}), false);
        let mut required = schema;
        required["required"] = json!(["a"]);
        check(required, json!({}), json!({"a": 20}), true);
    }

    #[test]
    fn a_value_that_fits_one_branch_is_left_alone() {
        let either = of(json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}));
        check(either.clone(), json!({"a": "5"}), json!({"a": "5"}), false);
        check(either, json!({"a": true}), json!({"a": "true"}), true);
        let maybe = of(json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}));
        check(maybe.clone(), json!({"a": null}), json!({"a": null}), false);
        check(maybe, json!({"a": "5"}), json!({"a": 5}), true);
        let inside = of(json!({"oneOf": [of(json!({"type": "integer"})), {"type": "null"}]}));
        check(inside, json!({"a": {"a": "5"}}), json!({"a": {"a": 5}}), true);
        check(of(json!({"type": ["integer", "null"]})), json!({"a": "5"}), json!({"a": 5}), true);
    }

    #[test]
    fn whole_doubles_become_integers_only_where_no_number_is_wanted() {
        check(of(json!({"type": "integer"})), json!({"a": 1.0}), json!({"a": 1}), true);
        check(of(json!({"type": "number"})), json!({"a": 1.0}), json!({"a": 1.0}), false);
    }

    #[test]
    fn a_schema_that_refers_to_itself_is_walked_to_an_end() {
        let knot = json!({"anyOf": [{"$ref": "#"}], "type": "object"});
        check(knot.clone(), json!({}), json!({}), false);
        check(json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}), json!({"a": 1}), json!({"a": 1}), false);
        let lists = json!({"type": "array", "items": {"$ref": "#"}});
        let mut value = json!(1);
        assert!(View::of(&lists).is_some_and(|lists| fit(&mut value, lists)));
    }
}
