//! The blackboard: typed slots, written from three sides by three rules.

mod board;

pub use board::{Board, Cell, WriteFault};
