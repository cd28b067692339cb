//! Values that a program is given and that never leave: not in a result, not in an error, not in a
//! log line, not in an event.
//!
//! A value is hidden where it stands as it is or as JSON writes it. What a program encodes in another
//! way, nobody can tell from any other text.

use std::fmt;
use std::sync::Arc;

use serde_json::Value as Json;

use super::Surroundings;
use crate::limits::SECRET_BYTES_MIN;
use crate::outcome::ErrorCategory;
use crate::tool::ToolError;

/// The secrets of one call.
#[derive(Default)]
pub(super) struct Secrets {
    values: Vec<(Arc<str>, String)>,
    /// What is looked for, the longest first, with what is put in its place.
    hidden: Vec<(String, String)>,
}

impl Secrets {
    /// The values of these variables.
    ///
    /// # Errors
    /// All that are missing, or too short to be hidden.
    pub fn of(names: &[Arc<str>], surroundings: &Surroundings) -> Result<Self, ToolError> {
        let mut secrets = Self::default();
        let (mut missing, mut short) = (Vec::new(), Vec::new());
        for name in names {
            match surroundings.variable(name) {
                None => missing.push(format!("`{name}`")),
                Some(value) if value.len() < SECRET_BYTES_MIN => short.push(format!("`{name}`")),
                Some(value) => secrets.add(name, value),
            }
        }
        if !missing.is_empty() {
            let message =
                format!("the environment lacks secrets that the tool needs: {}", missing.join(", "));
            return Err(ToolError::new(ErrorCategory::Configuration, message)
                .suggest("Set these variables where the program is started."));
        }
        if !short.is_empty() {
            let message = format!("too short to be kept out of an output: {}", short.join(", "));
            return Err(ToolError::new(ErrorCategory::Configuration, message).suggest(format!(
                "Give them values of at least {SECRET_BYTES_MIN} bytes, or list them under `env`."
            )));
        }
        secrets.hidden.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        Ok(secrets)
    }

    fn add(&mut self, name: &Arc<str>, value: String) {
        let shown = format!("[secret {name}]");
        let quoted = Json::from(value.as_str()).to_string();
        let escaped = quoted[1..quoted.len() - 1].to_owned();
        if escaped != value {
            self.hidden.push((escaped, shown.clone()));
        }
        self.hidden.push((value.clone(), shown));
        self.values.push((name.clone(), value));
    }

    /// Names and values, for the environment of the program and for nothing else.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(name, value)| (&**name, value.as_str()))
    }

    /// The longest value that is looked for, in bytes.
    pub fn bytes_max(&self) -> usize {
        self.hidden.first().map_or(0, |(value, _)| value.len())
    }

    /// A text without values.
    pub fn hide(&self, text: String) -> String {
        self.hidden.iter().fold(text, |text, (value, shown)| {
            if text.contains(value.as_str()) { text.replace(value.as_str(), shown) } else { text }
        })
    }

    /// A JSON value without values, in names of members and in numbers too.
    pub fn hide_json(&self, value: Json) -> Json {
        if self.hidden.is_empty() {
            return value;
        }
        match value {
            Json::String(text) => self.hide(text).into(),
            Json::Number(number) => {
                let text = number.to_string();
                let hidden = self.hide(text.clone());
                if hidden == text { Json::Number(number) } else { hidden.into() }
            }
            Json::Array(items) => items.into_iter().map(|item| self.hide_json(item)).collect(),
            Json::Object(members) => {
                members.into_iter().map(|(name, value)| (self.hide(name), self.hide_json(value))).collect()
            }
            plain => plain,
        }
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.values.iter().map(|(name, _)| name)).finish()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;
    use crate::harness::Root;

    pub fn secrets(pairs: &'static [(&'static str, &'static str)]) -> Result<Secrets, ToolError> {
        let root = Root::open(std::path::Path::new(".")).expect("the current folder");
        let surroundings = Surroundings::new(root).with_environment(|name| {
            pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        });
        let mut names: Vec<Arc<str>> = pairs.iter().map(|(name, _)| Arc::from(*name)).collect();
        if pairs.is_empty() {
            names = vec!["A".into(), "B".into()];
        }
        Secrets::of(&names, &surroundings)
    }

    #[test]
    fn values_are_hidden_wherever_they_stand() {
        let secrets = secrets(&[("KEY", "hunter22"), ("PIN", "12345"), ("ODD", "a\"b\\c")]).unwrap();
        let shown = secrets.hide_json(json!({
            "hunter22": ["x hunter22 y", 12345, 123456, 7, null],
            "odd": "a\"b\\c",
        }));
        let expected = json!({
            "[secret KEY]": ["x [secret KEY] y", "[secret PIN]", "[secret PIN]6", 7, null],
            "odd": "[secret ODD]",
        });
        assert_eq!(shown, expected);
        assert_eq!(secrets.hide(r#"{"k": "a\"b\\c"}"#.into()), r#"{"k": "[secret ODD]"}"#);
        assert_eq!(format!("{secrets:?}"), r#"{"KEY", "PIN", "ODD"}"#);
    }

    #[test]
    fn d09_all_missing_secrets_are_named_and_short_ones_refused() {
        let missing = secrets(&[]).unwrap_err();
        assert_eq!(missing.message(), "the environment lacks secrets that the tool needs: `A`, `B`");
        let short = secrets(&[("A", "abc")]).unwrap_err();
        assert_eq!(short.category(), ErrorCategory::Configuration);
        assert!(!short.message().contains("abc"));
    }
}
