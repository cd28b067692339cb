//! What a test of a gate needs: a call of a tool in a turn.

use std::cell::OnceCell;
use std::sync::Arc;

use serde_json::Value as Json;

use super::{Entry, Refusal, pass};
use crate::call::Call;
use crate::exec::TurnRecord;
use crate::exec::collaborator::{Callbacks, NoCallbacks};
use crate::exec::{ArgumentSchema, Turn};
use crate::id::CallId;
use crate::manifest::ToolManifest;
use crate::moment::Moment;
use crate::outcome::{DenialReason, Outcome, ToolExecutionResult, ToolTimeout};

pub fn call_of(manifest: &ToolManifest, arguments: Json) -> Arc<Call> {
    let Json::Object(arguments) = arguments else { panic!("arguments are an object") };
    Arc::new(Call::new(CallId(1), manifest.name.clone(), arguments))
}

/// Runs `ask` with the entry of a call at 1,000 ms.
pub fn with_entry<T>(
    manifest: ToolManifest,
    arguments: Json,
    turn: &Turn,
    callbacks: &dyn Callbacks,
    ask: impl FnOnce(&Entry<'_>) -> T,
) -> T {
    let schema = ArgumentSchema::new(&manifest.input_schema).expect("a good schema");
    let (call, manifest) = (&call_of(&manifest, arguments), &Arc::new(manifest));
    let now = Moment::from_millis(1_000);
    let recalled = OnceCell::new();
    ask(&Entry { call, manifest, schema: &schema, callbacks, turn, now, recalled })
}

/// Why all gates together refuse a call; `None` when they let it pass.
pub fn refusal_of(manifest: ToolManifest, arguments: Json, turn: &Turn) -> Option<Refusal> {
    with_entry(manifest, arguments, turn, &NoCallbacks, |entry| pass(entry).err())
}

/// The particulars of a denial for `reason`, `details | hint`; `None` for no refusal.
#[track_caller]
pub fn denied(refusal: Option<Refusal>, wanted: DenialReason) -> Option<String> {
    refusal.map(|refusal| match refusal {
        Refusal::Denied { reason, details, hint } if reason == wanted => {
            format!("{details} | {}", hint.unwrap_or_default())
        }
        other => panic!("{other:?}"),
    })
}

/// Lets the turn learn that `call` ended well or badly.
pub fn ended(turn: &Turn, call: &Call, went_well: bool) {
    let (call_id, tool_name) = (call.id, call.tool.clone());
    let outcome = if went_well {
        let (output, shown) = (Arc::default(), None);
        Outcome::ToolExecutionResult(ToolExecutionResult {
            call_id,
            tool_name,
            output,
            shown,
            elapsed_ms: 0,
            was_coerced: false,
        })
    } else {
        Outcome::ToolTimeout(ToolTimeout {
            call_id,
            tool_name,
            deadline_s: 1.0,
            elapsed_ms: 0,
            retryable: true,
        })
    };
    let record = TurnRecord::new(call, &outcome, Moment::ZERO);
    turn.learn(record, turn.fingerprint(call), &outcome, None);
}
