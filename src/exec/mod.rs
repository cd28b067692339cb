//! The bounded executor: a call goes in, exactly one outcome comes out, by its deadline, and
//! nothing of the call lands afterwards.
//!
//! ```text
//! call -> known? -> gates -> bound -> running -> judged -> handed on -> outcome -> told to the turn
//!              \-> denied | failure      end of the lease first                     and the event log
//! ```
//!
//! | file | noun |
//! |---|---|
//! | `executor` | the executor: one call from beginning to end |
//! | `known` | the tools with their schemas |
//! | `turn/` | what belongs to one planner turn: budget, fence, traces, blocked tools, replay control |
//! | `gate/` | what may refuse a call, one file a rule, in an order that `gate/entry.rs` states |
//! | `bound` | how long a call may take, and who decides |
//! | `leash` | what ends a call from outside: nobody wants it, its deadline |
//! | `alarm` | the deadlines of calls that are polled together |
//! | `confirm/` | calls that somebody has to say yes to, or that can be undone |
//! | `running` | a call under way, and the four ways in which it ends |
//! | `output`, `error_answer` | the bounds on what a tool returns; a result that is an error |
//! | `shown`, `handing` | what a model sees of it; inline or as an artifact |
//! | `artifact/` | where large outputs go |
//! | `collaborator/` | who the executor works with, each a trait |
//! | `checkpoint/` | files as they were before a write, kept in a folder |
//! | `policy/` | rules of permissions from a file |
//! | `schema/` | arguments against a JSON Schema: fitting and faults; results against theirs |
//!
//! Absent here: trees, the engine, the blackboard. The executor holds no state of a call, so one
//! serves all runs at once.

mod alarm;
pub mod artifact;
mod bound;
pub mod checkpoint;
mod collaborator;
mod confirm;
mod error_answer;
mod executor;
mod gate;
mod handing;
mod known;
mod leash;
mod output;
pub mod policy;
mod running;
mod schema;
mod shown;
mod turn;

pub(crate) use alarm::Alarms;
pub use collaborator::*;
pub use confirm::{ApprovalKey, Diff, PERMISSION_EVENTS};
pub use executor::BoundedExecutor;
pub(crate) use leash::StopFlag;
pub use schema::{ArgumentFault, ArgumentSchema, Fitted, ResultSchema, SchemaFault};
pub use shown::OutputBounds;
pub use turn::{Records, TraceView, Turn, TurnRecord, TurnSettings, WebMode};
