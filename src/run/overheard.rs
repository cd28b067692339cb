//! Notices on their way to the bus: who was permitted what is kept until the loop takes it, for a
//! watcher may miss it and a recording must not.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use crate::exec::PERMISSION_EVENTS;
use crate::id::CallId;
use crate::run::bus::Bus;
use crate::tool::{Notice, Notices};

/// What was said, in its order. Each call says it a few times at most, and the loop takes all with
/// each outcome; so what waits here is bounded by the calls under way.
type Kept = Vec<(CallId, Notice)>;

/// Hears what calls say. Clones share what is kept.
#[derive(Clone)]
pub(super) struct Overheard {
    bus: Bus,
    kept: Arc<Mutex<Kept>>,
}

impl Overheard {
    pub fn new(bus: Bus) -> Self {
        Self { bus, kept: Arc::default() }
    }

    /// What was kept since this was asked last.
    pub fn take(&self) -> Kept {
        mem::take(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Notices for Overheard {
    fn notice(&self, call: CallId, notice: Notice) {
        if matches!(&notice, Notice::Event { name, .. } if PERMISSION_EVENTS.contains(name)) {
            self.kept.lock().unwrap_or_else(PoisonError::into_inner).push((call, notice.clone()));
        }
        self.bus.notice(call, notice);
    }
}
