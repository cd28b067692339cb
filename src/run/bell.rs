//! What wakes a call: each has a bell, and all of them ring in one place.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Wake, Waker};

use futures_util::task::AtomicWaker;

use crate::exec::StopFlag;

/// The bell of one place among the calls of a run, for one call after another.
pub(super) struct Bell {
    place: usize,
    /// Whether it was rung and nobody has heard it yet.
    is_rung: AtomicBool,
    rung: Arc<Rung>,
    /// Whether the call that is there is to end.
    pub stop: StopFlag,
}

/// The places whose bells were rung, in their order, each once.
#[derive(Default)]
pub(super) struct Rung {
    places: Mutex<Vec<usize>>,
    /// Who listens.
    run: AtomicWaker,
}

impl Bell {
    pub fn new(place: usize, rung: Arc<Rung>) -> Self {
        Self { place, is_rung: AtomicBool::new(false), rung, stop: StopFlag::default() }
    }

    pub fn ring(&self) {
        if !self.is_rung.swap(true, Ordering::AcqRel) {
            self.rung.places.lock().unwrap_or_else(PoisonError::into_inner).push(self.place);
            self.rung.run.wake();
        }
    }

    /// It has been heard: what rings it from now on rings anew. To be called before its call is polled.
    pub fn hear(&self) {
        self.is_rung.swap(false, Ordering::AcqRel);
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.ring();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.ring();
    }
}

impl Rung {
    /// Wakes this one from now on.
    pub fn listen(&self, waker: &Waker) {
        self.run.register(waker);
    }

    /// Moves the places whose bells were rung to the end of `to`.
    pub fn take(&self, to: &mut VecDeque<usize>) {
        to.extend(self.places.lock().unwrap_or_else(PoisonError::into_inner).drain(..));
    }
}
