//! Artifacts in memory, within bounds.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::exec::artifact::{Artifact, ArtifactError, ArtifactId, ArtifactStore};
use crate::harness::Lease;
use crate::limits::{ARTIFACTS_BYTES_MAX, ARTIFACTS_MAX};

/// A store that lives as long as its process. When it is full, the oldest content that nobody
/// holds makes room.
pub struct MemoryArtifacts {
    kept: Mutex<Kept>,
    bytes_max: usize,
}

#[derive(Default)]
struct Kept {
    contents: HashMap<ArtifactId, Artifact>,
    /// The oldest first.
    order: VecDeque<ArtifactId>,
    bytes: usize,
}

impl MemoryArtifacts {
    /// An empty store of at most `bytes_max` bytes.
    pub fn new(bytes_max: usize) -> Self {
        Self { kept: Mutex::default(), bytes_max }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryArtifacts {
    fn default() -> Self {
        Self::new(ARTIFACTS_BYTES_MAX)
    }
}

impl ArtifactStore for MemoryArtifacts {
    fn put(&self, content: &[u8], lease: &Lease) -> Result<ArtifactId, ArtifactError> {
        // Hashed and copied before: only the map changes under the lease.
        let (id, artifact) = (ArtifactId::of(content), Artifact::from(content));
        lease.commit(|| self.kept().keep(&id, artifact, self.bytes_max))??;
        Ok(id)
    }

    fn get(&self, id: &ArtifactId) -> Result<Option<Artifact>, ArtifactError> {
        Ok(self.kept().contents.get(id).cloned())
    }
}

impl Kept {
    fn keep(&mut self, id: &ArtifactId, artifact: Artifact, bytes_max: usize) -> Result<(), ArtifactError> {
        if self.contents.contains_key(id) {
            return Ok(());
        }
        let bytes = artifact.len();
        if !self.make_room(bytes, bytes_max) {
            return Err(ArtifactError::Full { bytes, bytes_max });
        }
        self.bytes += bytes;
        self.order.push_back(id.clone());
        self.contents.insert(id.clone(), artifact);
        Ok(())
    }

    /// Evicts the oldest that nobody holds until `bytes` more fit; nothing when they never will.
    fn make_room(&mut self, bytes: usize, bytes_max: usize) -> bool {
        let is_free = |id: &ArtifactId| self.contents.get(id).is_some_and(|it| Arc::strong_count(it) == 1);
        let (mut bytes_left, mut count_left) = (self.bytes, self.order.len());
        let mut leaving = Vec::new();
        for id in self.order.iter().filter(|id| is_free(id)) {
            if bytes_left + bytes <= bytes_max && count_left < ARTIFACTS_MAX {
                break;
            }
            bytes_left -= self.contents.get(id).map_or(0, |it| it.len());
            count_left -= 1;
            leaving.push(id.clone());
        }
        let fits = bytes_left + bytes <= bytes_max && count_left < ARTIFACTS_MAX;
        if fits {
            leaving.iter().for_each(|id| drop(self.contents.remove(id)));
            self.order.retain(|id| self.contents.contains_key(id));
            self.bytes = bytes_left;
        }
        fits
    }
}

impl fmt::Debug for MemoryArtifacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.kept();
        f.debug_struct("MemoryArtifacts")
            .field("artifacts", &kept.contents.len())
            .field("bytes", &kept.bytes)
            .field("bytes_max", &self.bytes_max)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a12_a_content_is_stored_once_under_its_hash_and_read_back_whole() {
        let store = MemoryArtifacts::default();
        let id = store.put(b"content", &Lease::new()).unwrap();
        assert_eq!(store.put(b"content", &Lease::new()).unwrap(), id);
        assert_eq!(ArtifactId::parse(id.as_str()), Some(id.clone()));
        assert_eq!(store.get(&id).unwrap().as_deref(), Some(&b"content"[..]));
        assert_eq!(store.kept().bytes, 7);
        assert_eq!(store.get(&ArtifactId::of(b"other")).unwrap(), None);
        assert_eq!((ArtifactId::parse("../x"), ArtifactId::parse(&"A".repeat(32))), (None, None));
    }

    #[test]
    fn the_oldest_that_nobody_holds_makes_room() {
        let store = MemoryArtifacts::new(30);
        let put = |letter: u8| store.put(&[letter; 10], &Lease::new());
        let ids: Vec<_> = b"abc".iter().map(|&letter| put(letter).unwrap()).collect();
        let held = store.get(&ids[0]).unwrap().unwrap();
        put(b'd').unwrap();
        let there: Vec<_> = ids.iter().map(|id| store.get(id).unwrap().is_some()).collect();
        assert_eq!(there, [true, false, true], "b was the oldest that nobody held");
        assert_eq!(store.kept().bytes, 30);
        drop(held);
        let full = store.put(&[0; 31], &Lease::new());
        assert_eq!(full, Err(ArtifactError::Full { bytes: 31, bytes_max: 30 }));
        assert_eq!(store.kept().bytes, 30, "what never fits evicts nothing");
    }

    #[test]
    fn a04_a_late_artifact_lands_nowhere() {
        let store = MemoryArtifacts::default();
        let lease = Lease::new();
        lease.end();
        assert_eq!(store.put(b"late", &lease), Err(ArtifactError::LeaseLost));
        assert_eq!(store.get(&ArtifactId::of(b"late")).unwrap(), None);
    }
}
