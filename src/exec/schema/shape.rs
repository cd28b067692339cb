//! The common schemas as a check that is made in one walk: an object of plain values, lists and
//! objects, with bounds on numbers and texts.
//!
//! A shape only ever says *certainly*: certainly these arguments fit as they are given, and nothing
//! would be converted. Of all others, and of every schema that says more than is read here, the
//! validator and the walk of `fit` decide. They cost ten times as much.

use std::ops::RangeInclusive;
use std::sync::Arc;

use serde_json::{Map, Number, Value as Json};

use crate::call::Arguments;
use crate::exec::output::is_deeper;
use crate::limits::JSON_DEPTH_MAX;

/// The one dialect whose `format` asserts nothing and whose keywords mean what is read here.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
/// What asserts nothing.
const ANNOTATIONS: [&str; 9] = [
    "$schema",
    "title",
    "description",
    "default",
    "examples",
    "format",
    "deprecated",
    "readOnly",
    "writeOnly",
];
/// Doubles are exact up to here, so that comparing them with whole numbers is.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// A schema of arguments as a shape, with what it fills in.
pub(super) struct Shape {
    root: Part,
    filled: Vec<Filled>,
}

/// A property that is filled in when it is missing.
struct Filled {
    name: String,
    value: Json,
    /// Whether arguments without it do not fit: then filling it in is a conversion.
    is_required: bool,
}

/// A schema of one value. Bounds of a type that the value is not of say nothing.
#[derive(Debug, PartialEq)]
struct Part {
    types: Types,
    /// Of a text, in characters.
    chars: RangeInclusive<u64>,
    /// Of a text: one of these.
    words: Option<Vec<String>>,
    /// Of a number.
    least: Option<Number>,
    most: Option<Number>,
    /// Of a list.
    items: RangeInclusive<u64>,
    item: Option<Box<Part>>,
    members: Members,
}

/// Of an object.
#[derive(Debug, PartialEq)]
struct Members {
    /// By name.
    named: Vec<Member>,
    required: usize,
    others: Others,
}

/// Members that are not named.
#[derive(Debug, PartialEq)]
enum Others {
    Anything,
    Nothing,
    Each(Box<Part>),
}

#[derive(Debug, PartialEq)]
struct Member {
    name: String,
    part: Part,
    is_required: bool,
}

/// A set of JSON types.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Types(u8);

impl Types {
    const ALL: Self = Self(u8::MAX);
    const NULL: u8 = 1;
    const BOOLEAN: u8 = 2;
    const INTEGER: u8 = 4;
    const DOUBLE: u8 = 8;
    const STRING: u8 = 16;
    const ARRAY: u8 = 32;
    const OBJECT: u8 = 64;

    fn named(name: &Json) -> Option<u8> {
        Some(match name.as_str()? {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            // A whole double is an integer to JSON Schema and is converted: that is no certainty.
            "integer" => Self::INTEGER,
            "number" => Self::INTEGER | Self::DOUBLE,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => return None,
        })
    }

    fn read(schema: &Map<String, Json>) -> Option<Self> {
        match schema.get("type") {
            None => Some(Self::ALL),
            Some(Json::Array(names)) => {
                names.iter().try_fold(0, |all, name| Some(all | Self::named(name)?)).map(Self)
            }
            Some(name) => Self::named(name).map(Self),
        }
    }

    fn hold(self, value: &Json) -> bool {
        let of = match value {
            Json::Null => Self::NULL,
            Json::Bool(_) => Self::BOOLEAN,
            Json::Number(number) if number.is_f64() => Self::DOUBLE,
            Json::Number(_) => Self::INTEGER,
            Json::String(_) => Self::STRING,
            Json::Array(_) => Self::ARRAY,
            Json::Object(_) => Self::OBJECT,
        };
        self.0 & of != 0
    }
}

impl Shape {
    /// The shape of a schema that says nothing else.
    pub fn of(schema: &Json) -> Option<Self> {
        if schema.get("$schema").is_some_and(|dialect| dialect != DIALECT) {
            return None;
        }
        let root = Part::read(schema, 0).filter(|root| root.words.is_none())?;
        let properties = schema.get("properties").and_then(Json::as_object).into_iter().flatten();
        let mut filled = Vec::new();
        for (name, property) in properties {
            let Some(value) = property.get("default") else { continue };
            let member = &root.members.named[root.members.find(name)?];
            if !member.part.takes(value, JSON_DEPTH_MAX - 1) {
                return None;
            }
            let (name, value, is_required) = (name.clone(), value.clone(), member.is_required);
            filled.push(Filled { name, value, is_required });
        }
        Some(Self { root, filled })
    }

    /// The arguments with all that is filled in, and whether that changed what they say, when they
    /// certainly fit.
    pub fn fit(&self, given: &Arc<Arguments>) -> Option<(Arc<Arguments>, bool)> {
        let found = self.root.members.take(given, JSON_DEPTH_MAX - 1)?;
        let mut missing = Vec::new();
        // Mostly all that is named is there, and then nothing is looked for.
        if found.named < self.root.members.named.len() {
            missing.extend(self.filled.iter().filter(|it| !given.contains_key(&it.name)));
        }
        let converted = missing.iter().filter(|it| it.is_required).count();
        if found.required + converted < self.root.members.required {
            return None;
        }
        let mut fitted = given.clone();
        if !missing.is_empty() {
            let missing = missing.into_iter().map(|it| (it.name.clone(), it.value.clone()));
            Arc::make_mut(&mut fitted).extend(missing);
        }
        Some((fitted, converted > 0))
    }
}

impl Part {
    fn read(schema: &Json, depth: usize) -> Option<Self> {
        let schema = match schema {
            Json::Object(schema) => schema,
            Json::Bool(true) => &Map::new(),
            _ => return None,
        };
        if !schema.keys().all(|keyword| is_read(keyword, depth)) {
            return None;
        }
        Some(Self {
            types: Types::read(schema)?,
            chars: range(schema, "minLength", "maxLength")?,
            words: words(schema)?,
            least: bound(schema, "minimum")?,
            most: bound(schema, "maximum")?,
            items: range(schema, "minItems", "maxItems")?,
            item: schema.get("items").map_or(Some(None), |item| Self::inside(item, depth).map(Some))?,
            members: Members::read(schema, depth)?,
        })
    }

    fn inside(schema: &Json, depth: usize) -> Option<Box<Self>> {
        Self::read(schema, depth + 1).map(Box::new)
    }

    /// Recursive, and no deeper than `depth_left`.
    fn takes(&self, value: &Json, depth_left: usize) -> bool {
        self.types.hold(value)
            && match value {
                Json::Null | Json::Bool(_) => self.words.is_none(),
                Json::Number(number) => self.words.is_none() && self.takes_number(number),
                Json::String(text) => self.takes_text(text),
                Json::Array(items) => self.words.is_none() && self.takes_list(items, depth_left),
                Json::Object(members) => self.words.is_none() && self.takes_object(members, depth_left),
            }
    }

    fn takes_number(&self, number: &Number) -> bool {
        self.least.as_ref().is_none_or(|least| is_at_most(least, number))
            && self.most.as_ref().is_none_or(|most| is_at_most(number, most))
    }

    fn takes_text(&self, text: &str) -> bool {
        // As many bytes as characters, or up to four times as many: mostly that decides.
        let bytes = text.len() as u64;
        let holds = *self.chars.start() <= bytes.div_ceil(4) && bytes <= *self.chars.end();
        (holds || self.chars.contains(&(text.chars().count() as u64)))
            && self.words.as_ref().is_none_or(|words| words.iter().any(|word| word == text))
    }

    fn takes_object(&self, members: &Map<String, Json>, depth_left: usize) -> bool {
        let found = depth_left.checked_sub(1).and_then(|inside| self.members.take(members, inside));
        found.is_some_and(|found| found.required == self.members.required)
    }

    fn takes_list(&self, items: &[Json], depth_left: usize) -> bool {
        let Some(inside) = depth_left.checked_sub(1) else { return false };
        self.items.contains(&(items.len() as u64))
            && match &self.item {
                Some(item) => items.iter().all(|value| item.takes(value, inside)),
                None => items.iter().all(|value| !is_deeper(value, inside)),
            }
    }
}

impl Members {
    fn read(schema: &Map<String, Json>, depth: usize) -> Option<Self> {
        let (nothing, nobody) = (Map::new(), Vec::new());
        let required = schema.get("required").map_or(Some(&nobody), Json::as_array)?;
        let properties = schema.get("properties").map_or(Some(&nothing), Json::as_object)?;
        let mut named = Vec::with_capacity(properties.len());
        for (name, property) in properties {
            let is_required = required.iter().any(|wanted| wanted == name);
            named.push(Member { name: name.clone(), part: Part::read(property, depth + 1)?, is_required });
        }
        named.sort_by(|one, other| one.name.cmp(&other.name));
        let counted = named.iter().filter(|member| member.is_required).count();
        let others = match schema.get("additionalProperties") {
            None => Others::Anything,
            Some(Json::Bool(false)) => Others::Nothing,
            Some(others) => Others::Each(Part::inside(others, depth)?),
        };
        // One that is required and has no property, or is named twice, is not counted so simply.
        (counted == required.len()).then_some(Self { named, required: counted, others })
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.named.binary_search_by(|member| (*member.name).cmp(name)).ok()
    }

    /// How many of the members are named and required, when all of them certainly fit.
    fn take(&self, members: &Map<String, Json>, depth_left: usize) -> Option<Found> {
        let mut found = Found { named: 0, required: 0 };
        let mut place = 0;
        for (name, value) in members {
            // Both are sorted, and mostly the next one here is the next one there.
            let is_next = self.named.get(place).is_some_and(|member| member.name == *name);
            let fits = match (if is_next { Some(place) } else { self.find(name) }, &self.others) {
                (Some(at), _) => {
                    let member = &self.named[at];
                    place = at + 1;
                    found.named += 1;
                    found.required += usize::from(member.is_required);
                    member.part.takes(value, depth_left)
                }
                (None, Others::Each(others)) => others.takes(value, depth_left),
                (None, Others::Anything) => !is_deeper(value, depth_left),
                (None, Others::Nothing) => false,
            };
            if !fits {
                return None;
            }
        }
        Some(found)
    }
}

/// How many members of an object were found.
struct Found {
    named: usize,
    required: usize,
}

/// Whether all that a keyword may say is read, or says nothing. Defaults are filled in at the top only.
fn is_read(keyword: &str, depth: usize) -> bool {
    const ASSERTIONS: [&str; 12] = [
        "type",
        "minLength",
        "maxLength",
        "enum",
        "minimum",
        "maximum",
        "minItems",
        "maxItems",
        "items",
        "properties",
        "required",
        "additionalProperties",
    ];
    ASSERTIONS.contains(&keyword) || ANNOTATIONS.contains(&keyword) && (keyword != "default" || depth == 1)
}

fn range(schema: &Map<String, Json>, least: &str, most: &str) -> Option<RangeInclusive<u64>> {
    let least = schema.get(least).map_or(Some(0), Json::as_u64)?;
    let most = schema.get(most).map_or(Some(u64::MAX), Json::as_u64)?;
    Some(least..=most)
}

fn words(schema: &Map<String, Json>) -> Option<Option<Vec<String>>> {
    let Some(options) = schema.get("enum") else { return Some(None) };
    options
        .as_array()?
        .iter()
        .map(|option| option.as_str().map(str::to_owned))
        .collect::<Option<_>>()
        .map(Some)
}

fn bound(schema: &Map<String, Json>, keyword: &str) -> Option<Option<Number>> {
    let Some(bound) = schema.get(keyword) else { return Some(None) };
    match bound {
        Json::Number(bound) => Some(Some(bound.clone())),
        _ => None,
    }
}

/// Whether one number is certainly no greater than another.
fn is_at_most(one: &Number, other: &Number) -> bool {
    match (one.as_i64(), other.as_i64()) {
        (Some(one), Some(other)) => one <= other,
        _ => match (exact(one), exact(other)) {
            (Some(one), Some(other)) => one <= other,
            _ => false,
        },
    }
}

fn exact(number: &Number) -> Option<f64> {
    number.as_f64().filter(|number| number.abs() <= EXACT_MAX)
}
