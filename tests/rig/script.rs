//! Scripts of inputs, as cases write them: one input a line.
//!
//! ```text
//! tick · wait MS · set KEY JSON · unset KEY · halt · tree · keys
//! result CALL JSON · artifact CALL JSON · failure CALL TEXT · timeout CALL · denied CALL TEXT
//! together OUTCOME & OUTCOME, each one of the line above
//! ```

use std::sync::Arc;

use helve::call::ToolName;
use helve::engine::Input;
use helve::id::{CallId, ScopeId};
use helve::outcome::{
    DenialReason, ErrorCategory, Outcome, ToolArtifactReference, ToolDenied, ToolExecutionResult,
    ToolFailure, ToolTimeout,
};
use helve::tree::{Mark, draw};
use helve::value::Value;
use serde_json::Value as Json;

use crate::rig::Rig;

/// Does what one line says; answers what came of it.
pub fn perform(rig: &mut Rig, line: &str) -> Vec<String> {
    let (word, rest) = cut(line);
    match word {
        "tick" => rig.handle(Input::Tick),
        "wait" => rig.wait(rest.parse().expect("milliseconds")),
        "halt" => rig.handle(Input::Halt),
        "set" => {
            let (key, json) = cut(rest);
            rig.handle(Input::Write { key: key.into(), value: Some(Value::from_json(parse(json))) })
        }
        "unset" => rig.handle(Input::Write { key: rest.into(), value: None }),
        "tree" => tree(rig),
        "keys" => keys(rig),
        "together" => {
            let outcomes = rest.split(" & ").map(|line| outcome_of(rig, line)).collect();
            rig.handle(Input::Outcomes(outcomes))
        }
        _ => {
            let outcome = outcome_of(rig, line);
            rig.handle(Input::Outcome(outcome))
        }
    }
}

fn outcome_of(rig: &Rig, line: &str) -> Arc<Outcome> {
    let (word, rest) = cut(line);
    let (call, rest) = cut(rest);
    Arc::new(outcome(rig, word, call.parse().expect("the number of a call"), rest))
}

/// The first word and the rest.
pub fn cut(line: &str) -> (&str, &str) {
    line.split_once(' ').unwrap_or((line, ""))
}

fn parse(json: &str) -> Json {
    serde_json::from_str(json).expect("a script holds good JSON")
}

fn tree(rig: &Rig) -> Vec<String> {
    let drawing = draw(rig.engine.tree(), |node| (Mark::Status(rig.engine.status(node)), None));
    drawing.to_string().lines().map(str::to_owned).collect()
}

fn keys(rig: &Rig) -> Vec<String> {
    let board = rig.engine.board();
    let scopes = rig.engine.tree().layout().scopes().map(|(id, _)| id).collect::<Vec<_>>();
    let keys = scopes.into_iter().flat_map(|scope| {
        let inside = if scope == ScopeId::new(0) { "" } else { "  " };
        board
            .own_keys(scope)
            .into_iter()
            .filter_map(move |(key, slot)| Some(format!("{inside}{key} = {}", board.get(slot)?.to_json())))
    });
    keys.collect()
}

/// How long a call took, for predicates that look at it.
const ELAPSED_MS: u64 = 20;

/// The outcome of a call, of the kind that `word` names.
pub fn outcome(rig: &Rig, word: &str, call: u64, rest: &str) -> Outcome {
    let tool_name = rig.calls.get(&call).map_or_else(|| ToolName::new("nobody"), |call| call.tool.clone());
    let call_id = CallId(call);
    match word {
        "result" => {
            let output = Arc::new(parse(rest));
            Outcome::ToolExecutionResult(ToolExecutionResult {
                call_id,
                tool_name,
                output,
                shown: None,
                elapsed_ms: ELAPSED_MS,
                was_coerced: false,
            })
        }
        "artifact" => Outcome::ToolArtifactReference(ToolArtifactReference {
            call_id,
            tool_name,
            artifact_id: "a1".to_owned(),
            summary: "a summary".to_owned(),
            size_bytes: rest.len() as u64,
            output: Arc::new(parse(rest)),
            elapsed_ms: ELAPSED_MS,
        }),
        "failure" => Outcome::ToolFailure(ToolFailure {
            call_id,
            tool_name,
            error: rest.to_owned(),
            category: ErrorCategory::Runtime,
            suggestion: None,
            retryable: true,
            elapsed_ms: ELAPSED_MS,
        }),
        "timeout" => Outcome::ToolTimeout(ToolTimeout {
            call_id,
            tool_name,
            deadline_s: 30.0,
            elapsed_ms: 30_000,
            retryable: true,
        }),
        "denied" => Outcome::ToolDenied(ToolDenied {
            call_id,
            tool_name,
            reason: DenialReason::Validation,
            details: rest.to_owned(),
            hint: None,
        }),
        _ => unreachable!("no input is called {word}"),
    }
}
