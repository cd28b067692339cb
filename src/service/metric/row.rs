//! The counts of one tool.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use crate::call::ToolName;
use crate::limits::METRIC_TOOLS_MAX;
use crate::outcome::{ErrorCategory, Outcome};

/// The upper ends of the buckets of durations, in seconds: from what a tool in memory takes to the
/// longest that a call may take on its own account, and what is made for longer.
const BUCKETS: [f64; 12] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 45.0, 300.0, 1_800.0];

/// How a call ended, as a label.
#[derive(Clone, Copy)]
pub(super) enum Ending {
    Result,
    Artifact,
    Timeout,
    Failure,
    Denied,
    Cancelled,
    Dropped,
}

const ENDINGS: [&str; 7] = ["result", "artifact", "timeout", "failure", "denied", "cancelled", "dropped"];

impl Ending {
    pub fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::ToolExecutionResult(_) => Self::Result,
            Outcome::ToolArtifactReference(_) => Self::Artifact,
            Outcome::ToolTimeout(_) => Self::Timeout,
            Outcome::ToolFailure(it) if it.category == ErrorCategory::Cancelled => Self::Cancelled,
            Outcome::ToolFailure(_) => Self::Failure,
            Outcome::ToolDenied(_) => Self::Denied,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    tool: String,
    outcome: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ToolLabels {
    tool: String,
}

type Latency = Family<ToolLabels, Histogram, fn() -> Histogram>;

/// The counts of one tool: handles, so that a call costs a look into a map and three additions.
pub(super) struct Row {
    endings: [Counter; ENDINGS.len()],
    latency: Histogram,
}

impl Row {
    pub fn count(&self, ending: Ending) {
        self.endings[ending as usize].inc();
    }

    pub fn took(&self, millis: u64) {
        self.latency.observe(millis as f64 / 1_000.0);
    }
}

/// The rows of all tools. Names may come from anywhere, a model included, so only the first
/// [`METRIC_TOOLS_MAX`] have a row of their own: the rest share one.
pub(super) struct Rows {
    calls: Family<CallLabels, Counter>,
    latency: Latency,
    rows: RwLock<BTreeMap<ToolName, Arc<Row>>>,
    /// Its name may be a tool's too: then it has the counts of both.
    others: ToolName,
}

impl Rows {
    pub fn new(registry: &mut Registry) -> Self {
        let calls = Family::default();
        let latency: Latency = Family::new_with_constructor(|| Histogram::new(BUCKETS));
        registry.register("calls", "Calls that ended, by tool and outcome", calls.clone());
        registry.register_with_unit(
            "call_duration",
            "Time that calls took, in whole milliseconds; denied ones take none",
            Unit::Seconds,
            latency.clone(),
        );
        Self { calls, latency, rows: RwLock::default(), others: "other".into() }
    }

    pub fn of(&self, tool: &ToolName) -> Arc<Row> {
        if let Some(row) = self.rows.read().unwrap_or_else(PoisonError::into_inner).get(tool) {
            return row.clone();
        }
        let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        let tool = if rows.len() < METRIC_TOOLS_MAX || rows.contains_key(tool) { tool } else { &self.others };
        rows.entry(tool.clone()).or_insert_with(|| Arc::new(self.make(tool))).clone()
    }

    fn make(&self, tool: &ToolName) -> Row {
        let name = escaped(tool.as_str());
        let endings = ENDINGS.map(|outcome| {
            let labels = CallLabels { tool: name.clone(), outcome: outcome.to_owned() };
            self.calls.get_or_create_owned(&labels)
        });
        let latency = self.latency.get_or_create_owned(&ToolLabels { tool: name });
        Row { endings, latency }
    }
}

/// A name as the value of a label. The library writes values as they are, and a name with a quote and
/// a line break in it could otherwise write samples of its own.
fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
