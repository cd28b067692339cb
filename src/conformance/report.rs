//! The verdict on each case, and what people read of it.

use std::fmt;

use serde_json::{Value as Json, json};

use crate::catalog::CatalogError;
use crate::conformance::deviation::deviation;
use crate::conformance::due::missing;
use crate::conformance::{Case, Deviation, Log, Mismatch, catalog, run};

/// What came of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does what the reference did.
    Passed,
    /// It differs on purpose.
    Deviates(&'static Deviation),
    /// It does what the reference did although the table of deviations says that it does not.
    NoLongerDeviates(&'static Deviation),
    /// It differs here.
    Failed(Vec<Mismatch>),
    /// It uses what the engine does not have.
    NotYet(String),
}

impl Verdict {
    /// Whether nothing is to be done.
    pub const fn is_passed(&self) -> bool {
        matches!(self, Self::Passed | Self::Deviates(_) | Self::NoLongerDeviates(_))
    }

    /// The verdict in a word, for programs.
    const fn as_str(&self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Deviates(_) => "deviates",
            Self::NoLongerDeviates(_) => "no_longer_deviates",
            Self::Failed(_) => "failed",
            Self::NotYet(_) => "not_yet",
        }
    }

    fn to_json(&self) -> Json {
        match self {
            Self::Passed => json!({}),
            Self::Deviates(it) | Self::NoLongerDeviates(it) => {
                json!({"instead": it.instead, "why": it.why, "quirk": it.quirk})
            }
            Self::Failed(mismatches) => {
                let one = |it: &Mismatch| json!({"tick": it.tick, "field": it.field, "text": it.text});
                json!({"mismatches": mismatches.iter().map(one).collect::<Json>()})
            }
            Self::NotYet(what) => json!({"missing": what}),
        }
    }
}

/// One case with its verdict.
pub struct Judged<'c> {
    /// The case.
    pub case: &'c Case,
    /// What came of it.
    pub verdict: Verdict,
}

/// The verdicts on all cases of a folder.
pub struct Report<'c> {
    cases: Vec<Judged<'c>>,
}

fn judge(case: &Case) -> Result<Verdict, CatalogError> {
    let missing = missing(case, &catalog(&Log::default())?);
    if !missing.is_empty() {
        return Ok(Verdict::NotYet(missing.into_iter().collect::<Vec<_>>().join(", ")));
    }
    let mismatches = case.expected.compare(&run(case)?);
    Ok(match (mismatches.is_empty(), deviation(&case.number, &case.slug)) {
        (true, None) => Verdict::Passed,
        (true, Some(deviation)) => Verdict::NoLongerDeviates(deviation),
        (false, Some(deviation)) => Verdict::Deviates(deviation),
        (false, None) => Verdict::Failed(mismatches),
    })
}

impl<'c> Report<'c> {
    /// Runs all cases.
    ///
    /// # Errors
    /// When the leaves of the cases clash with the engine's own nodes.
    pub fn of(cases: &'c [Case]) -> Result<Self, CatalogError> {
        let judged = cases.iter().map(|case| Ok(Judged { case, verdict: judge(case)? }));
        Ok(Self { cases: judged.collect::<Result<_, _>>()? })
    }

    /// The cases with their verdicts.
    pub fn cases(&self) -> impl Iterator<Item = &Judged<'c>> {
        self.cases.iter()
    }

    /// How many cases passed, deviations included.
    pub fn passed(&self) -> usize {
        self.cases.iter().filter(|it| it.verdict.is_passed()).count()
    }

    /// How many cases differ, or use what the engine does not have.
    pub fn failed(&self) -> usize {
        self.cases.len() - self.passed()
    }

    /// How many of those that passed differ on purpose.
    pub fn deviating(&self) -> usize {
        self.cases.iter().filter(|it| matches!(it.verdict, Verdict::Deviates(_))).count()
    }

    /// The verdicts as JSON for programs.
    pub fn to_json(&self) -> Json {
        let one = |it: &Judged<'_>| {
            let mut json = it.verdict.to_json();
            json["case"] = it.case.name().into();
            json["verdict"] = it.verdict.as_str().into();
            json
        };
        json!({
            "passed": self.passed(),
            "failed": self.failed(),
            "deviating": self.deviating(),
            "cases": self.cases.iter().map(one).collect::<Json>(),
        })
    }
}

impl fmt::Display for Judged<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.case.name();
        match &self.verdict {
            Verdict::Passed => Ok(()),
            Verdict::Deviates(it) => writeln!(f, "{name}: passed as a deviation: {} {}", it.instead, it.why),
            Verdict::NoLongerDeviates(_) => {
                writeln!(f, "{name}: passed, and no longer deviates: its row in the table is out of date")
            }
            Verdict::Failed(mismatches) => mismatches.iter().try_for_each(|it| writeln!(f, "{name}: {it}")),
            Verdict::NotYet(what) => writeln!(f, "{name}: not yet: {what}"),
        }
    }
}

impl fmt::Display for Report<'_> {
    /// A line for each difference, and the sum at the end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cases.iter().try_for_each(|it| it.fmt(f))?;
        if self.deviating() > 0 {
            writeln!(f, "deviations among those that passed: {}", self.deviating())?;
        }
        writeln!(f, "{} passed, {} failed", self.passed(), self.failed())
    }
}
