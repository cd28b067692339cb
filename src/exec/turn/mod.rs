//! What belongs to one planner turn, shared by its parallel branches.
//!
//! | file | noun |
//! |---|---|
//! | `settings` | what a turn is begun with |
//! | `shared` | the turn: its budget, its fence, and one lock over what it learns |
//! | `trace` | a call under way, and the one answer to *may its result count?* |
//! | `ledger` | what was called with what, and how it ended: replay control and loops |
//! | `record` | the short record of each result |

mod ledger;
mod record;
mod settings;
mod shared;
mod trace;

pub(super) use ledger::{Fingerprint, Memory};
pub use record::{Records, TurnRecord};
pub use settings::{TurnSettings, WebMode};
pub(super) use shared::Recollection;
pub use shared::Turn;
pub(super) use trace::Trace;
pub use trace::TraceView;
