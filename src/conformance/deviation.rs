//! Where this engine differs from the reference on purpose.

use std::sync::LazyLock;

/// The table, head first: number and slug of the case, the quirk of the reference that it betters,
/// what this engine does instead, and why.
const TABLE: &str = include_str!("../../tests/data/conformance/deviations.tsv");

/// One deviation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// `087`
    pub number: &'static str,
    /// `switch-wrong-children-count-is-tick-error`
    pub slug: &'static str,
    /// The case that pins what the reference does, or `design` when the deviation is a promise of
    /// this engine's own.
    pub quirk: &'static str,
    /// What this engine does.
    pub instead: &'static str,
    /// Why that is better.
    pub why: &'static str,
}

static ROWS: LazyLock<Vec<Deviation>> = LazyLock::new(|| TABLE.lines().skip(1).filter_map(read).collect());

/// All deviations.
pub fn deviations() -> &'static [Deviation] {
    &ROWS
}

/// The deviation that a case of this number and slug is about.
pub(super) fn deviation(number: &str, slug: &str) -> Option<&'static Deviation> {
    deviations().iter().find(|it| it.number == number && it.slug == slug)
}

fn read(row: &'static str) -> Option<Deviation> {
    let columns: Vec<_> = row.split('\t').map(str::trim).collect();
    let [number, slug, quirk, instead, why] = *columns else { return None };
    Some(Deviation { number, slug, quirk, instead, why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_whole() {
        assert_eq!(deviations().len(), TABLE.lines().count() - 1);
        for it in deviations() {
            let columns = [it.number, it.slug, it.quirk, it.instead, it.why];
            assert!(columns.iter().all(|column| !column.is_empty()), "{it:?}");
        }
    }

    #[test]
    fn another_case_of_the_same_number_is_another_case() {
        assert!(deviation("087", "switch-wrong-children-count-is-tick-error").is_some());
        assert_eq!(deviation("087", "something-else"), None);
    }
}
