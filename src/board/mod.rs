//! The blackboard: typed slots, written from three sides by three rules.

mod slots;

pub use slots::{Board, Cell, WriteFault};
