//! What has to leave a store: the rule alone, whatever keeps the contents.

use std::time::Duration;

use crate::exec::artifact::ArtifactId;
use crate::limits::{ARTIFACTS_AGE_MAX, ARTIFACTS_DISK_BYTES_MAX, ARTIFACTS_DISK_MAX};

/// The bounds of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArtifactLimits {
    /// Most bytes of contents.
    pub bytes_max: u64,
    /// Most artifacts.
    pub count_max: usize,
    /// How long an artifact stays that nobody uses.
    pub age_max: Duration,
}

impl Default for ArtifactLimits {
    /// The bounds of a store on disk.
    fn default() -> Self {
        Self {
            bytes_max: ARTIFACTS_DISK_BYTES_MAX,
            count_max: ARTIFACTS_DISK_MAX,
            age_max: ARTIFACTS_AGE_MAX,
        }
    }
}

/// What the rule knows of an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub id: ArtifactId,
    pub bytes: u64,
    /// When it was last stored or read: the larger, the later.
    pub used: u64,
    pub is_pinned: bool,
}

/// Who leaves so that `bytes` more fit; `None` when they never will, and then nobody leaves for
/// them. What is pinned stays whatever the bounds say. First go those that nobody has used since
/// `too_old`, then the longest unused until there is room.
pub(super) fn leaving(
    kept: &[Kept],
    limits: &ArtifactLimits,
    too_old: u64,
    bytes: u64,
) -> Option<Vec<ArtifactId>> {
    let (mut bytes_left, mut count_left) = (kept.iter().map(|it| it.bytes).sum::<u64>(), kept.len());
    let fits = |bytes_left: u64, count_left: usize| {
        bytes_left.saturating_add(bytes) <= limits.bytes_max && count_left < limits.count_max
    };
    let mut free: Vec<&Kept> = kept.iter().filter(|it| !it.is_pinned).collect();
    free.sort_by(|one, other| (one.used, &one.id).cmp(&(other.used, &other.id)));
    let mut leaving = Vec::new();
    for it in free {
        if it.used >= too_old && fits(bytes_left, count_left) {
            break;
        }
        bytes_left -= it.bytes;
        count_left -= 1;
        leaving.push(it.id.clone());
    }
    fits(bytes_left, count_left).then_some(leaving)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same rule, said naively: as long as something must leave, the longest unused goes.
    fn naive(mut kept: Vec<Kept>, limits: &ArtifactLimits, too_old: u64, bytes: u64) -> Option<Vec<Kept>> {
        loop {
            let sum: u64 = kept.iter().map(|it| it.bytes).sum();
            let is_full = sum + bytes > limits.bytes_max || kept.len() + 1 > limits.count_max;
            let oldest = kept.iter().filter(|it| !it.is_pinned).min_by_key(|it| (it.used, it.id.clone()));
            match oldest.cloned() {
                Some(oldest) if is_full || oldest.used < too_old => kept.retain(|it| it.id != oldest.id),
                _ if is_full => return None,
                _ => return Some(kept),
            }
        }
    }

    fn kept() -> impl Strategy<Value = Vec<Kept>> {
        let one = (0..40_u64, 0..8_u64, any::<bool>());
        prop::collection::vec(one, 0..12).prop_map(|rows| {
            (rows.into_iter().enumerate())
                .map(|(number, (bytes, used, is_pinned))| Kept {
                    id: ArtifactId::of(&[number as u8]),
                    bytes,
                    used,
                    is_pinned,
                })
                .collect()
        })
    }

    proptest! {
        #[test]
        fn a12_what_leaves_is_what_a_naive_reading_of_the_rule_lets_go(
            kept in kept(), bytes_max in 0..150_u64, count_max in 0..12_usize, too_old in 0..9_u64, bytes in 0..60_u64,
        ) {
            let limits = ArtifactLimits { bytes_max, count_max, age_max: Duration::ZERO };
            let expected = naive(kept.clone(), &limits, too_old, bytes);
            let stays = leaving(&kept, &limits, too_old, bytes).map(|leaving| {
                kept.iter().filter(|it| !leaving.contains(&it.id)).cloned().collect::<Vec<_>>()
            });
            prop_assert_eq!(&stays, &expected);
            let pinned = |kept: &[Kept]| kept.iter().filter(|it| it.is_pinned).count();
            prop_assert!(stays.is_none_or(|stays| pinned(&stays) == pinned(&kept)));
        }
    }
}
