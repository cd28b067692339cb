//! The run: the engine's commands to the executor, the outcomes back. Only this floor knows both.
//!
//! Nothing polls: the driver sleeps until an outcome, a timer or a control command, whichever
//! comes first, and each is one [`Input`](crate::engine::Input) of the engine. Outcomes that are there
//! when it wakes are one input together and cause one tick: what the tree makes of them does not depend
//! on which of their wakers was called first.

mod bell;
mod bus;
mod calls;
mod clock;
mod driver;
mod handle;
mod observer;
mod overheard;
mod report;
mod runner;

pub use bus::{Events, RunEvent};
pub use clock::{RunClock, unix_millis, unix_seconds};
pub use handle::{ControlError, RunHandle};
pub use observer::Observer;
pub use report::{CallRecord, Failed, OutputError, RunReport};
pub use runner::{Runner, SetError, catalog_of};
