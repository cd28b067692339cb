//! Results of tools that only look, by who asked for what. Bounded in number, size and age; the oldest
//! go first.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value as Json;

use crate::manifest::{Effects, ToolManifest};
use crate::moment::Moment;
use crate::service::{CacheSettings, InvokeRequest, ToolResult};

/// The cache of a service.
pub(super) struct Cache {
    settings: CacheSettings,
    // A std mutex: under it are a few map steps. Hashing and sizing are done outside.
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    entries: HashMap<Key, Entry>,
    /// By age, the oldest first.
    order: VecDeque<(Moment, Key)>,
    bytes: usize,
}

struct Entry {
    result: ToolResult,
    bytes: usize,
    at: Moment,
}

/// Who asked for what, hashed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key([u8; 32]);

impl Key {
    /// The key of a request; `None` for a tool whose result says nothing of the next one: one that
    /// changes something, or one that is asked until its answer changes. Agents never see each other's
    /// results, for a tool may answer each of them otherwise.
    pub fn of(request: &InvokeRequest, manifest: &ToolManifest) -> Option<Self> {
        if manifest.effects != Effects::ReadOnly || manifest.polls || !request.execution_options.use_cache {
            return None;
        }
        // Members of a JSON object are in the order of their names: equal arguments are equal texts.
        let asked = (&manifest.name, &*manifest.version, &request.agent_context, &request.parameters);
        let mut hasher = blake3::Hasher::new();
        serde_json::to_writer(&mut hasher, &asked).ok()?;
        Some(Self(*hasher.finalize().as_bytes()))
    }
}

impl Cache {
    pub fn new(settings: CacheSettings) -> Self {
        Self { settings, kept: Mutex::default() }
    }

    /// The result that is kept for this, when it is not too old.
    pub fn get(&self, key: Key, now: Moment) -> Option<ToolResult> {
        let mut kept = self.kept();
        self.forget(&mut kept, now, 0);
        kept.entries.get(&key).map(|entry| entry.result.clone())
    }

    /// Keeps a result, unless it alone is more than the cache may hold.
    pub fn keep(&self, key: Key, result: &ToolResult, now: Moment) {
        // A reference to an artifact is small, and not nothing.
        let bytes = result.result.as_deref().map_or(1, size);
        if bytes > self.settings.bytes_max || self.settings.entries_max == 0 {
            return;
        }
        let mut kept = self.kept();
        kept.remove(key);
        self.forget(&mut kept, now, bytes);
        kept.bytes += bytes;
        kept.order.push_back((now, key));
        kept.entries.insert(key, Entry { result: result.clone(), bytes, at: now });
    }

    /// Forgets what is too old, and the oldest until `coming` bytes more fit.
    fn forget(&self, kept: &mut Kept, now: Moment, coming: usize) {
        let CacheSettings { entries_max, bytes_max, age_max } = self.settings;
        while let Some(&(at, key)) = kept.order.front() {
            let full = coming > 0 && (kept.entries.len() >= entries_max || kept.bytes + coming > bytes_max);
            let is_gone = kept.entries.get(&key).is_none_or(|entry| entry.at != at);
            if !full && !is_gone && now.since(at) < age_max {
                break;
            }
            kept.order.pop_front();
            if !is_gone {
                kept.remove(key);
            }
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Its place in the order is swept when it comes to the front.
    fn remove(&mut self, key: Key) {
        if let Some(entry) = self.entries.remove(&key) {
            self.bytes -= entry.bytes;
        }
    }
}

fn size(value: &Json) -> usize {
    value.to_string().len()
}
