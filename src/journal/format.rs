//! The journal's own shapes of inputs, events and values. They are a promise; the engine's types
//! are not.
//!
//! A change that an older reader would misread raises [`FORMAT_VERSION`].

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::call::{Call, ToolName};
use crate::engine::{Input, Verdict};
use crate::event::{Event, EventKind};
use crate::id::CallId;
use crate::journal::error::Kind;
use crate::journal::json;
use crate::journal::referred::Referred;
use crate::moment::Moment;
use crate::outcome::{Outcome, ToolArtifactReference};
use crate::value::Value;

/// The version of the format that this helve writes.
pub const FORMAT_VERSION: u32 = 2;
/// The oldest version that it reads: in version 1 every outcome is an input of its own.
pub const FORMAT_VERSION_MIN: u32 = 1;

/// An input as it is written: `"tick"`, `{"outcome":{..}}`, `{"outcomes":[{"outcome":{..}},..]}`.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum InputShape {
    Tick,
    Outcome(Arc<Outcome>),
    /// An outcome whose output lies in the artifact store.
    Artifact(ReferenceShape),
    Outcomes(Vec<CameShape>),
    Deadline,
    Write {
        key: Arc<str>,
        value: Option<ValueShape>,
    },
    /// A write of what lies whole in the artifact store.
    WriteArtifact {
        key: Arc<str>,
        artifact_id: Arc<str>,
    },
    Halt,
}

/// One of several outcomes that came together, as it is written: as it would be alone.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CameShape {
    Outcome(Arc<Outcome>),
    Artifact(ReferenceShape),
}

impl CameShape {
    fn new(outcome: &Arc<Outcome>, referred: &Referred) -> Self {
        match referred.reference(outcome) {
            Some(reference) => Self::Artifact(reference.into()),
            None => Self::Outcome(outcome.clone()),
        }
    }
}

impl InputShape {
    fn new(input: &Input, referred: &Referred) -> Self {
        match input {
            Input::Tick => Self::Tick,
            Input::Outcome(outcome) => match CameShape::new(outcome, referred) {
                CameShape::Outcome(outcome) => Self::Outcome(outcome),
                CameShape::Artifact(reference) => Self::Artifact(reference),
            },
            Input::Outcomes(outcomes) => {
                Self::Outcomes(outcomes.iter().map(|outcome| CameShape::new(outcome, referred)).collect())
            }
            Input::Deadline => Self::Deadline,
            Input::Write { key, value } => {
                let key = key.clone();
                match value.as_ref().and_then(|value| referred.whole(value)) {
                    Some(artifact_id) => Self::WriteArtifact { key, artifact_id },
                    None => Self::Write { key, value: value.as_ref().map(ValueShape::from) },
                }
            }
            Input::Halt => Self::Halt,
        }
    }
}

/// A reference to an artifact as it is written: all but the output.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct ReferenceShape {
    call_id: CallId,
    pub tool_name: ToolName,
    /// The hash of the content, so it also proves it.
    pub artifact_id: Arc<str>,
    summary: Arc<str>,
    size_bytes: u64,
    elapsed_ms: u64,
}

impl From<&ToolArtifactReference> for ReferenceShape {
    fn from(it: &ToolArtifactReference) -> Self {
        Self {
            call_id: it.call_id,
            tool_name: it.tool_name.clone(),
            artifact_id: it.artifact_id.as_str().into(),
            summary: it.summary.as_str().into(),
            size_bytes: it.size_bytes,
            elapsed_ms: it.elapsed_ms,
        }
    }
}

impl ReferenceShape {
    pub fn with_output(self, output: Arc<Json>) -> ToolArtifactReference {
        ToolArtifactReference {
            call_id: self.call_id,
            tool_name: self.tool_name,
            artifact_id: self.artifact_id.to_string(),
            summary: self.summary.to_string(),
            size_bytes: self.size_bytes,
            output,
            elapsed_ms: self.elapsed_ms,
        }
    }
}

/// An outcome in an event as it is written.
#[derive(Serialize)]
#[serde(untagged)]
enum OutcomeShape<'e> {
    Whole(&'e Outcome),
    Referred(TaggedReference),
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum TaggedReference {
    ToolArtifactReference(ReferenceShape),
}

impl<'e> OutcomeShape<'e> {
    fn new(outcome: &'e Outcome, referred: &Referred) -> Self {
        match referred.reference(outcome) {
            Some(it) => Self::Referred(TaggedReference::ToolArtifactReference(it.into())),
            None => Self::Whole(outcome),
        }
    }
}

/// A value with its kind, so that 1 and 1.0, and text and JSON text, stay apart.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ValueShape {
    Null,
    Bool(bool),
    Int(i64),
    /// A finite double. JSON's shortest form reads back as the same one.
    Real(f64),
    /// The bits of a double that JSON has no number for: an infinity, a NaN with its payload.
    RealBits(u64),
    Text(Arc<str>),
    Json(Arc<Json>),
}

impl From<&Value> for ValueShape {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Int(int) => Self::Int(*int),
            Value::Real(real) if real.is_finite() => Self::Real(*real),
            Value::Real(real) => Self::RealBits(real.to_bits()),
            Value::Text(text) => Self::Text(text.clone()),
            Value::Json(json) => Self::Json(json.clone()),
        }
    }
}

impl From<ValueShape> for Value {
    fn from(shape: ValueShape) -> Self {
        match shape {
            ValueShape::Null => Self::Null,
            ValueShape::Bool(flag) => Self::Bool(flag),
            ValueShape::Int(int) => Self::Int(int),
            ValueShape::Real(real) => Self::Real(real),
            ValueShape::RealBits(bits) => Self::Real(f64::from_bits(bits)),
            ValueShape::Text(text) => Self::Text(text),
            ValueShape::Json(json) => Self::Json(json),
        }
    }
}

/// A value in an event as it is written.
#[derive(Serialize)]
#[serde(untagged)]
enum WrittenShape {
    Whole(ValueShape),
    Referred {
        artifact: Arc<str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        part: Option<String>,
    },
}

impl WrittenShape {
    fn new(value: &Value, referred: &Referred) -> Self {
        if let Some(artifact) = referred.whole(value) {
            return Self::Referred { artifact, part: None };
        }
        match referred.part(value) {
            Some((artifact, part)) => Self::Referred { artifact, part: Some(part.to_string()) },
            None => Self::Whole(value.into()),
        }
    }
}

/// An event as it is written. Nothing reads it back: a replay makes the same bytes again.
#[derive(Serialize)]
struct EventShape<'e> {
    seq: u64,
    at: Moment,
    #[serde(flatten)]
    kind: KindShape<'e>,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum KindShape<'e> {
    WillTick { tick: u64 },
    DidTick { tick: u64, status: &'static str },
    DidVisit { node: u32, status: &'static str },
    DidHalt { node: u32 },
    WillCall { node: u32, call: &'e Call },
    WillStop { node: u32, call: CallId },
    DidStop { node: u32, call: CallId, outcome: OutcomeShape<'e> },
    DidCall { node: u32, call: CallId, status: &'static str, outcome: OutcomeShape<'e> },
    DidWrite { slot: u32, write: u64, node: Option<u32>, value: Option<WrittenShape> },
    DidFail { node: u32, reason: &'e str },
    DidError { node: u32, message: &'e str },
}

impl<'e> KindShape<'e> {
    fn new(kind: &'e EventKind, referred: &Referred) -> Self {
        match kind {
            EventKind::WillTick { tick } => Self::WillTick { tick: *tick },
            EventKind::DidTick { tick, status } => Self::DidTick { tick: *tick, status: status.as_str() },
            EventKind::DidVisit { node, status } => {
                Self::DidVisit { node: node.get(), status: status.as_str() }
            }
            EventKind::DidHalt { node } => Self::DidHalt { node: node.get() },
            EventKind::WillCall { node, call } => Self::WillCall { node: node.get(), call },
            EventKind::WillStop { node, call } => Self::WillStop { node: node.get(), call: *call },
            EventKind::DidStop { node, call, outcome } => {
                let outcome = OutcomeShape::new(outcome, referred);
                Self::DidStop { node: node.get(), call: *call, outcome }
            }
            EventKind::DidCall { node, call, outcome, status } => {
                let outcome = OutcomeShape::new(outcome, referred);
                Self::DidCall { node: node.get(), call: *call, status: status.as_str(), outcome }
            }
            EventKind::DidWrite { slot, seq, value, node } => Self::DidWrite {
                slot: slot.get(),
                write: *seq,
                node: node.map(|node| node.get()),
                value: value.as_ref().map(|value| WrittenShape::new(value, referred)),
            },
            EventKind::DidFail { node, reason } => Self::DidFail { node: node.get(), reason },
            EventKind::DidError { node, message } => Self::DidError { node: node.get(), message },
        }
    }
}

/// The line of an event: the same event gives the same bytes.
pub(super) fn write_event(event: &Event, referred: &Referred) -> Result<String, Kind> {
    let kind = KindShape::new(&event.kind, referred);
    json::write(&EventShape { seq: event.seq, at: event.at, kind })
}

/// The line of an input.
pub(super) fn write_input(input: &Input, referred: &Referred) -> Result<String, Kind> {
    json::write(&InputShape::new(input, referred))
}

/// Reads the line of an input; the error says what is wrong with it.
pub(super) fn read_input(line: &str) -> Result<InputShape, String> {
    json::read(line)
}

/// How a recording ended, as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum EndingShape {
    Verdict(VerdictShape),
    Stopped(String),
}

/// A verdict as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum VerdictShape {
    Status(String),
    Halted,
    Fault { node: u32, message: Arc<str> },
}

impl From<&Verdict> for VerdictShape {
    fn from(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Status(status) => Self::Status(status.as_str().to_owned()),
            Verdict::Halted => Self::Halted,
            Verdict::Fault(fault) => Self::Fault { node: fault.node.get(), message: fault.message.clone() },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::id::{NodeId, SlotId};
    use crate::limits::{JOURNAL_DEPTH_MAX, JSON_DEPTH_MAX};
    use crate::outcome::{
        DenialReason, ErrorCategory, ToolDenied, ToolExecutionResult, ToolFailure, ToolTimeout,
    };
    use crate::status::Status;

    /// Reads an input back and compares by `Debug`, which tells -0.0 from 0.0 and takes a NaN to
    /// be itself; then the bytes, which hold a NaN's payload.
    fn round_trip(input: &Input) -> Result<(), String> {
        let referred = Referred::none();
        let line = write_input(input, &referred).map_err(|kind| format!("{kind:?}"))?;
        let back = referred.restore(read_input(&line)?, None).map_err(|fault| fault.to_string())?;
        let again = write_input(&back, &referred).map_err(|kind| format!("{kind:?}"))?;
        let same = format!("{back:?}") == format!("{input:?}") && again == line && !line.contains('\n');
        if same { Ok(()) } else { Err(format!("{input:?} became {back:?} by {line}")) }
    }

    fn any_json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<i64>().prop_map(Json::from),
            any::<u64>().prop_map(Json::from),
            any::<f64>().prop_map(Json::from),
            any::<String>().prop_map(Json::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
                prop::collection::vec((any::<String>(), inner), 0..4)
                    .prop_map(|members| Json::Object(members.into_iter().collect())),
            ]
        })
    }

    fn any_value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(|bits| Value::Real(f64::from_bits(bits))),
            Just(Value::Real(f64::NAN)),
            Just(Value::Real(f64::NEG_INFINITY)),
            Just(Value::Real(-0.0)),
            Just(Value::Real(3.0)),
            any::<String>().prop_map(Value::from),
            any_json().prop_map(|json| Value::Json(Arc::new(json))),
        ]
    }

    fn any_outcome() -> impl Strategy<Value = Outcome> {
        let parts = (any::<u64>(), any::<String>(), any_json(), any::<u64>(), any::<bool>());
        (0..5, parts, prop::option::of(any::<String>()), prop::num::f64::NORMAL).prop_map(
            |(which, (call, text, output, elapsed_ms, flag), more, seconds)| {
                let (call_id, tool_name) = (CallId(call), text.as_str().into());
                let output = Arc::new(output);
                match which {
                    0 => Outcome::ToolExecutionResult(ToolExecutionResult {
                        call_id,
                        tool_name,
                        shown: flag.then(|| output.clone()),
                        output,
                        elapsed_ms,
                        was_coerced: flag,
                    }),
                    1 => Outcome::ToolTimeout(ToolTimeout {
                        call_id,
                        tool_name,
                        deadline_s: seconds,
                        elapsed_ms,
                        retryable: flag,
                    }),
                    2 => Outcome::ToolFailure(ToolFailure {
                        call_id,
                        tool_name,
                        error: text,
                        category: ErrorCategory::Api,
                        suggestion: more,
                        retryable: flag,
                        elapsed_ms,
                    }),
                    3 => Outcome::ToolDenied(ToolDenied {
                        call_id,
                        tool_name,
                        reason: DenialReason::PreHook,
                        details: text,
                        hint: more,
                    }),
                    _ => Outcome::ToolArtifactReference(ToolArtifactReference {
                        call_id,
                        tool_name,
                        artifact_id: text.clone(),
                        summary: text,
                        size_bytes: call,
                        output,
                        elapsed_ms,
                    }),
                }
            },
        )
    }

    fn any_input() -> impl Strategy<Value = Input> {
        prop_oneof![
            Just(Input::Tick),
            Just(Input::Deadline),
            Just(Input::Halt),
            any_outcome().prop_map(|outcome| Input::Outcome(Arc::new(outcome))),
            prop::collection::vec(any_outcome().prop_map(Arc::new), 0..4).prop_map(Input::Outcomes),
            (any::<String>(), prop::option::of(any_value()))
                .prop_map(|(key, value)| Input::Write { key: key.into(), value }),
        ]
    }

    proptest! {
        #[test]
        fn every_input_reads_back_as_it_was(input in any_input()) {
            round_trip(&input).map_err(TestCaseError::fail)?;
        }
    }

    fn nested(depth: usize) -> Json {
        (1..depth).fold(json!([]), |inner, _| json!([inner]))
    }

    fn result(output: Json) -> Input {
        Input::Outcome(Arc::new(Outcome::ToolExecutionResult(ToolExecutionResult {
            call_id: CallId(1),
            tool_name: "t".into(),
            output: Arc::new(output),
            shown: None,
            elapsed_ms: 0,
            was_coerced: false,
        })))
    }

    #[test]
    fn the_deepest_output_of_a_call_reads_back_and_a_deeper_value_is_not_written() {
        let deepest = result(nested(JSON_DEPTH_MAX));
        assert_eq!(round_trip(&deepest), Ok(()));
        assert_eq!(round_trip(&Input::Outcomes([deepest.outcomes(); 2].concat())), Ok(()));
        let refused = write_input(&result(nested(JOURNAL_DEPTH_MAX)), &Referred::none());
        assert!(matches!(refused, Err(Kind::TooDeep)), "{refused:?}");
        let crafted = format!("{{\"outcome\":{}", "[".repeat(1_000_000));
        assert_eq!(read_input(&crafted).err().unwrap(), "is nested deeper than 135 levels");
    }

    #[test]
    fn a_line_that_is_no_input_says_why() {
        let check = |line: &str, why: &str| {
            let said = read_input(line).err().unwrap();
            assert!(said.contains(why), "{said}");
        };
        check("", "EOF");
        check("\"tick\" 1", "trailing characters");
        check("\"tock\"", "unknown variant `tock`");
        check("{\"outcome\":{\"kind\":\"other\"}}", "unknown variant `other`");
    }

    #[test]
    fn events_have_one_form() {
        #[track_caller]
        fn check(kind: EventKind, line: &str) {
            let event = Event { seq: 3, at: Moment::from_nanos(70), kind };
            assert_eq!(
                write_event(&event, &Referred::none()).unwrap(),
                format!("{{\"seq\":3,\"at\":70,{line}}}")
            );
        }
        let (node, slot) = (NodeId::new(4), SlotId::new(5));
        check(EventKind::WillTick { tick: 1 }, r#""event":"will_tick","tick":1"#);
        check(
            EventKind::DidTick { tick: 1, status: Status::Skipped },
            r#""event":"did_tick","tick":1,"status":"SKIPPED""#,
        );
        check(EventKind::DidHalt { node }, r#""event":"did_halt","node":4"#);
        check(EventKind::WillStop { node, call: CallId(9) }, r#""event":"will_stop","node":4,"call":9"#);
        check(
            EventKind::DidWrite { slot, seq: 2, value: Some(Value::Real(2.0)), node: None },
            r#""event":"did_write","slot":5,"write":2,"node":null,"value":{"real":2.0}"#,
        );
        check(
            EventKind::DidWrite { slot, seq: 2, value: None, node: Some(node) },
            r#""event":"did_write","slot":5,"write":2,"node":4,"value":null"#,
        );
        check(
            EventKind::DidWrite { slot, seq: 2, value: Some(Value::Null), node: Some(node) },
            r#""event":"did_write","slot":5,"write":2,"node":4,"value":"null""#,
        );
        check(
            EventKind::DidError { node, message: "a \"b\"\n".into() },
            r#""event":"did_error","node":4,"message":"a \"b\"\n""#,
        );
    }
}
