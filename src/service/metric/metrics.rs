//! The counts, and their text.

use std::fmt;
use std::sync::Arc;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::call::ToolName;
use crate::outcome::Outcome;
use crate::service::ErrorCode;
use crate::service::metric::row::{Ending, Row, Rows};

/// What the text is, for whoever reads it over HTTP: the form that Prometheus made a standard.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// What is counted. Labels are bounded: names of tools by
/// [`METRIC_TOOLS_MAX`](crate::limits::METRIC_TOOLS_MAX), the rest by what there is.
///
/// # Example
/// ```
/// use std::sync::Arc;
/// use helve::service::metric::Metrics;
///
/// let metrics = Arc::new(Metrics::new());
/// assert!(metrics.text().contains("helve_calls_in_flight 0"));
/// ```
pub struct Metrics {
    registry: Registry,
    rows: Rows,
    in_flight: Gauge,
    queue_depth: Gauge,
    denials: Family<ReasonLabels, Counter>,
    cache_hits: Counter,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabels {
    reason: &'static str,
}

/// A call that is under way. Dropped without [`leave`](Self::leave) it is counted as dropped: nobody
/// waited for its outcome.
pub struct InFlight {
    in_flight: Gauge,
    row: Arc<Row>,
    has_left: bool,
}

impl Metrics {
    /// Nothing counted yet.
    pub fn new() -> Self {
        let mut registry = Registry::with_prefix("helve");
        let rows = Rows::new(&mut registry);
        let (in_flight, queue_depth) = (Gauge::default(), Gauge::default());
        registry.register("calls_in_flight", "Calls that are under way", in_flight.clone());
        registry.register("queue_depth", "Calls that wait for a place", queue_depth.clone());
        let denials = Family::<ReasonLabels, Counter>::default();
        registry.register("denials", "Calls and requests that were refused, by reason", denials.clone());
        let cache_hits = Counter::default();
        registry.register("cache_hits", "Requests that a kept result answered", cache_hits.clone());
        Self { registry, rows, in_flight, queue_depth, denials, cache_hits }
    }

    /// All counts as text, in the OpenMetrics form, which Prometheus reads.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Fails only when a text cannot be written to, and a String always can.
        let _ = encode(&mut text, &self.registry);
        text
    }

    /// A call has ended.
    pub(super) fn ended(&self, outcome: &Outcome) {
        let (row, ending) = (self.rows.of(outcome.tool_name()), Ending::of(outcome));
        row.count(ending);
        match outcome {
            Outcome::ToolDenied(denied) => self.denied(denied.reason.as_str()),
            ran => row.took(ran.elapsed_ms()),
        }
    }

    /// A call of a service begins.
    pub(in crate::service) fn enter(&self, tool: &ToolName) -> InFlight {
        self.in_flight.inc();
        InFlight { in_flight: self.in_flight.clone(), row: self.rows.of(tool), has_left: false }
    }

    /// Calls of a run have begun or ended.
    pub(super) fn shift_in_flight(&self, by: i64) {
        self.in_flight.inc_by(by);
    }

    /// So many calls wait for a place.
    pub(in crate::service) fn queue_depth(&self, waiting: usize) {
        self.queue_depth.set(i64::try_from(waiting).unwrap_or(i64::MAX));
    }

    /// A request was refused before anything was called. One that its caller cancelled was not.
    pub(in crate::service) fn refused(&self, code: ErrorCode) {
        if !matches!(code, ErrorCode::E3108 | ErrorCode::E3113) {
            self.denied(code.slug());
        }
    }

    /// A request was answered from the cache.
    pub(in crate::service) fn cached(&self) {
        self.cache_hits.inc();
    }

    fn denied(&self, reason: &'static str) {
        self.denials.get_or_create(&ReasonLabels { reason }).inc();
    }
}

impl InFlight {
    /// The call has left its outcome.
    pub fn leave(mut self) {
        self.has_left = true;
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.in_flight.dec();
        if !self.has_left {
            self.row.count(Ending::Dropped);
        }
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").field("in_flight", &self.in_flight.get()).finish_non_exhaustive()
    }
}
