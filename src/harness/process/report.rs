//! What a sandbox enforced, told truthfully.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Value as Json, json};

macro_rules! bounds {
    ($($(#[$doc:meta])* $id:ident $name:literal)*) => {
        /// One thing that a sandbox may enforce.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Bound { $($(#[$doc])* $id,)* }

        impl Bound {
            /// Every bound, in the order of a report.
            pub const ALL: &[Self] = &[$(Self::$id),*];

            /// The name in manifests and reports.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$id => $name,)* }
            }
        }
    };
}

bounds! {
    /// How much memory it takes.
    Memory "memory"
    /// How much processor time it takes.
    Cpu "cpu"
    /// How many processes it has at once.
    Processes "processes"
    /// How many files it holds open.
    OpenFiles "open_files"
    /// How large a file it writes.
    FileSize "file_size"
    /// That everything which it starts ends with it.
    Descendants "descendants"
    /// That it ends when the host dies.
    Orphans "orphans"
    /// That it writes only to the files that it may.
    Writes "writes"
    /// That it sees only the files that it should.
    Filesystem "filesystem"
    /// That it reaches no network.
    Network "network"
    /// That it runs with fewer rights than the host.
    Privileges "privileges"
}

impl Bound {
    /// The bound of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|bound| bound.as_str() == name)
    }
}

/// How far one bound was enforced. What is short of whole says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enforced {
    /// By the system, for everything that the process starts.
    Fully,
    /// With a gap.
    Partly(Cow<'static, str>),
    /// Not at all.
    Not(Cow<'static, str>),
}

impl Enforced {
    /// The word for a report.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Fully => "enforced",
            Self::Partly(_) => "partly_enforced",
            Self::Not(_) => "not_enforced",
        }
    }

    /// What is missing, and why.
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::Fully => None,
            Self::Partly(why) | Self::Not(why) => Some(why),
        }
    }
}

/// What was enforced on one process: a row for each [`Bound`], in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    rows: Vec<(Bound, Enforced)>,
}

impl Report {
    /// The report in which `enforced` answers for every bound.
    pub fn new(enforced: impl Fn(Bound) -> Enforced) -> Self {
        Self { rows: Bound::ALL.iter().map(|&bound| (bound, enforced(bound))).collect() }
    }

    /// The rows.
    pub fn iter(&self) -> impl Iterator<Item = (Bound, &Enforced)> {
        self.rows.iter().map(|(bound, enforced)| (*bound, enforced))
    }

    /// How far `bound` was enforced.
    pub fn of(&self, bound: Bound) -> &Enforced {
        &self.rows[bound as usize].1
    }

    /// The required bounds that are not enforced whole.
    pub fn short_of<'r>(&'r self, required: &'r [Bound]) -> impl Iterator<Item = (Bound, &'r str)> {
        required.iter().filter_map(|&bound| Some((bound, self.of(bound).why()?)))
    }

    /// The report as JSON: `{"memory": {"state": "enforced"}, ...}`.
    pub fn to_json(&self) -> Json {
        let row = |enforced: &Enforced| match enforced.why() {
            None => json!({"state": enforced.as_str()}),
            Some(why) => json!({"state": enforced.as_str(), "why": why}),
        };
        self.iter().map(|(bound, enforced)| (bound.as_str().to_owned(), row(enforced))).collect()
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_answers_for_every_bound_and_says_what_falls_short() {
        let report = Report::new(|bound| match bound {
            Bound::Memory => Enforced::Fully,
            Bound::Cpu => Enforced::Partly("one process at a time".into()),
            _ => Enforced::Not("no".into()),
        });
        assert!(Bound::ALL.iter().all(|&bound| Bound::parse(bound.as_str()) == Some(bound)));
        assert!(report.iter().map(|(bound, _)| bound).eq(Bound::ALL.iter().copied()));
        let short: Vec<_> = report.short_of(&[Bound::Memory, Bound::Cpu, Bound::Network]).collect();
        assert_eq!(short, [(Bound::Cpu, "one process at a time"), (Bound::Network, "no")]);
        assert_eq!(report.to_json()["memory"], json!({"state": "enforced"}));
        assert_eq!(report.to_json()["network"], json!({"state": "not_enforced", "why": "no"}));
    }
}
