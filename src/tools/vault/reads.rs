//! What was read before, to tell when it has changed.

use std::collections::{HashMap, VecDeque};

use crate::limits::VAULT_READS_MAX;

/// Who read what: user, project, path.
pub(super) type Reader = (String, String, String);

/// The content hash of each note at its last read, by reader; bounded, the oldest reader goes first.
#[derive(Debug, Default)]
pub(super) struct Reads {
    hashes: HashMap<Reader, String>,
    order: VecDeque<Reader>,
}

impl Reads {
    /// Remembers that `reader` saw `hash`; gives back what was seen before when it was another.
    pub(super) fn saw(&mut self, reader: Reader, hash: &str) -> Option<String> {
        if let Some(before) = self.hashes.get_mut(&reader) {
            let before = std::mem::replace(before, hash.to_owned());
            return (before != hash).then_some(before);
        }
        if self.order.len() == VAULT_READS_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.hashes.remove(&oldest);
        }
        self.order.push_back(reader.clone());
        self.hashes.insert(reader, hash.to_owned());
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(user: &str, number: usize) -> Reader {
        (user.into(), String::new(), format!("{number}.md"))
    }

    #[test]
    fn a_change_is_told_once_and_to_its_reader_only() {
        let mut reads = Reads::default();
        let rows = [
            ("ann", "1", None),
            ("ann", "1", None),
            ("bob", "2", None),
            ("ann", "2", Some("1")),
            ("ann", "2", None),
        ];
        for (user, hash, before) in rows {
            assert_eq!(reads.saw(reader(user, 0), hash).as_deref(), before, "{user} {hash}");
        }
    }

    #[test]
    fn the_memory_is_bounded() {
        let mut reads = Reads::default();
        (0..VAULT_READS_MAX + 5).for_each(|number| drop(reads.saw(reader("ann", number), "1")));
        assert_eq!((reads.hashes.len(), reads.order.len()), (VAULT_READS_MAX, VAULT_READS_MAX));
        assert_eq!(reads.saw(reader("ann", 0), "2"), None, "the oldest was forgotten");
        assert_eq!(reads.saw(reader("ann", VAULT_READS_MAX), "2").as_deref(), Some("1"));
    }
}
