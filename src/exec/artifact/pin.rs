//! What keeps an artifact from being evicted.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::exec::artifact::ArtifactId;

/// Keeps one artifact in its store for as long as it lives. What that takes is the store's own
/// business: an `Arc` in memory, an entry of a locked file on disk.
#[derive(Clone)]
pub struct Pin(#[expect(dead_code, reason = "it is only held; dropping it is its work")] Arc<dyn Held>);

/// Anything that can be held from any thread.
trait Held: Send + Sync {}

impl<T: Send + Sync> Held for T {}

impl Pin {
    /// A pin that holds as long as `what` lives.
    pub fn new(what: impl Send + Sync + 'static) -> Self {
        Self(Arc::new(what))
    }
}

impl fmt::Debug for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pin")
    }
}

/// An artifact that was just stored, and what keeps it there.
#[derive(Clone, Debug)]
#[must_use = "dropping the pin lets the artifact be evicted"]
pub struct Pinned {
    /// Its name.
    pub id: ArtifactId,
    /// What keeps it.
    pub pin: Pin,
}

/// The artifacts that a turn refers to: all that its calls have stored, until the turn is gone.
#[derive(Debug, Default)]
pub(crate) struct Pins(Mutex<BTreeMap<ArtifactId, Pin>>);

impl Pins {
    /// Keeps the artifact from now on; answers its name.
    pub fn keep(&self, pinned: Pinned) -> ArtifactId {
        let Pinned { id, pin } = pinned;
        let mut pins = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Both pins of one artifact do the same; the older one stays.
        pins.entry(id.clone()).or_insert(pin);
        id
    }
}
