//! Cases of the dialect's reference engine, run on this engine and compared tick by tick.
//!
//! A case is a tree, `NNN-slug.xml`, and what the reference did with it, `NNN-slug.trace.jsonl`. What
//! the case asks for besides its tree (keys that have a value, time that passes, a halt) stands in a
//! comment of the tree that begins with `oracle`. Where this engine differs on purpose, the table of
//! [`deviations`] says what it does instead and why.

mod case;
mod deviation;
mod directive;
mod due;
mod error;
mod leaf;
mod report;
mod run;
mod trace;

pub use case::{Case, read_folder};
pub use deviation::{Deviation, deviations};
pub use directive::{Deed, Directives, Key};
pub use error::CaseError;
pub use leaf::{Log, catalog};
pub use report::{Judged, Report, Verdict};
pub use run::run;
pub use trace::{Keys, Mismatch, Tick, Trace};
