//! The way in: what a gate sees of a call, and the gates in their order.

use std::sync::Arc;

use crate::call::{Arguments, Call};
use crate::exec::gate::{Refusal, deadline, validation, web};
use crate::exec::{ArgumentSchema, Turn};
use crate::manifest::ToolManifest;
use crate::moment::Moment;

/// A call on its way in.
pub(in crate::exec) struct Entry<'a> {
    pub call: &'a Call,
    pub manifest: &'a Arc<ToolManifest>,
    pub schema: &'a ArgumentSchema,
    pub turn: &'a Turn,
    pub now: Moment,
}

/// What the gates made of the call's arguments.
pub(in crate::exec) struct Admitted {
    pub arguments: Arguments,
    pub was_coerced: bool,
}

/// All gates, in their order: what costs least and depends on least comes first. A spent budget
/// refuses everything, so nothing else is worth asking; the web mode is one flag; validation
/// copies and walks the arguments, and what it makes of them is what the tool gets, so that
/// nothing may change them after it.
pub(in crate::exec) fn pass(entry: &Entry<'_>) -> Result<Admitted, Refusal> {
    deadline::pass(entry)?;
    web::pass(entry)?;
    validation::pass(entry)
}

/// What a test of a gate needs: a call of a tool in a turn.
#[cfg(test)]
pub(super) fn refusal_of(
    manifest: ToolManifest,
    arguments: serde_json::Value,
    turn: &Turn,
) -> Option<Refusal> {
    let serde_json::Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let call = Call {
        id: crate::id::CallId(1),
        tool: manifest.name.clone(),
        arguments: Arc::new(arguments),
        timeout: None,
        attempt: 1,
        caller: "root".into(),
    };
    let schema = ArgumentSchema::new(&manifest.input_schema).expect("a good schema");
    let now = Moment::from_millis(1_000);
    pass(&Entry { call: &call, manifest: &Arc::new(manifest), schema: &schema, turn, now }).err()
}
