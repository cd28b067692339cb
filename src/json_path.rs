//! Paths into JSON values: `results[0].path`, as ports and expressions write them after a key.

use std::fmt;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::limits;

/// The steps from a value to a part of it. Empty means the value itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct JsonPath {
    steps: Vec<JsonStep>,
}

/// One step down.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum JsonStep {
    /// A member of an object.
    Member(Arc<str>),
    /// An item of an array, from 0; negative counts from the end.
    Item(i64),
}

/// Why a text is no path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonPathFault {
    /// Byte offset in the text.
    pub offset: usize,
    /// What is wrong there, a lowercase fragment.
    pub message: &'static str,
}

impl JsonPath {
    /// The path of these steps.
    pub fn new(steps: Vec<JsonStep>) -> Self {
        Self { steps }
    }

    /// The steps, outermost first.
    pub fn steps(&self) -> &[JsonStep] {
        &self.steps
    }

    /// Whether it leads to the value itself.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Reads the part of a pointer after its key: `` (nothing), `.name`, `[0]`, `["odd name"]` and
    /// any row of these, at most [`limits::JSON_PATH_STEPS_MAX`].
    pub fn parse(text: &str) -> Result<Self, JsonPathFault> {
        let mut steps = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let offset = text.len() - rest.len();
            if steps.len() == limits::JSON_PATH_STEPS_MAX {
                return Err(JsonPathFault { offset, message: "the path has too many steps" });
            }
            let (step, after) = next_step(rest).map_err(|message| JsonPathFault { offset, message })?;
            steps.push(step);
            rest = after;
        }
        Ok(Self { steps })
    }

    /// The part of `value` that the path leads to; `None` when there is none.
    pub fn find<'v>(&self, value: &'v Json) -> Option<&'v Json> {
        self.steps.iter().try_fold(value, |value, step| match step {
            JsonStep::Member(name) => value.get(&**name),
            JsonStep::Item(index) => {
                let items = value.as_array()?;
                let index = if *index < 0 { items.len() as i64 + index } else { *index };
                items.get(usize::try_from(index).ok()?)
            }
        })
    }
}

fn next_step(text: &str) -> Result<(JsonStep, &str), &'static str> {
    if let Some(member) = text.strip_prefix('.') {
        let end = member.find(['.', '[']).unwrap_or(member.len());
        if end == 0 {
            return Err("a name must follow the dot");
        }
        return Ok((JsonStep::Member(member[..end].into()), &member[end..]));
    }
    let Some(inner) = text.strip_prefix('[') else {
        return Err("a path continues with `.name` or `[index]`");
    };
    if let Some(quote) = inner.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let (name, after) = inner[1..].split_once(quote).ok_or("the quoted name is not closed")?;
        let after = after.strip_prefix(']').ok_or("`]` is missing")?;
        return Ok((JsonStep::Member(name.into()), after));
    }
    let (digits, after) = inner.split_once(']').ok_or("`]` is missing")?;
    let index = digits.trim().parse().map_err(|_| "an index is a whole number")?;
    Ok((JsonStep::Item(index), after))
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            match step {
                JsonStep::Member(name) if name.contains(['.', '[', ']', '"', '\'']) => {
                    write!(f, "[{name:?}]")?
                }
                JsonStep::Member(name) => write!(f, ".{name}")?,
                JsonStep::Item(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(path: &str, found: Option<Json>) {
        let value = json!({"results": [{"path": "a.rs"}, {"path": "b.rs"}], "odd.name": 1});
        let path = JsonPath::parse(path).expect("a good path");
        assert_eq!(path.find(&value), found.as_ref(), "{path}");
        assert_eq!(JsonPath::parse(&path.to_string()), Ok(path));
    }

    #[test]
    fn a_path_leads_to_a_part_or_nowhere() {
        check(".results[0].path", Some(json!("a.rs")));
        check(".results[-1].path", Some(json!("b.rs")));
        check(".results[2].path", None);
        check(".results.path", None);
        check("[\"odd.name\"]", Some(json!(1)));
        check(".results[-3]", None);
    }

    #[test]
    fn a_text_that_is_no_path_says_where_and_why() {
        let fault = |text| JsonPath::parse(text).map_err(|fault| (fault.offset, fault.message));
        assert_eq!(fault(".a."), Err((2, "a name must follow the dot")));
        assert_eq!(fault(".a[x]"), Err((2, "an index is a whole number")));
        assert_eq!(fault(".a[0"), Err((2, "`]` is missing")));
        assert_eq!(fault(".a b"), Ok(JsonPath::new(vec![JsonStep::Member("a b".into())])));
        assert_eq!(fault("x"), Err((0, "a path continues with `.name` or `[index]`")));
    }
}
