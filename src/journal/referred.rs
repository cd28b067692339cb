//! The artifacts that a recording refers to instead of holding them.
//!
//! A large output lies in its store already, whole and under the hash of its content. A recording made
//! with a store that outlives the run names it there: once in the outcome that brought it, and wherever
//! the same value is written to a key. So a recording stays small, and a replay reads the store.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::call::ToolName;
use crate::diag::{Code, Diagnostic};
use crate::engine::Input;
use crate::exec::artifact::{ArtifactId, ArtifactStore};
use crate::journal::format::{CameShape, InputShape, ReferenceShape};
use crate::journal::{Head, json};
use crate::json_path::{JsonPath, JsonStep};
use crate::limits::JOURNAL_NAMED_BYTES_MIN;
use crate::outcome::{Outcome, ToolArtifactReference};
use crate::value::Value;

/// The artifacts that the inputs so far have brought, by their names; whoever records and whoever
/// replays learn the same ones from the same inputs, so both write the same lines.
#[derive(Debug)]
pub(super) struct Referred {
    /// Whether the recording refers to artifacts at all.
    is_on: bool,
    known: BTreeMap<Arc<str>, Arc<Json>>,
}

impl Referred {
    /// Of a recording that holds everything itself.
    pub fn none() -> Self {
        Self { is_on: false, known: BTreeMap::new() }
    }

    /// Of the recording with this head, before its first input.
    pub fn of(head: &Head) -> Self {
        Self { is_on: head.artifacts.is_some(), ..Self::none() }
    }

    /// Learns what an input brings.
    pub fn learn(&mut self, input: &Input) {
        for outcome in input.outcomes() {
            if let Some(reference) = self.reference(outcome) {
                self.known.insert(reference.artifact_id.as_str().into(), reference.output.clone());
            }
        }
    }

    /// The outcome when it is to be written without its output.
    pub fn reference<'o>(&self, outcome: &'o Outcome) -> Option<&'o ToolArtifactReference> {
        match outcome {
            Outcome::ToolArtifactReference(reference) if self.is_on => Some(reference),
            _ => None,
        }
    }

    /// The artifact that the value is, whole. Found by what the value is and not by whether it is the
    /// same allocation: a value that an embedder reads and writes back is another one in the replay.
    pub fn whole(&self, value: &Value) -> Option<Arc<str>> {
        let is_it = |output: &Arc<Json>| match value {
            Value::Json(json) if Arc::ptr_eq(json, output) => true,
            value => is_same(value, output),
        };
        self.known.iter().find(|(_, output)| is_it(output)).map(|(id, _)| id.clone())
    }

    /// The artifact that the value is a member of, and the path to it there. A tool's output ports take
    /// its members apart, so that one of them is often most of the output.
    pub fn part(&self, value: &Value) -> Option<(Arc<str>, JsonPath)> {
        self.known.iter().find_map(|(id, output)| {
            let mut members = output.as_object()?.iter();
            let (name, _) = members.find(|(_, member)| is_same(value, member))?;
            Some((id.clone(), JsonPath::new(vec![JsonStep::Member(name.as_str().into())])))
        })
    }

    /// The input that was written as `shape`, its artifacts read from `store`.
    pub fn restore(
        &self,
        shape: InputShape,
        store: Option<&dyn ArtifactStore>,
    ) -> Result<Input, MissingArtifact> {
        Ok(match shape {
            InputShape::Outcome(outcome) => Input::Outcome(outcome),
            InputShape::Artifact(shape) => Input::Outcome(self.bring(shape, store)?),
            InputShape::Outcomes(shapes) => {
                let outcomes = shapes.into_iter().map(|shape| match shape {
                    CameShape::Outcome(outcome) => Ok(outcome),
                    CameShape::Artifact(shape) => self.bring(shape, store),
                });
                Input::Outcomes(outcomes.collect::<Result<_, _>>()?)
            }
            InputShape::WriteArtifact { key, artifact_id } => {
                let content = self.fetch(&artifact_id, None, store)?;
                let value = match &*content {
                    Json::Array(_) | Json::Object(_) => Value::Json(content),
                    scalar => Value::from_json(scalar.clone()),
                };
                Input::Write { key, value: Some(value) }
            }
            InputShape::Tick => Input::Tick,
            InputShape::Deadline => Input::Deadline,
            InputShape::Write { key, value } => Input::Write { key, value: value.map(Value::from) },
            InputShape::Halt => Input::Halt,
        })
    }

    fn bring(
        &self,
        shape: ReferenceShape,
        store: Option<&dyn ArtifactStore>,
    ) -> Result<Arc<Outcome>, MissingArtifact> {
        let output = self.fetch(&shape.artifact_id, Some(&shape.tool_name), store)?;
        Ok(Arc::new(Outcome::ToolArtifactReference(shape.with_output(output))))
    }

    fn fetch(
        &self,
        id: &Arc<str>,
        tool: Option<&ToolName>,
        store: Option<&dyn ArtifactStore>,
    ) -> Result<Arc<Json>, MissingArtifact> {
        if let Some(known) = self.known.get(id) {
            return Ok(known.clone());
        }
        let missing = |why| MissingArtifact { id: id.clone(), tool: tool.cloned(), input: 0, why };
        let store = store.ok_or_else(|| missing("no artifact store was named".to_owned()))?;
        let name = ArtifactId::parse(id).ok_or_else(|| missing("no artifact has such a name".to_owned()))?;
        let content = store.get(&name).map_err(|error| missing(error.to_string()))?;
        let text = str::from_utf8(&content).map_err(|error| missing(error.to_string()))?;
        json::read(text).map(Arc::new).map_err(|why| missing(format!("it {why}")))
    }
}

/// Whether two values are the same and large enough to be worth a name. Equal numbers may have two
/// spellings, such as 0.0 and -0.0; equal texts are one value.
fn is_same(value: &Value, json: &Json) -> bool {
    match value {
        Value::Text(text) => text.len() >= JOURNAL_NAMED_BYTES_MIN && json.as_str() == Some(text),
        Value::Json(value) if **value == *json => {
            let (one, other) = (value.to_string(), json.to_string());
            one.len() >= JOURNAL_NAMED_BYTES_MIN && one == other
        }
        _ => false,
    }
}

/// An artifact that a replay needs and does not find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingArtifact {
    /// Its name.
    pub id: Arc<str>,
    /// The tool whose output it is; `None` for a value that came from outside.
    pub tool: Option<ToolName>,
    /// The input that brings it, counted from 1: the replay goes up to it.
    pub input: u64,
    /// Why it is not found.
    pub why: String,
}

impl fmt::Display for MissingArtifact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, tool, input, .. } = self;
        write!(f, "the replay goes up to input {input}, which needs the artifact {id}")?;
        tool.as_ref().map_or(Ok(()), |tool| write!(f, ", an output of {tool}"))
    }
}

impl std::error::Error for MissingArtifact {}

impl From<&MissingArtifact> for Diagnostic {
    fn from(missing: &MissingArtifact) -> Self {
        Self::new(Code::E0435, missing.to_string()).note(missing.why.clone()).help(
            "Name the folder that the run stored into, `--artifacts DIR`; what is evicted comes back when the \
             same run is made again.",
        )
    }
}
