//! Where tools come from that nobody wrote in Rust.

pub mod process;
