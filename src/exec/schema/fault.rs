//! What is wrong with an argument: its place, what was given, what is wanted.

use std::fmt;
use std::sync::Arc;

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::paths::{Location, LocationSegment};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value as Json;

use super::view::View;
use crate::diag::did_you_mean;
use crate::json_path::{JsonPath, JsonStep};
use crate::limits::ARGUMENT_SHOWN_CHARS_MAX;

/// One fault of a call's arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentFault {
    /// Where: `query`, `items[0].path`; empty for the arguments as a whole.
    pub path: String,
    /// What was given, shortened; `None` when nothing was.
    pub given: Option<String>,
    /// What is wrong or wanted, a lowercase fragment.
    pub wanted: String,
}

impl fmt::Display for ArgumentFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "arguments" } else { &self.path };
        match &self.given {
            Some(given) => write!(f, "{path}: {}, given {given}", self.wanted),
            None => write!(f, "{path}: {}", self.wanted),
        }
    }
}

/// The faults that one error of the validator stands for: an unknown property each is one.
pub(super) fn faults(error: &ValidationError<'_>, document: View<'_>) -> Vec<ArgumentFault> {
    let place = error.instance_path();
    let schema = parent(error.schema_path()).and_then(|pointer| document.find(pointer));
    match error.kind() {
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let wish = schema.and_then(|schema| schema.property(name)).map(View::wish);
            let wanted = format!("missing, wanted {}", wish.as_deref().unwrap_or("a value"));
            vec![ArgumentFault { path: path(place, Some(name)), given: None, wanted }]
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unexpected.iter().map(|name| unknown(place, name, schema)).collect()
        }
        _ => vec![ArgumentFault {
            path: path(place, None),
            given: Some(shown(error.instance(), schema)),
            wanted: wanted(error, schema),
        }],
    }
}

fn unknown(place: &Location, name: &str, schema: Option<View<'_>>) -> ArgumentFault {
    let known = schema.into_iter().flat_map(View::properties).map(|(name, _)| name.as_str());
    let wanted = match did_you_mean(name, known) {
        Some(near) => format!("unknown, did you mean `{near}`?"),
        None => "unknown".to_owned(),
    };
    ArgumentFault { path: path(place, Some(name)), given: None, wanted }
}

fn wanted(error: &ValidationError<'_>, schema: Option<View<'_>>) -> String {
    let wish = match error.kind() {
        Kind::Type { .. } | Kind::Enum { .. } | Kind::Constant { .. } | Kind::AnyOf { .. } => schema,
        Kind::OneOfNotValid { .. } => schema,
        _ => None,
    };
    match wish {
        Some(schema) => format!("wanted {}", schema.wish()),
        None => lowercase(error.masked_with("the value").to_string()),
    }
}

fn lowercase(text: String) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => text,
    }
}

/// A schema's pointer without its last step, the keyword that refused.
fn parent(pointer: &Location) -> Option<&str> {
    pointer.as_str().rsplit_once('/').map(|(parent, _)| parent)
}

fn path(place: &Location, last: Option<&str>) -> String {
    let steps = place.segments().map(|segment| match segment {
        LocationSegment::Property(name) => JsonStep::Member(Arc::from(&*name)),
        LocationSegment::Index(index) => JsonStep::Item(index as i64),
    });
    let last = last.map(|name| JsonStep::Member(name.into()));
    let path = JsonPath::new(steps.chain(last).collect()).to_string();
    path.strip_prefix('.').map(str::to_owned).unwrap_or(path)
}

/// A refused value as far as it is shown. A denial goes to models and into journals: a long value
/// is cut, for it may hold a secret, and one that its schema calls secret is not shown at all.
fn shown(value: &Json, schema: Option<View<'_>>) -> String {
    if schema.is_some_and(View::is_secret) {
        return format!("a {} that is not shown", JsonType::from(value));
    }
    let text = value.to_string();
    let count = text.chars().count();
    if count <= ARGUMENT_SHOWN_CHARS_MAX {
        return text;
    }
    let kept: String = text.chars().take(ARGUMENT_SHOWN_CHARS_MAX).collect();
    format!("{kept}... ({count} characters)")
}
