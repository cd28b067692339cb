//! Who tells the metrics: an executor's log of every call that ended, the calls inside of others
//! included, and the loop of a run, which knows what is under way.

use std::sync::Arc;

use crate::event::{Event, EventKind};
use crate::exec::{BoundedExecutor, CallEntry, Collaborators, EventLog};
use crate::run::Observer;
use crate::service::metric::Metrics;

impl Metrics {
    /// The same executor, of which every call that ends is counted here, and told to its own log too.
    pub fn listen_to(self: &Arc<Self>, executor: BoundedExecutor) -> BoundedExecutor {
        let collaborators = executor.collaborators().clone();
        let log = Log { metrics: self.clone(), next: collaborators.event_log.clone() };
        executor.with_collaborators(Collaborators { event_log: Arc::new(log), ..collaborators })
    }

    /// Counts the calls of a run that are under way.
    pub fn observer(self: &Arc<Self>) -> impl Observer + use<> {
        Watch { metrics: self.clone(), open: 0 }
    }
}

struct Log {
    metrics: Arc<Metrics>,
    next: Arc<dyn EventLog>,
}

impl EventLog for Log {
    fn log(&self, entry: &CallEntry<'_>) {
        self.metrics.ended(entry.outcome);
        self.next.log(entry);
    }
}

struct Watch {
    metrics: Arc<Metrics>,
    open: i64,
}

impl Watch {
    fn shift(&mut self, by: i64) {
        self.open += by;
        self.metrics.shift_in_flight(by);
    }
}

impl Observer for Watch {
    fn did_happen(&mut self, event: &Event) {
        match event.kind {
            EventKind::WillCall { .. } => self.shift(1),
            EventKind::DidCall { .. } | EventKind::DidStop { .. } => self.shift(-1),
            _ => {}
        }
    }
}

impl Drop for Watch {
    /// A run that dies takes its calls with it.
    fn drop(&mut self) {
        self.shift(-self.open);
    }
}
