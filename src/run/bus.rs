//! What a run tells while it runs, to any number of watchers.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
#[derive(Clone, Debug)]
pub(super) struct Bus {
    /// `None` is the end of the run. The channel itself stays open longer: a call that was
    /// abandoned holds an end of it.
    sender: broadcast::Sender<Option<RunEvent>>,
    is_over: Arc<AtomicBool>,
}

impl Bus {
    pub fn new() -> Self {
        Self { sender: broadcast::Sender::new(EVENT_BACKLOG_MAX), is_over: Arc::default() }
    }

    pub fn send(&self, event: RunEvent) {
        // An error only says that nobody watches.
        let _ = self.sender.send(Some(event));
    }

    /// Ends the stream of every watcher, of later ones too.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        let _ = self.sender.send(None);
    }

    pub fn is_watched(&self) -> bool {
        self.sender.receiver_count() > 0
    }

    pub fn subscribe(&self) -> Events {
        let receiver = self.sender.subscribe();
        // Asked after subscribing: whoever subscribes in time still hears the end itself.
        let is_over = self.is_over.load(Ordering::SeqCst) && receiver.is_empty();
        Events { receiving: (!is_over).then(|| Box::pin(receive(receiver)) as Receiving) }
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
