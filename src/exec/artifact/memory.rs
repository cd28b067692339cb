//! Artifacts in memory, within bounds.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::call::ToolName;
use crate::exec::artifact::evict::{Kept, leaving};
use crate::exec::artifact::{
    Artifact, ArtifactError, ArtifactId, ArtifactLimits, ArtifactStore, Pin, Pinned,
};
use crate::harness::Lease;
use crate::limits::{ARTIFACTS_BYTES_MAX, ARTIFACTS_MAX};

/// A store that lives as long as its process. When it is full, the content that was longest unused
/// and that nobody holds makes room. To hold a content is to pin it.
pub struct MemoryArtifacts {
    contents: Mutex<Contents>,
    limits: ArtifactLimits,
}

#[derive(Default)]
struct Contents {
    by_id: HashMap<ArtifactId, Entry>,
    bytes: u64,
    /// Counts the uses: time as far as eviction is concerned.
    uses: u64,
}

struct Entry {
    content: Artifact,
    used: u64,
}

impl MemoryArtifacts {
    /// An empty store of at most `bytes_max` bytes.
    pub fn new(bytes_max: usize) -> Self {
        let bytes_max = bytes_max as u64;
        let limits = ArtifactLimits { bytes_max, count_max: ARTIFACTS_MAX, age_max: Duration::MAX };
        Self { contents: Mutex::default(), limits }
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryArtifacts {
    fn default() -> Self {
        Self::new(ARTIFACTS_BYTES_MAX)
    }
}

impl ArtifactStore for MemoryArtifacts {
    fn put(&self, content: &[u8], _: &ToolName, lease: &Lease) -> Result<Pinned, ArtifactError> {
        // Hashed and copied before: only the map changes under the lease.
        let (id, artifact) = (ArtifactId::of(content), Artifact::from(content));
        let held = lease.commit(|| self.contents().keep(&id, artifact, &self.limits))??;
        Ok(Pinned { id, pin: Pin::new(held) })
    }

    fn get(&self, id: &ArtifactId) -> Result<Artifact, ArtifactError> {
        self.contents().use_now(id).ok_or_else(|| ArtifactError::Missing { id: id.clone() })
    }
}

impl Contents {
    fn use_now(&mut self, id: &ArtifactId) -> Option<Artifact> {
        self.uses += 1;
        let entry = self.by_id.get_mut(id)?;
        entry.used = self.uses;
        Some(entry.content.clone())
    }

    fn keep(
        &mut self,
        id: &ArtifactId,
        content: Artifact,
        limits: &ArtifactLimits,
    ) -> Result<Artifact, ArtifactError> {
        if let Some(there) = self.use_now(id) {
            return Ok(there);
        }
        let bytes = content.len();
        if !self.make_room(bytes as u64, limits) {
            return Err(ArtifactError::Full { bytes, bytes_max: limits.bytes_max });
        }
        self.bytes += bytes as u64;
        self.by_id.insert(id.clone(), Entry { content: content.clone(), used: self.uses });
        Ok(content)
    }

    /// Whether `bytes` more fit, if need be without those that nobody holds.
    fn make_room(&mut self, bytes: u64, limits: &ArtifactLimits) -> bool {
        if self.bytes + bytes <= limits.bytes_max && self.by_id.len() < limits.count_max {
            return true;
        }
        let kept: Vec<_> = self.by_id.iter().map(|(id, entry)| entry.as_kept(id)).collect();
        let Some(leaving) = leaving(&kept, limits, 0, bytes) else { return false };
        for id in leaving {
            self.bytes -= self.by_id.remove(&id).map_or(0, |entry| entry.content.len() as u64);
        }
        true
    }
}

impl Entry {
    fn as_kept(&self, id: &ArtifactId) -> Kept {
        let is_pinned = Arc::strong_count(&self.content) > 1;
        Kept { id: id.clone(), bytes: self.content.len() as u64, used: self.used, is_pinned }
    }
}

impl fmt::Debug for MemoryArtifacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let contents = self.contents();
        f.debug_struct("MemoryArtifacts")
            .field("artifacts", &contents.by_id.len())
            .field("bytes", &contents.bytes)
            .field("bytes_max", &self.limits.bytes_max)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(store: &MemoryArtifacts, content: &[u8]) -> Result<Pinned, ArtifactError> {
        store.put(content, &"echo".into(), &Lease::new())
    }

    fn missing(content: &[u8]) -> Result<Artifact, ArtifactError> {
        Err(ArtifactError::Missing { id: ArtifactId::of(content) })
    }

    #[test]
    fn a12_a_content_is_stored_once_under_its_hash_and_read_back_whole() {
        let store = MemoryArtifacts::default();
        let id = put(&store, b"content").unwrap().id;
        assert_eq!(put(&store, b"content").unwrap().id, id);
        assert_eq!(ArtifactId::parse(id.as_str()), Some(id.clone()));
        assert_eq!(store.get(&id).as_deref(), Ok(&b"content"[..]));
        assert_eq!(store.contents().bytes, 7);
        assert_eq!(store.get(&ArtifactId::of(b"other")), missing(b"other"));
        assert_eq!((ArtifactId::parse("../x"), ArtifactId::parse(&"A".repeat(32))), (None, None));
    }

    #[test]
    fn a12_the_longest_unused_that_nobody_holds_makes_room() {
        let store = MemoryArtifacts::new(43);
        let pinned = put(&store, &[b'a'; 10]).unwrap();
        let ids: Vec<_> = b"bcd".iter().map(|&letter| put(&store, &[letter; 10]).unwrap().id).collect();
        store.get(&ids[0]).unwrap();
        let _e = put(&store, &[b'e'; 10]).unwrap();
        let there: Vec<_> = ids.iter().map(|id| store.get(id).is_ok()).collect();
        assert_eq!(there, [true, false, true], "a is pinned, b was used after c");
        assert!(store.get(&pinned.id).is_ok());
        assert_eq!(store.contents().bytes, 40);
        let full = put(&store, &[0; 44]).unwrap_err();
        assert_eq!(full, ArtifactError::Full { bytes: 44, bytes_max: 43 });
        assert_eq!(store.contents().bytes, 40, "what never fits evicts nothing");
        let full = put(&store, &[0; 24]).unwrap_err();
        assert_eq!(full, ArtifactError::Full { bytes: 24, bytes_max: 43 }, "a and e are pinned");
        drop(pinned);
        assert!(put(&store, &[0; 24]).is_ok());
    }

    #[test]
    fn a04_a_late_artifact_lands_nowhere() {
        let store = MemoryArtifacts::default();
        let lease = Lease::new();
        lease.end();
        assert_eq!(store.put(b"late", &"echo".into(), &lease).unwrap_err(), ArtifactError::LeaseLost);
        assert_eq!(store.get(&ArtifactId::of(b"late")), missing(b"late"));
    }
}
