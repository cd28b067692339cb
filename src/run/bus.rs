//! What a run tells while it runs, to any number of watchers.

use std::collections::VecDeque;
use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
    line: Arc<Mutex<Line>>,
}

/// What has been told and who hears it, in one place: between looking for a watcher and telling it,
/// none can come. With the channel beside the lock one could, and missed what was told meanwhile.
///
/// The channel is made for its first watcher, for it takes all of its room at once, 650 kB, and most
/// runs of many have none.
#[derive(Debug, Default)]
struct Line {
    early: Early,
    /// `None` in it is the end of the run. It stays open longer: a call that was abandoned holds an end.
    channel: Option<broadcast::Sender<Option<RunEvent>>>,
    is_over: bool,
}

/// What the first watcher will hear before the channel.
#[derive(Debug)]
enum Early {
    Kept {
        events: VecDeque<RunEvent>,
        missed: u64,
    },
    /// There was a first watcher, or there will be none.
    Nobody,
}

impl Default for Early {
    fn default() -> Self {
        Self::Kept { events: VecDeque::new(), missed: 0 }
    }
}

impl Bus {
    pub fn send(&self, event: RunEvent) {
        self.line().send(event);
    }

    /// Ends the stream of every watcher, of later ones too.
    pub fn end(&self) {
        let mut line = self.line();
        line.is_over = true;
        if let Some(channel) = &line.channel {
            let _ = channel.send(None);
        }
    }

    /// Whether anybody hears an event, or will.
    pub fn is_watched(&self) -> bool {
        let line = self.line();
        match &line.channel {
            Some(channel) => channel.receiver_count() > 0,
            None => matches!(line.early, Early::Kept { .. }),
        }
    }

    /// Nobody will ask for the events from the beginning.
    pub fn forget_beginning(&self) {
        self.line().early = Early::Nobody;
    }

    /// The first watcher hears all from the beginning, later ones what comes.
    pub fn subscribe(&self) -> Events {
        self.line().subscribe()
    }

    /// A panic while it is held leaves a line that is whole.
    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    fn send(&mut self, event: RunEvent) {
        if let Some(channel) = &self.channel {
            // An error only says that nobody watches any more.
            let _ = channel.send(Some(event));
        } else if let Early::Kept { events, missed } = &mut self.early {
            if events.len() == EVENT_BACKLOG_MAX {
                events.pop_front();
                *missed += 1;
            }
            events.push_back(event);
        }
    }

    fn subscribe(&mut self) -> Events {
        let mut before = VecDeque::new();
        if let Early::Kept { events, missed } = mem::replace(&mut self.early, Early::Nobody) {
            before = events;
            if missed > 0 {
                before.push_front(RunEvent::Missed(missed));
            }
        }
        let receiving = (!self.is_over).then(|| {
            let channel = self.channel.get_or_insert_with(|| broadcast::Sender::new(EVENT_BACKLOG_MAX));
            Box::pin(receive(channel.subscribe())) as Receiving
        });
        Events { before, receiving }
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
