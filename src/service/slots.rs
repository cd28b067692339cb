//! A place to run in. It lives inside of the call that holds it, so that an answer, a panic, a
//! cancellation and a caller that goes away all give it back.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use crate::service::line::{Line, LineBounds, Place, QueueFull};
use crate::service::metric::Metrics;
use crate::service::{ErrorCode, ServiceError, WhenFull};
use crate::tool::CancelToken;

/// The places of a service.
pub(super) struct Slots {
    // A std mutex: under it only the line moves. Those who are admitted are told after it is free.
    line: Mutex<Line<oneshot::Sender<Slot>>>,
    bounds: LineBounds,
    metrics: Arc<Metrics>,
}

/// A place that is held until this is dropped.
pub(super) struct Slot {
    slots: Arc<Slots>,
    agent: Arc<str>,
    /// Whether whoever drops this looks itself who is next.
    is_forfeit: bool,
}

/// What comes of asking for a place.
pub(super) enum Admission {
    /// A place.
    Inside(Slot),
    /// A place in line.
    Waiting(Waiting),
}

/// A place in line; it is left when this is dropped.
pub(super) struct Waiting {
    slots: Arc<Slots>,
    place: Place,
    admitted: oneshot::Receiver<Slot>,
}

impl Slots {
    pub fn new(bounds: LineBounds, metrics: Arc<Metrics>) -> Arc<Self> {
        Arc::new(Self { line: Mutex::new(Line::new(bounds)), bounds, metrics })
    }

    /// Asks for a place for a call of `agent`.
    pub fn enter(
        self: &Arc<Self>,
        agent: &Arc<str>,
        priority: u8,
        when_full: WhenFull,
    ) -> Result<Admission, ServiceError> {
        let mut line = self.line();
        if line.enter(agent) {
            return Ok(Admission::Inside(Slot {
                slots: self.clone(),
                agent: agent.clone(),
                is_forfeit: false,
            }));
        }
        if when_full == WhenFull::Reject {
            return Err(self.full(line.inside_of(agent)));
        }
        let (sender, admitted) = oneshot::channel();
        let place = line.wait(agent, priority, sender).map_err(queue_full)?;
        self.metrics.queue_depth(line.waiting());
        Ok(Admission::Waiting(Waiting { slots: self.clone(), place, admitted }))
    }

    /// How many calls run and how many wait.
    pub fn counts(&self) -> (usize, usize) {
        let line = self.line();
        (line.inside(), line.waiting())
    }

    fn full(&self, of_agent: usize) -> ServiceError {
        let LineBounds { agent_calls_max, calls_max, .. } = self.bounds;
        let message = if of_agent >= agent_calls_max {
            format!("{of_agent} calls of this agent are under way, and it has {agent_calls_max} places")
        } else {
            format!("all {calls_max} places of the service are taken")
        };
        ServiceError::new(ErrorCode::E3106, message)
            .suggest("Wait for a call to end and try again, or ask with `when_full` = `queue`.")
    }

    /// Admits as many as can be.
    fn admit(self: &Arc<Self>) {
        while let Some((agent, waiting)) = self.next() {
            // One who went away in this instant: its slot comes back and is given to the next.
            if let Err(slot) = waiting.send(Slot { slots: self.clone(), agent, is_forfeit: false }) {
                slot.forfeit();
            }
        }
    }

    fn next(&self) -> Option<(Arc<str>, oneshot::Sender<Slot>)> {
        let mut line = self.line();
        let next = line.admit();
        self.metrics.queue_depth(line.waiting());
        next
    }

    fn line(&self) -> MutexGuard<'_, Line<oneshot::Sender<Slot>>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn queue_full(full: QueueFull) -> ServiceError {
    let message = match full {
        QueueFull::Agent(waiting) => format!("{waiting} calls of this agent wait for a place already"),
        QueueFull::All(waiting) => format!("{waiting} calls wait for a place already"),
    };
    ServiceError::new(ErrorCode::E3106, message).suggest("Wait for some of them to end, then try again.")
}

impl Slot {
    /// Gives the place back without looking who is next: whoever calls this goes on looking.
    fn forfeit(mut self) {
        self.is_forfeit = true;
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.line().release(&self.agent);
        if !self.is_forfeit {
            self.slots.admit();
        }
    }
}

impl Admission {
    /// The place, once it is there.
    pub async fn slot(self, patience: Duration, cancel: &CancelToken) -> Result<Slot, ServiceError> {
        match self {
            Self::Inside(slot) => Ok(slot),
            Self::Waiting(waiting) => waiting.slot(patience, cancel).await,
        }
    }
}

impl Waiting {
    async fn slot(mut self, patience: Duration, cancel: &CancelToken) -> Result<Slot, ServiceError> {
        tokio::select! {
            // Whoever does not want the place any more does not take it.
            biased;
            () = cancel.cancelled() => Err(ServiceError::cancelled()),
            admitted = &mut self.admitted => admitted.map_err(|_| ServiceError::cancelled()),
            () = tokio::time::sleep(patience) => {
                let message = format!("no place became free within {} s", patience.as_secs());
                Err(ServiceError::new(ErrorCode::E3106, message)
                    .suggest("Try again later, with a higher priority, or with fewer calls at once."))
            }
        }
    }
}

impl Drop for Waiting {
    /// One who was admitted in the meantime has its slot in the channel, and drops it with that.
    fn drop(&mut self) {
        let mut line = self.slots.line();
        if line.leave(&self.place).is_some() {
            self.slots.metrics.queue_depth(line.waiting());
        }
    }
}
