//! Tools as a service: a request goes in, a response comes out, with statuses and codes that a
//! program on the other side of a wire can act on.
//!
//! ```text
//! request -> plan -> cache? -> line -> slot -> attempts -> checked -> response
//!         \-> refused            \-> refused     | BoundedExecutor, a turn of its own
//! ```
//!
//! | file | noun |
//! |---|---|
//! | `model/` | what goes over the wire: requests, responses, limits, codes |
//! | `service` | the service: calls, tasks, tools |
//! | `core`, `plan` | what a request amounts to; what becomes of it |
//! | `attempt` | one call after the other, until one is the answer |
//! | `shelf` | tools by name and version |
//! | `line` | who is admitted next |
//! | `slots` | a place to run in, which is given back whatever happens |
//! | `tasks` | calls that nobody waits for, and their kept responses |
//! | `backoff` | how long to wait before another attempt |
//! | `cache` | results of tools that only look |
//! | `sandboxes` | what the sandboxes of agents may take |
//! | `settings` | the numbers of a service |
//! | `metric/` | what is counted, and where it is read |
#![doc = include_str!("../docs/service.md")]

mod attempt;
mod backoff;
mod cache;
mod core;
pub mod line;
pub mod metric;
mod model;
mod plan;
mod sandboxes;
#[expect(clippy::module_inception, reason = "the noun of this folder is the service")]
mod service;
mod settings;
mod shelf;
mod slots;
mod tasks;

pub use model::*;
pub use sandboxes::{FixedSandboxes, Sandboxes};
pub use service::Service;
pub use settings::{CacheSettings, ServiceSettings};
