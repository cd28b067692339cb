//! What is counted, and where it is read.
//!
//! | file | noun |
//! |---|---|
//! | `metrics` | the counts, and their text |
//! | `row` | the counts of one tool, and the bound on how many tools have their own |
//! | `feed` | who tells: an executor's log, a run's loop |
//! | `server` | the text over HTTP |

mod feed;
mod metrics;
mod row;
mod server;

pub use metrics::{CONTENT_TYPE, InFlight, Metrics};
pub use server::MetricsServer;
