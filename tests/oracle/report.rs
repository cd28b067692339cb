//! The verdict on each case, and what people read of it.

use std::fmt;

use helve::catalog::CatalogError;

use crate::oracle::case::Case;
use crate::oracle::due::missing;
use crate::oracle::leaf::{Log, catalog};
use crate::oracle::run::run;
use crate::oracle::trace::Mismatch;

/// What came of one case.
pub enum Verdict {
    Passed,
    /// It differs from the reference here.
    Failed(Vec<Mismatch>),
    /// It uses what the engine does not have yet, and does not pass.
    NotYet(String),
}

/// The verdicts on all cases of a folder.
pub struct Report<'c> {
    cases: Vec<(&'c Case, Verdict)>,
}

/// Runs a case.
///
/// # Errors
/// When the leaves of the cases clash with the catalog.
fn judge(case: &Case) -> Result<Verdict, CatalogError> {
    let missing = missing(case, &catalog(&Log::default())?);
    let mismatches = case.expected.compare(&run(case)?);
    Ok(if mismatches.is_empty() && missing.is_empty() {
        Verdict::Passed
    } else if missing.is_empty() {
        Verdict::Failed(mismatches)
    } else {
        Verdict::NotYet(missing.into_iter().collect::<Vec<_>>().join(", "))
    })
}

impl<'c> Report<'c> {
    /// Runs all cases.
    ///
    /// # Errors
    /// As [`judge`].
    pub fn of(cases: &'c [Case]) -> Result<Self, CatalogError> {
        let judged = cases.iter().map(|case| Ok((case, judge(case)?)));
        Ok(Self { cases: judged.collect::<Result<_, _>>()? })
    }

    /// The cases with their verdicts.
    pub fn cases(&self) -> impl Iterator<Item = &(&'c Case, Verdict)> {
        self.cases.iter()
    }

    /// How many cases do not match: also those that use what the engine does not have yet.
    pub fn failed(&self) -> usize {
        self.cases.iter().filter(|(_, verdict)| !matches!(verdict, Verdict::Passed)).count()
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (case, verdict) in &self.cases {
            let name = case.name();
            match verdict {
                Verdict::Passed => {}
                Verdict::Failed(mismatches) => {
                    mismatches.iter().try_for_each(|it| writeln!(f, "{name}: {it}"))?;
                }
                Verdict::NotYet(what) => writeln!(f, "{name}: not yet: {what}")?,
            }
        }
        writeln!(f, "{} passed, {} failed", self.cases.len() - self.failed(), self.failed())
    }
}
