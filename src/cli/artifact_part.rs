//! A part of an artifact, found by its path.

use serde_json::Value as Json;

use crate::diag::{Code, Diagnostic, did_you_mean};
use crate::json_path::{JsonPath, JsonStep};

/// Most names that a fault lists.
const NAMES_MAX: usize = 12;

/// The part of `content` that `path` leads to. The dot before a first name may be left out.
pub(super) fn find<'c>(content: &'c Json, path: &str) -> Result<&'c Json, Diagnostic> {
    let dotted =
        if path.is_empty() || path.starts_with(['.', '[']) { path.to_owned() } else { format!(".{path}") };
    let parsed = JsonPath::parse(&dotted).map_err(|fault| {
        Diagnostic::new(Code::E0436, format!("`{path}` is no path: {}", fault.message))
            .help("A path is written as in a tree, behind its key: `results[0].path`.")
    })?;
    parsed.find(content).ok_or_else(|| nowhere(content, &parsed, path))
}

/// Says up to where the path leads, and what goes on from there.
fn nowhere(content: &Json, path: &JsonPath, typed: &str) -> Diagnostic {
    let steps = path.steps();
    let to = |count: usize| JsonPath::new(steps[..count].to_vec());
    let whole = (0..steps.len()).rev().find(|&count| to(count).find(content).is_some()).unwrap_or_default();
    let (found, missing) = (to(whole).find(content).unwrap_or(content), steps.get(whole));
    let place = if whole == 0 {
        "the artifact".to_owned()
    } else {
        format!("`{}`", to(whole).to_string().trim_start_matches('.'))
    };
    Diagnostic::new(Code::E0436, format!("`{typed}` leads to nothing in the artifact"))
        .note(format!("{place} {}", described(found)))
        .help(next_step(found, missing))
}

fn described(value: &Json) -> String {
    match value {
        Json::Array(items) => format!("is a list of {}", items.len()),
        Json::Object(members) => {
            let names: Vec<_> = members.keys().take(NAMES_MAX).map(String::as_str).collect();
            let more = if members.len() > NAMES_MAX { ", and more" } else { "" };
            format!("has {}{more}", names.join(", "))
        }
        Json::String(_) => "is a text".to_owned(),
        plain => format!("is {plain}"),
    }
}

fn next_step(found: &Json, missing: Option<&JsonStep>) -> String {
    let near = match (found, missing) {
        (Json::Object(members), Some(JsonStep::Member(name))) => {
            did_you_mean(name, members.keys().map(String::as_str))
        }
        _ => None,
    };
    match near {
        Some(near) => format!("Did you mean `{near}`?"),
        None => "Print it without `--path` to see what is in it.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(path: &str, expected: Result<Json, [&str; 3]>) {
        let content = json!({"results": [{"path": "a.rs"}], "total": 1});
        let found = find(&content, path)
            .cloned()
            .map_err(|fault| [fault.message, fault.notes.join(" "), fault.help.unwrap_or_default()]);
        assert_eq!(found, expected.map_err(|words| words.map(str::to_owned)), "{path}");
    }

    #[test]
    fn a_path_is_written_as_in_a_tree_and_what_is_missing_is_named() {
        check("results[0].path", Ok(json!("a.rs")));
        check(".total", Ok(json!(1)));
        check("", Ok(json!({"results": [{"path": "a.rs"}], "total": 1})));
        let whole = "Print it without `--path` to see what is in it.";
        let nothing = "`results[1].path` leads to nothing in the artifact";
        check("results[1].path", Err([nothing, "`results` is a list of 1", whole]));
        let nothing = "`reslts` leads to nothing in the artifact";
        check("reslts", Err([nothing, "the artifact has results, total", "Did you mean `results`?"]));
        let nothing = "`total.x` leads to nothing in the artifact";
        check("total.x", Err([nothing, "`total` is 1", whole]));
        let how = "A path is written as in a tree, behind its key: `results[0].path`.";
        check("a[", Err(["`a[` is no path: `]` is missing", "", how]));
    }
}
