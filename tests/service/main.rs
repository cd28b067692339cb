//! The service face, row by row. Time is tokio's paused one, except where a process or a socket is.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

mod fairness;
mod http;
mod life;
mod models;
mod places;
mod processes;
mod results;
mod rig;
mod torture;
