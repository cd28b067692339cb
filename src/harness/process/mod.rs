//! A child process under bounds: its limits, its family, its end, and what of that was enforced.

mod bounds;
mod cage;
mod end;
mod family;
mod report;
mod run;
mod warden;
mod watchdog;

pub use bounds::ProcessLimits;
pub use end::{End, Used};
pub use report::{Bound, Enforced, Report};
pub use run::{Hold, Listener, Process, run};
