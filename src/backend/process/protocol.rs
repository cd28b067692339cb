//! What a program's output means.

use serde_json::{Map, Value as Json, json};

use super::Output;
use super::failure::Failure;
use super::secrets::Secrets;
use crate::diag::did_you_mean;
use crate::limits::PROCESS_SHOWN_CHARS_MAX;
use crate::outcome::ErrorCategory;
use crate::tool::ToolError;

/// What a line of events says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Said {
    Log {
        level: String,
        message: String,
    },
    Intermediate {
        label: String,
        data: Json,
    },
    Result(Json),
    /// What a file is to hold; `None` when it is to go.
    Change {
        path: String,
        content: Option<String>,
    },
    Error(ToolError),
    /// A word of the longer-lived harness that has no meaning in a single call.
    Nothing,
}

const TYPES: [&str; 7] = ["log", "intermediate", "final_result", "change", "error", "ready", "script_done"];

/// Reads the whole output as the result.
///
/// # Errors
/// When it is no JSON, or empty.
pub(super) fn whole(output: Output, text: String, secrets: &Secrets) -> Result<Json, Failure> {
    if output == Output::Text {
        return Ok(json!({ "text": secrets.hide(text) }));
    }
    // Without the last line's end, so that what is missing there is missed on the line before.
    let text = text.trim_end();
    if text.trim().is_empty() {
        return Err(Failure::Nothing);
    }
    let value = serde_json::from_str(text).map_err(|fault| {
        let line = fault.line();
        not_json(line, &fault, text.lines().nth(line.saturating_sub(1)).unwrap_or_default(), secrets)
    })?;
    Ok(secrets.hide_json(value))
}

/// Reads one line of events. With a nonce, what does not carry it is a line of log.
///
/// # Errors
/// When it is no event.
pub(super) fn line(
    text: &str,
    number: usize,
    nonce: Option<&str>,
    secrets: &Secrets,
) -> Result<Said, Failure> {
    if text.trim().is_empty() {
        return Ok(Said::Nothing);
    }
    let value = serde_json::from_str::<Json>(text);
    if let Some(nonce) = nonce
        && !value.as_ref().is_ok_and(|value| value.get("nonce").is_some_and(|it| it == nonce))
    {
        return Ok(Said::Log { level: "info".into(), message: secrets.hide(text.into()) });
    }
    let value = value.map_err(|fault| not_json(number, &fault, text, secrets))?;
    let said_of_file = (value["type"] == "change").then(|| value.clone());
    let value = secrets.hide_json(value);
    // No file is written under another name, nor with another content, than was said.
    if said_of_file.is_some_and(|said| said != value) {
        return Err(Failure::NotEvent { line: number, why: "the `change` holds a secret".into() });
    }
    let Json::Object(event) = value else {
        return Err(Failure::NotEvent { line: number, why: "it is no object".into() });
    };
    said(event).map_err(|why| Failure::NotEvent { line: number, why })
}

fn said(mut event: Map<String, Json>) -> Result<Said, String> {
    let kind = word(&event, "type").ok_or("it has no `type`")?;
    let mut data = || event.remove("data").ok_or(format!("`{kind}` has no `data`"));
    Ok(match kind.as_str() {
        "final_result" => Said::Result(data()?),
        "intermediate" => {
            let data = data()?;
            Said::Intermediate { label: word(&event, "label").unwrap_or_default(), data }
        }
        "change" => {
            let path = word(&event, "path").ok_or("`change` has no `path`")?;
            let content = match event.remove("content") {
                Some(Json::String(text)) => Some(text),
                Some(Json::Null) => None,
                _ => {
                    return Err("`change` has no `content`, a text or, for a file that is to go, null".into());
                }
            };
            Said::Change { path, content }
        }
        "log" => Said::Log {
            level: word(&event, "level").unwrap_or_else(|| "info".into()),
            message: word(&event, "message").ok_or("`log` has no `message`")?,
        },
        "error" => Said::Error(error(&event)?),
        "ready" | "script_done" => Said::Nothing,
        _ => {
            return Err(match did_you_mean(&kind, TYPES) {
                Some(near) => format!("there is no type `{}`; did you mean `{near}`?", shown(&kind)),
                None => format!("there is no type `{}`", shown(&kind)),
            });
        }
    })
}

fn error(event: &Map<String, Json>) -> Result<ToolError, String> {
    let message = word(event, "message").ok_or("`error` has no `message`")?;
    let category = match event.get("category") {
        None => ErrorCategory::Runtime,
        Some(name) => serde_json::from_value(name.clone())
            .map_err(|_| format!("`error` has no category {}", shown(&name.to_string())))?,
    };
    let error = ToolError::new(category, message);
    let error = match event.get("retryable").and_then(Json::as_bool) {
        Some(retryable) => error.retryable(retryable),
        None => error,
    };
    Ok(match word(event, "suggestion").or_else(|| word(event, "traceback")) {
        Some(suggestion) => error.suggest(suggestion),
        None => error,
    })
}

fn word(event: &Map<String, Json>, name: &str) -> Option<String> {
    event.get(name)?.as_str().map(str::to_owned)
}

fn not_json(line: usize, fault: &serde_json::Error, text: &str, secrets: &Secrets) -> Failure {
    // The message ends with a place, which is counted from the line here and not from the output.
    let why = fault.to_string();
    let why = why.split(" at line ").next().unwrap_or_default().to_owned();
    Failure::NotJson { line, why, shown: shown(&secrets.hide(text.into())) }
}

/// The beginning of a text, on one line.
fn shown(text: &str) -> String {
    let flat = text.trim().replace(char::is_control, " ");
    match flat.char_indices().nth(PROCESS_SHOWN_CHARS_MAX) {
        Some((end, _)) => format!("{}...", &flat[..end]),
        None => flat,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, nonce: Option<&str>, expected: Result<Said, &str>) {
        let found = line(text, 3, nonce, &Secrets::default());
        let found = found.map_err(|failure| failure.into_error("").message().to_owned());
        assert_eq!(found, expected.map_err(|end| format!("line 3 of the output is no {end}")), "{text}");
    }

    fn log(message: &str) -> Said {
        Said::Log { level: "info".into(), message: message.into() }
    }

    #[test]
    fn lines_are_events() {
        check(r#"{"type":"log","message":"hi"}"#, None, Ok(log("hi")));
        check(r#"{"type":"final_result","data":null}"#, None, Ok(Said::Result(Json::Null)));
        let part = Said::Intermediate { label: "a".into(), data: json!([1]) };
        check(r#"{"type":"intermediate","label":"a","data":[1]}"#, None, Ok(part));
        let error = ToolError::new(ErrorCategory::Api, "no").retryable(true);
        check(
            r#"{"type":"error","message":"no","category":"api_error","retryable":true}"#,
            None,
            Ok(Said::Error(error)),
        );
        check(r#"{"type":"script_done"}"#, None, Ok(Said::Nothing));
        check("  ", None, Ok(Said::Nothing));
    }

    #[test]
    fn lines_that_are_none_say_why() {
        check("plain", None, Err("JSON: expected value: `plain`"));
        check("[1]", None, Err("event: it is no object"));
        check(r#"{"data":1}"#, None, Err("event: it has no `type`"));
        check(r#"{"type":"final_result"}"#, None, Err("event: `final_result` has no `data`"));
        check(r#"{"type":"log"}"#, None, Err("event: `log` has no `message`"));
        check(
            r#"{"type":"final_results"}"#,
            None,
            Err("event: there is no type `final_results`; did you mean `final_result`?"),
        );
        check(
            r#"{"type":"error","message":"m","category":"x"}"#,
            None,
            Err(r#"event: `error` has no category "x""#),
        );
    }

    #[test]
    fn with_a_nonce_nothing_else_is_an_event() {
        let forged = r#"{"type":"final_result","data":"forged"}"#;
        check(forged, Some("n1"), Ok(log(forged)));
        let wrong = r#"{"type":"final_result","data":1,"nonce":"n2"}"#;
        check(wrong, Some("n1"), Ok(log(wrong)));
        check("plain", Some("n1"), Ok(log("plain")));
        check(r#"{"type":"final_result","data":1,"nonce":"n1"}"#, Some("n1"), Ok(Said::Result(json!(1))));
    }

    #[test]
    fn a_whole_output_is_never_looked_at_for_events() {
        let event = r#"{"type": "error", "message": "x"}"#;
        let read = |output, text: &str| whole(output, text.into(), &Secrets::default());
        assert_eq!(read(Output::Json, event), Ok(json!({"type": "error", "message": "x"})));
        assert_eq!(read(Output::Text, "a\n"), Ok(json!({"text": "a\n"})));
        assert_eq!(read(Output::Json, " \n"), Err(Failure::Nothing));
        let fault = read(Output::Json, "{}\nmore").unwrap_err().into_error("trace");
        assert_eq!(
            fault.message(),
            "line 2 of the output is no JSON: trailing characters: `more`; it said: trace"
        );
    }
}
