//! The service face, row by row. Time is tokio's paused one, except where a process or a socket is.

mod fairness;
mod http;
mod life;
mod models;
mod places;
mod processes;
mod results;
mod rig;
mod torture;
