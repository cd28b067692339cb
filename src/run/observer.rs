//! Who must not miss anything: called in the driver's own loop.

use crate::engine::{Engine, Input};
use crate::event::Event;
use crate::id::CallId;
use crate::moment::Moment;
use crate::tool::Notice;

/// Watches a run from inside its loop, in order and without loss. What it does delays the run, so
/// it is for recording; watchers that draw use the [`Events`](super::Events).
///
/// The order is: `will_handle` an input, then `did_happen` each event that it caused, then `settled`,
/// and only then are the calls started that the events announced. An observer that has written
/// everything down by `settled` has written every call's intent ahead of its effect.
pub trait Observer: Send + 'static {
    /// The engine is about to take an input.
    fn will_handle(&mut self, now: Moment, input: &Input) {
        let _ = (now, input);
    }

    /// Somebody has said yes or no to a call. It comes before the call's outcome, and not always
    /// at the moment at which it was said.
    fn did_permit(&mut self, now: Moment, call: CallId, notice: &Notice) {
        let _ = (now, call, notice);
    }

    /// Something happened.
    fn did_happen(&mut self, event: &Event) {
        let _ = event;
    }

    /// The input is handled; its commands are about to be carried out.
    fn settled(&mut self) {}

    /// The run is over.
    fn did_end(&mut self, engine: &Engine) {
        let _ = engine;
    }
}
