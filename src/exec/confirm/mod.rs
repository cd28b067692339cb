//! Calls that are not simply run: those that somebody has to say yes to, and those whose files are
//! kept so that the call can be undone.
//!
//! ```text
//! rules --deny--> ToolDenied
//!       --allow-> run                                      (nothing to keep)
//!       --ask---> preview -> approver -> still the same files? -> snapshot -> run -> seal
//!                    ^          \- no: ToolDenied      |                       |
//!                    '---------------------------------'<-- a file changed ----'
//! ```
//!
//! | file | noun |
//! |---|---|
//! | `rules` | what the rules and the turn's mode make of a call |
//! | `showing` | the preview of a call, under its bounds |
//! | `diff` | what would change, as a unified diff, bounded |
//! | `key` | what a yes holds for |
//! | `asking` | the question, and how long it may stand |
//! | `flow` | the whole way of a call that is asked for or kept |

mod asking;
mod diff;
mod flow;
mod key;
mod rules;
mod showing;

pub use asking::PERMISSION_EVENTS;
pub use diff::Diff;
pub use key::ApprovalKey;
pub(super) use rules::{Care, care};
