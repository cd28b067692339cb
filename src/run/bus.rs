//! What a run tells while it runs, to any number of watchers.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll};

use futures_core::Stream;
use tokio::sync::broadcast;

use crate::event::Event;
use crate::id::CallId;
use crate::limits::EVENT_BACKLOG_MAX;
use crate::tool::{Notice, Notices};

/// One thing that watchers hear.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEvent {
    /// What the engine did.
    Engine(Arc<Event>),
    /// What a running call says.
    Notice {
        /// The call.
        call: CallId,
        /// What it says.
        notice: Notice,
    },
    /// The watcher was too slow: so many were dropped before the next one.
    Missed(u64),
}

/// Sends to all watchers. Never blocks: a watcher that falls behind by [`EVENT_BACKLOG_MAX`]
/// loses the oldest and is told how many.
#[derive(Clone, Debug, Default)]
pub(super) struct Bus {
    line: Arc<Line>,
}

/// The channel is made for its first watcher, for it takes all of its room at once, 650 kB, and most
/// runs of many have none.
#[derive(Debug, Default)]
struct Line {
    /// `None` is the end of the run. The channel itself stays open longer: a call that was
    /// abandoned holds an end of it.
    channel: OnceLock<broadcast::Sender<Option<RunEvent>>>,
    /// What the first watcher will hear before the channel; `None` when there was one, or will be none.
    early: Mutex<Early>,
    is_over: AtomicBool,
}

/// The events before the first watcher.
#[derive(Debug)]
enum Early {
    Kept(VecDeque<RunEvent>, u64),
    Nobody,
}

impl Default for Early {
    fn default() -> Self {
        Self::Kept(VecDeque::new(), 0)
    }
}

impl Bus {
    pub fn send(&self, event: RunEvent) {
        if let Some(channel) = self.line.channel.get() {
            // An error only says that nobody watches.
            let _ = channel.send(Some(event));
            return;
        }
        match &mut *self.early() {
            Early::Kept(events, missed) => {
                if events.len() == EVENT_BACKLOG_MAX {
                    events.pop_front();
                    *missed += 1;
                }
                events.push_back(event);
            }
            // The first watcher came meanwhile, or will never come.
            Early::Nobody => drop(self.line.channel.get().map(|channel| channel.send(Some(event)))),
        }
    }

    /// Ends the stream of every watcher, of later ones too.
    pub fn end(&self) {
        self.line.is_over.store(true, Ordering::SeqCst);
        let _early = self.early();
        if let Some(channel) = self.line.channel.get() {
            let _ = channel.send(None);
        }
    }

    /// Whether anybody hears an event, or will.
    pub fn is_watched(&self) -> bool {
        match self.line.channel.get() {
            Some(channel) => channel.receiver_count() > 0,
            None => matches!(*self.early(), Early::Kept(..)),
        }
    }

    /// Nobody will ask for the events from the beginning.
    pub fn forget_beginning(&self) {
        *self.early() = Early::Nobody;
    }

    /// The first watcher hears all from the beginning, later ones what comes.
    pub fn subscribe(&self) -> Events {
        let mut early = self.early();
        let receiver =
            self.line.channel.get_or_init(|| broadcast::Sender::new(EVENT_BACKLOG_MAX)).subscribe();
        let mut before = VecDeque::new();
        if let Early::Kept(events, missed) = std::mem::replace(&mut *early, Early::Nobody) {
            before = events;
            if missed > 0 {
                before.push_front(RunEvent::Missed(missed));
            }
        }
        // Asked after subscribing: whoever subscribes in time still hears the end itself.
        let is_over = self.line.is_over.load(Ordering::SeqCst) && receiver.is_empty();
        Events { before, receiving: (!is_over).then(|| Box::pin(receive(receiver)) as Receiving) }
    }

    /// A panic while it is held leaves a list that is whole.
    fn early(&self) -> MutexGuard<'_, Early> {
        self.line.early.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Notices for Bus {
    fn notice(&self, call: CallId, notice: Notice) {
        self.send(RunEvent::Notice { call, notice });
    }
}

type Receiver = broadcast::Receiver<Option<RunEvent>>;
type Receiving = Pin<Box<dyn Future<Output = (Option<RunEvent>, Receiver)> + Send>>;

/// The events of a run, as a [`Stream`]. It ends with the run.
pub struct Events {
    before: VecDeque<RunEvent>,
    receiving: Option<Receiving>,
}

impl Events {
    /// The next event; `None` when the run is over.
    pub async fn next(&mut self) -> Option<RunEvent> {
        std::future::poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }
}

async fn receive(mut receiver: Receiver) -> (Option<RunEvent>, Receiver) {
    let event = match receiver.recv().await {
        Ok(event) => event,
        Err(broadcast::error::RecvError::Lagged(missed)) => Some(RunEvent::Missed(missed)),
        Err(broadcast::error::RecvError::Closed) => None,
    };
    (event, receiver)
}

impl Stream for Events {
    type Item = RunEvent;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<RunEvent>> {
        if let Some(event) = self.before.pop_front() {
            return Poll::Ready(Some(event));
        }
        let Some(receiving) = &mut self.receiving else { return Poll::Ready(None) };
        let Poll::Ready((event, receiver)) = receiving.as_mut().poll(cx) else { return Poll::Pending };
        self.receiving = event.is_some().then(|| Box::pin(receive(receiver)) as Receiving);
        Poll::Ready(event)
    }
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Events")
    }
}
