//! What has to leave a store: the rule alone, whatever keeps the contents.

use std::time::Duration;

use crate::exec::artifact::ArtifactId;
use crate::limits::{ARTIFACTS_AGE_MAX, ARTIFACTS_DISK_BYTES_MAX, ARTIFACTS_DISK_MAX, ARTIFACTS_HEADROOM};

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

impl ArtifactLimits {
    /// Whether `bytes` more fit beside what is kept.
    pub(super) fn fit(&self, kept_bytes: u64, kept: usize, bytes: u64) -> bool {
        kept_bytes.saturating_add(bytes) <= self.bytes_max && kept < self.count_max
    }

    /// Whether they fit and leave room for the next ones: who has to look at all that is kept makes a
    /// little more room than is asked for, and the next ones need not look.
    fn fit_easily(&self, kept_bytes: u64, kept: usize, bytes: u64) -> bool {
        let bytes = bytes.saturating_add(self.bytes_max / ARTIFACTS_HEADROOM);
        let headroom = usize::try_from(ARTIFACTS_HEADROOM).map_or(0, |part| self.count_max / part);
        self.fit(kept_bytes, kept.saturating_add(headroom), bytes)
    }
}

/// Who leaves so that `bytes` more fit; `None` when they never will, and then nobody leaves for
/// them. What is pinned stays whatever the bounds say. First go those that nobody has used since
/// `too_old`, then, when that is not enough, the longest unused until there is room, and some to spare.
pub(super) fn leaving(
    kept: &[Kept],
    limits: &ArtifactLimits,
    too_old: u64,
    bytes: u64,
) -> Option<Vec<ArtifactId>> {
    let mut free: Vec<&Kept> = kept.iter().filter(|it| !it.is_pinned).collect();
    free.sort_by(|one, other| (one.used, &one.id).cmp(&(other.used, &other.id)));
    let old = free.partition_point(|it| it.used < too_old);
    let (mut bytes_left, mut count_left) = (kept.iter().map(|it| it.bytes).sum::<u64>(), kept.len());
    let (mut gone, mut is_full) = (0, false);
    for it in &free {
        if gone >= old {
            is_full |= !limits.fit(bytes_left, count_left, bytes);
            if !is_full || limits.fit_easily(bytes_left, count_left, bytes) {
                break;
            }
        }
        bytes_left -= it.bytes;
        count_left -= 1;
        gone += 1;
    }
    let leaving = || free[..gone].iter().map(|it| it.id.clone()).collect();
    limits.fit(bytes_left, count_left, bytes).then(leaving)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same rule, said naively: the old go; when it is full then, the longest unused go until a
    /// sixteenth is free.
    fn naive(mut kept: Vec<Kept>, limits: &ArtifactLimits, too_old: u64, bytes: u64) -> Option<Vec<Kept>> {
        let full = |kept: &[Kept], bytes_max: u64, count_max: usize| {
            kept.iter().map(|it| it.bytes).sum::<u64>() + bytes > bytes_max || kept.len() + 1 > count_max
        };
        kept.retain(|it| it.is_pinned || it.used >= too_old);
        if full(&kept, limits.bytes_max, limits.count_max) {
            let (bytes_max, count_max) = (limits.bytes_max / 16, limits.count_max / 16);
            let (bytes_max, count_max) = (limits.bytes_max - bytes_max, limits.count_max - count_max);
            while full(&kept, bytes_max, count_max) {
                let free = kept.iter().filter(|it| !it.is_pinned);
                let Some(oldest) = free.min_by_key(|it| (it.used, it.id.clone())).cloned() else { break };
                kept.retain(|it| it.id != oldest.id);
            }
        }
        (!full(&kept, limits.bytes_max, limits.count_max)).then_some(kept)
    }

    fn kept() -> impl Strategy<Value = Vec<Kept>> {
        let one = (0..40_u64, 0..8_u64, any::<bool>());
        prop::collection::vec(one, 0..36).prop_map(|rows| {
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
            kept in kept(), bytes_max in 0..150_u64, count_max in 0..40_usize, too_old in 0..9_u64, bytes in 0..60_u64,
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
