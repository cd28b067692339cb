//! The time that parsing one file may take.

use std::ops::ControlFlow;
use std::time::Duration;

use crate::limits::CODE_PARSE_TIME_MAX;
use crate::tool::CallContext;

/// The time for one file, measured on the call's own deadline: tools have no clock of their own.
pub struct Budget<'a> {
    cx: &'a CallContext,
    /// Time left of the call when the budget is spent.
    floor: Duration,
}

impl<'a> Budget<'a> {
    /// [`CODE_PARSE_TIME_MAX`] from now, or less when the call ends sooner.
    pub fn new(cx: &'a CallContext) -> Self {
        Self { cx, floor: cx.time_left().saturating_sub(CODE_PARSE_TIME_MAX) }
    }

    /// Whether parsing must stop: the file took too long, or nobody wants the result.
    pub fn is_spent(&self) -> bool {
        self.cx.check().is_err() || self.cx.time_left() <= self.floor
    }

    /// The answer for tree-sitter's progress callbacks, which come every hundred or so steps.
    pub fn flow(&self) -> ControlFlow<()> {
        if self.is_spent() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
