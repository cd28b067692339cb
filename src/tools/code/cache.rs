//! Parsed files, kept until they change or memory is wanted for others.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::SystemTime;

use crate::limits::CODE_CACHE_BYTES_MAX;
use crate::tools::code::tags::FileTags;

/// What tells one version of a file from another without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// When it was last changed; `None` on file systems that do not say.
    pub modified: Option<SystemTime>,
    /// Its length in bytes.
    pub len: u64,
}

/// Tags by path. Bounded by [`CODE_CACHE_BYTES_MAX`].
#[derive(Debug, Default)]
pub struct TagCache {
    entries: HashMap<Arc<str>, Entry>,
    bytes: usize,
    uses: u64,
}

#[derive(Debug)]
struct Entry {
    stamp: Stamp,
    tags: Arc<FileTags>,
    bytes: usize,
    used: u64,
}

impl TagCache {
    /// The tags of this version of the file.
    pub fn get(&mut self, path: &str, stamp: Stamp) -> Option<Arc<FileTags>> {
        self.uses += 1;
        let entry = self.entries.get_mut(path).filter(|entry| entry.stamp == stamp)?;
        entry.used = self.uses;
        Some(Arc::clone(&entry.tags))
    }

    /// Keeps the tags of this version of the file, in place of those of any other.
    pub fn put(&mut self, path: &Arc<str>, stamp: Stamp, tags: &Arc<FileTags>) {
        self.uses += 1;
        let bytes = tags.bytes();
        let entry = Entry { stamp, tags: Arc::clone(tags), bytes, used: self.uses };
        if let Some(old) = self.entries.insert(Arc::clone(path), entry) {
            self.bytes -= old.bytes;
        }
        self.bytes += bytes;
        if self.bytes > CODE_CACHE_BYTES_MAX {
            self.shed();
        }
    }

    /// Drops what was not used for longest, down to three quarters, so that a cache that is full
    /// is not sorted again for every file.
    fn shed(&mut self) {
        let mut by_age: Vec<_> =
            self.entries.iter().map(|(path, entry)| (entry.used, Arc::clone(path))).collect();
        by_age.sort_unstable();
        for (_, path) in by_age {
            if self.bytes <= CODE_CACHE_BYTES_MAX / 4 * 3 {
                break;
            }
            if let Some(entry) = self.entries.remove(&path) {
                self.bytes -= entry.bytes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(bytes: usize) -> Arc<FileTags> {
        Arc::new(FileTags { names: vec!["n".repeat(bytes).into()], ..FileTags::default() })
    }

    #[test]
    fn only_the_same_version_is_found() {
        let mut cache = TagCache::default();
        let stamp = Stamp { modified: None, len: 3 };
        cache.put(&"a.rs".into(), stamp, &tags(1));
        assert!(cache.get("a.rs", stamp).is_some());
        assert!(cache.get("a.rs", Stamp { len: 4, ..stamp }).is_none());
        assert!(cache.get("b.rs", stamp).is_none());
    }

    #[test]
    fn the_bound_holds_and_the_oldest_go_first() {
        let mut cache = TagCache::default();
        let stamp = Stamp { modified: None, len: 3 };
        let big = tags(CODE_CACHE_BYTES_MAX / 10);
        for at in 0..40 {
            cache.put(&format!("{at}").into(), stamp, &big);
            assert!(cache.get("0", stamp).is_some(), "what is in use stays, at {at}");
            assert!(cache.bytes <= CODE_CACHE_BYTES_MAX, "at {at}");
        }
        assert!(cache.get("1", stamp).is_none());
        assert!(cache.get("39", stamp).is_some());
    }
}
