//! What a running call may know and use.

use std::sync::Arc;
use std::time::Duration;

pub use tokio_util::sync::CancellationToken as CancelToken;

use crate::call::Call;
use crate::harness::Lease;
use crate::id::CallId;
use crate::moment::{Clock, Moment};
use crate::tool::ToolError;

/// Everything that a tool sees of its call besides the arguments. Clones share one call.
#[derive(Clone)]
pub struct CallContext {
    call: Arc<Call>,
    token: CancelToken,
    lease: Lease,
    deadline: Moment,
    clock: Arc<dyn Clock>,
    notices: Arc<dyn Notices>,
}

impl CallContext {
    /// The context of `call`, which must end by `deadline` on `clock`.
    pub fn new(call: Arc<Call>, lease: Lease, deadline: Moment, clock: Arc<dyn Clock>) -> Self {
        Self { call, token: CancelToken::new(), lease, deadline, clock, notices: Arc::new(Silent) }
    }

    /// The same context, whose notices go to `notices`.
    #[must_use]
    pub fn with_notices(mut self, notices: Arc<dyn Notices>) -> Self {
        self.notices = notices;
        self
    }

    /// The call.
    pub fn call(&self) -> &Arc<Call> {
        &self.call
    }

    /// The token that is cancelled when the deadline passes or nobody wants the result any more.
    pub fn token(&self) -> &CancelToken {
        &self.token
    }

    /// Time left until this call's own deadline.
    pub fn time_left(&self) -> Duration {
        self.deadline.since(self.clock.now())
    }

    /// The permission to change things. Every effect goes through it.
    pub fn lease(&self) -> &Lease {
        &self.lease
    }

    /// Returns early when the call was cancelled: the line to put into long loops.
    ///
    /// # Errors
    /// [`ToolError::cancelled`].
    pub fn check(&self) -> Result<(), ToolError> {
        if self.token.is_cancelled() || self.time_left().is_zero() {
            return Err(ToolError::cancelled());
        }
        Ok(())
    }

    /// Says in a few words what the call is doing, for whoever watches.
    pub fn progress(&self, doing: impl Into<String>) {
        self.notices.notice(self.call.id, Notice::Progress(doing.into()));
    }

    /// Raises a public event, such as `source.stale`.
    pub fn raise(&self, event: &'static str, payload: serde_json::Value) {
        self.notices.notice(self.call.id, Notice::Event { name: event, payload });
    }

    /// Runs work that blocks on a thread of its own, so that the deadline of this call and every
    /// other call go on being kept. The work should [`check`](Self::check) now and then; if it
    /// does not, it is abandoned behind its dead lease.
    ///
    /// # Errors
    /// What `work` returns; a panic inside becomes a runtime error.
    pub async fn blocking<T, F>(&self, work: F) -> Result<T, ToolError>
    where
        T: Send + 'static,
        F: FnOnce(&Self) -> Result<T, ToolError> + Send + 'static,
    {
        let cx = self.clone();
        match tokio::task::spawn_blocking(move || work(&cx)).await {
            Ok(result) => result,
            Err(fault) if fault.is_panic() => Err(panic_error(&*fault.into_panic())),
            Err(_) => Err(ToolError::cancelled()),
        }
    }
}

/// The error that stands for a panic, with the panic's own words when it left any.
pub(crate) fn panic_error(payload: &(dyn std::any::Any + Send)) -> ToolError {
    let words = (payload.downcast_ref::<&str>().copied())
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    ToolError::runtime(format!("the tool panicked: {words}"))
        .suggest("This is a fault in the tool, not in its arguments; report it to the tool's author.")
}

/// What a running call tells besides its result.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// What the call is doing.
    Progress(String),
    /// A public event.
    Event {
        /// Its name on the wire.
        name: &'static str,
        /// Its particulars.
        payload: serde_json::Value,
    },
}

/// Who hears notices.
pub trait Notices: Send + Sync + 'static {
    /// Hears one. Must not block.
    fn notice(&self, call: CallId, notice: Notice);
}

/// Hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Notices for Silent {
    fn notice(&self, _: CallId, _: Notice) {}
}
