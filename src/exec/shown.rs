//! What a model sees of an output: the output, or as much of it as a conversation has room for,
//! and then what was cut.
//!
//! Predicates and ports read the whole output; only the model's copy is cut.

use serde_json::{Map, Value as Json, json};

use crate::exec::output::{Weight, is_deeper};
use crate::limits::{
    OUTPUT_INLINE_CHARS_MAX, SHOWN_CHARS_MAX, SHOWN_CUTS_MAX, SHOWN_DEPTH_MAX, SHOWN_ITEMS_MAX,
    SHOWN_KEYS_MAX,
};

/// How much of an output a model sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputBounds {
    /// Most characters of what is shown, as JSON; more becomes an artifact.
    pub inline_chars_max: usize,
    /// Most items of a list.
    pub items_max: usize,
    /// Most characters of a text.
    pub chars_max: usize,
    /// Most keys of an object.
    pub keys_max: usize,
    /// Deepest nesting of lists and objects.
    pub depth_max: usize,
}

impl Default for OutputBounds {
    fn default() -> Self {
        Self {
            inline_chars_max: OUTPUT_INLINE_CHARS_MAX,
            items_max: SHOWN_ITEMS_MAX,
            chars_max: SHOWN_CHARS_MAX,
            keys_max: SHOWN_KEYS_MAX,
            depth_max: SHOWN_DEPTH_MAX,
        }
    }
}

impl OutputBounds {
    fn hold(&self, weight: &Weight) -> bool {
        weight.depth <= self.depth_max
            && weight.items <= self.items_max
            && weight.keys <= self.keys_max
            && weight.text_bytes <= self.chars_max
    }
}

/// Where the cuts are told.
const CUTS: &str = "_cut";

/// The output cut to `bounds`; `None` when nothing has to be cut. A list named `entries` is what a
/// listing is about, so then only that list is cut, and its entries are shown whole.
pub(super) fn cut(output: &Json, weight: &Weight, bounds: &OutputBounds) -> Option<Json> {
    // Most outputs: no part of them is too large for any bound, so no second walk looks for one.
    if bounds.hold(weight) {
        return None;
    }
    let entries = output.get("entries").and_then(Json::as_array);
    if !entries.map_or_else(|| is_long(output, bounds), |entries| entries.len() > bounds.items_max) {
        return None;
    }
    let mut cutter = Cutter { bounds, path: String::new(), cuts: Vec::new(), more: 0 };
    let shown = match output {
        Json::Object(members) if entries.is_some() => cutter.entries(members),
        _ => cutter.value(output, 0),
    };
    let cuts = cutter.all_cuts();
    // An empty list may be nested as deep as it likes.
    (!cuts.is_empty()).then(|| told(shown, cuts))
}

/// `shown` with what was cut from it. What has no room for a member of that name is wrapped.
pub(super) fn told(shown: Json, cuts: Vec<String>) -> Json {
    match shown {
        Json::Object(mut members) if !members.contains_key(CUTS) => {
            members.insert(CUTS.to_owned(), json!(cuts));
            Json::Object(members)
        }
        shown => json!({"output": shown, CUTS: cuts}),
    }
}

fn is_long(value: &Json, bounds: &OutputBounds) -> bool {
    is_deeper(value, bounds.depth_max) || is_wide(value, bounds)
}

/// Recursive, and asked only of what is no deeper than the bound.
fn is_wide(value: &Json, bounds: &OutputBounds) -> bool {
    match value {
        Json::String(text) => is_long_text(text, bounds.chars_max),
        Json::Array(items) => {
            items.len() > bounds.items_max || items.iter().any(|item| is_wide(item, bounds))
        }
        Json::Object(members) => {
            members.len() > bounds.keys_max || members.values().any(|value| is_wide(value, bounds))
        }
        _ => false,
    }
}

fn is_long_text(text: &str, chars_max: usize) -> bool {
    text.len() > chars_max && text.chars().nth(chars_max).is_some()
}

struct Cutter<'b> {
    bounds: &'b OutputBounds,
    path: String,
    cuts: Vec<String>,
    more: usize,
}

impl Cutter<'_> {
    fn entries(&mut self, members: &Map<String, Json>) -> Json {
        let shown = members.iter().map(|(name, value)| match value {
            Json::Array(items) if name == "entries" => {
                let shown = items.iter().take(self.bounds.items_max).cloned().collect();
                self.cuts.push(kept("entries", self.bounds.items_max, items.len(), "items"));
                (name.clone(), Json::Array(shown))
            }
            other => (name.clone(), other.clone()),
        });
        Json::Object(shown.collect())
    }

    fn value(&mut self, value: &Json, depth: usize) -> Json {
        match value {
            Json::String(text) if is_long_text(text, self.bounds.chars_max) => self.text(text),
            Json::Array(items) if depth >= self.bounds.depth_max && !items.is_empty() => {
                self.note(format!("{}: a list of {} left out", self.place(), items.len()));
                json!("[...]")
            }
            Json::Object(members) if depth >= self.bounds.depth_max && !members.is_empty() => {
                self.note(format!("{}: an object of {} keys left out", self.place(), members.len()));
                json!("{...}")
            }
            Json::Array(items) => self.list(items, depth),
            Json::Object(members) => self.object(members, depth),
            plain => plain.clone(),
        }
    }

    fn text(&mut self, text: &str) -> Json {
        let chars_max = self.bounds.chars_max;
        self.note(kept(self.place(), chars_max, text.chars().count(), "characters"));
        Json::String(text.chars().take(chars_max).collect())
    }

    fn list(&mut self, items: &[Json], depth: usize) -> Json {
        if items.len() > self.bounds.items_max {
            self.note(kept(self.place(), self.bounds.items_max, items.len(), "items"));
        }
        let items = items.iter().take(self.bounds.items_max).enumerate();
        items.map(|(at, item)| self.inside(&format!("[{at}]"), item, depth)).collect()
    }

    fn object(&mut self, members: &Map<String, Json>, depth: usize) -> Json {
        if members.len() > self.bounds.keys_max {
            self.note(kept(self.place(), self.bounds.keys_max, members.len(), "keys"));
        }
        let members = members.iter().take(self.bounds.keys_max);
        let shown = members.map(|(name, value)| {
            let dot = if self.path.is_empty() { "" } else { "." };
            (name.clone(), self.inside(&format!("{dot}{name}"), value, depth))
        });
        Json::Object(shown.collect())
    }

    fn inside(&mut self, step: &str, value: &Json, depth: usize) -> Json {
        let length = self.path.len();
        self.path.push_str(step);
        let shown = self.value(value, depth + 1);
        self.path.truncate(length);
        shown
    }

    fn place(&self) -> &str {
        if self.path.is_empty() { "the output" } else { &self.path }
    }

    fn note(&mut self, cut: String) {
        if self.cuts.len() < SHOWN_CUTS_MAX {
            self.cuts.push(cut);
        } else {
            self.more += 1;
        }
    }

    fn all_cuts(mut self) -> Vec<String> {
        if self.more > 0 {
            self.cuts.push(format!("and {} more", self.more));
        }
        self.cuts
    }
}

fn kept(place: &str, kept: usize, of: usize, what: &str) -> String {
    format!("{place}: {kept} of {of} {what}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::output::weigh;

    const SMALL: OutputBounds =
        OutputBounds { inline_chars_max: 100, items_max: 3, chars_max: 5, keys_max: 2, depth_max: 2 };

    fn cut_to(output: &Json, bounds: &OutputBounds) -> Option<Json> {
        cut(output, &weigh(output, usize::MAX).unwrap(), bounds)
    }

    #[track_caller]
    fn check(output: Json, expected: Option<Json>) {
        assert_eq!(cut_to(&output, &SMALL), expected, "{output}");
    }

    #[test]
    fn a11_what_fits_is_left_alone() {
        check(json!(null), None);
        check(json!("12345"), None);
        check(json!("üüüüü"), None);
        check(json!([1, 2, 3]), None);
        check(json!([[[]]]), None);
        check(json!({"a": [1], "b": {}}), None);
        check(json!({"entries": [[[[1]]], "123456789"], "b": 1, "c": 2}), None);
    }

    #[test]
    fn a11_what_is_cut_says_what_was() {
        let cut = |shown: Json, cuts: &[&str]| Some(json!({"output": shown, "_cut": cuts}));
        check(json!("üüüüüü"), cut(json!("üüüüü"), &["the output: 5 of 6 characters"]));
        check(json!([1, 2, 3, 4]), cut(json!([1, 2, 3]), &["the output: 3 of 4 items"]));
        check(json!({"a": ["123456"]}), Some(json!({"a": ["12345"], "_cut": ["a[0]: 5 of 6 characters"]})));
        check(
            json!({"a": {"b": [1], "c": {"d": 1}}, "e": 1, "f": 2}),
            Some(json!({
                "a": {"b": "[...]", "c": "{...}"},
                "e": 1,
                "_cut": ["the output: 2 of 3 keys", "a.b: a list of 1 left out", "a.c: an object of 1 keys left out"],
            })),
        );
        check(
            json!({"entries": [1, 2, 3, 4], "b": "123456"}),
            Some(json!({"entries": [1, 2, 3], "b": "123456", "_cut": ["entries: 3 of 4 items"]})),
        );
        check(json!({"_cut": "123456"}), cut(json!({"_cut": "12345"}), &["_cut: 5 of 6 characters"]));
    }

    #[test]
    fn a11_the_numbers_are_the_documents() {
        let cut = |output: Json| cut_to(&output, &OutputBounds::default());
        assert!(cut(json!(vec![0; 200])).is_none() && cut(json!(vec![0; 201])).is_some());
        assert!(cut(json!("x".repeat(3_000))).is_none() && cut(json!("x".repeat(3_001))).is_some());
        let keys = |n: usize| (0..n).map(|n| (n.to_string(), json!(n))).collect::<Json>();
        assert!(cut(keys(80)).is_none() && cut(keys(81)).is_some());
        assert!(cut(json!([[[[1]]]])).is_none() && cut(json!([[[[[1]]]]])).is_some());
        let entries = |n: usize| json!({"entries": vec![0; n]});
        assert!(cut(entries(200)).is_none() && cut(entries(201)).is_some());
    }

    #[test]
    fn cuts_are_counted_when_there_are_many() {
        let texts = vec!["x".repeat(3_001); 50];
        let shown = cut_to(&json!(texts), &OutputBounds::default()).unwrap();
        let cuts = shown["_cut"].as_array().unwrap();
        assert_eq!((cuts.len(), &cuts[SHOWN_CUTS_MAX]), (SHOWN_CUTS_MAX + 1, &json!("and 30 more")));
    }
}
