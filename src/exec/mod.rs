//! The bounded executor: a call goes in, exactly one outcome comes out, by its deadline, and
//! nothing of the call lands afterwards.
//!
//! ```text
//! call -> known? -> gates (deadline, web mode, validation) -> bound -> running -> outcome
//!              \-> failure    \-> denied | failure                 end of the lease first
//! ```
//!
//! | file | noun |
//! |---|---|
//! | `executor` | the executor: one call from beginning to end |
//! | `turn` | what belongs to one planner turn: budget, cap, web mode, timeouts, fence |
//! | `gate/` | what may refuse a call, one file a rule, in an order that `gate/mod.rs` states |
//! | `bound` | how long a call may take, and who decides |
//! | `running` | a call under way, and the four ways in which it ends |
//! | `output` | the bounds on what a tool returns |
//! | `schema/` | arguments against a JSON Schema: fitting and faults |
//!
//! Absent here: trees, the engine, the blackboard. The executor holds no state of a call, so one
//! serves all runs at once.

mod bound;
mod executor;
mod gate;
mod output;
mod running;
mod schema;
mod turn;

pub use executor::BoundedExecutor;
pub use schema::{ArgumentFault, ArgumentSchema, Fitted, SchemaFault};
pub use turn::{Turn, TurnSettings, WebMode};
