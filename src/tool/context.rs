//! What a running call may know and use.

use std::sync::{Arc, LazyLock, Weak};
use std::time::Duration;

use serde_json::Value as Json;
use tokio::sync::Semaphore;

use crate::call::{Arguments, Call};
use crate::exec::artifact::{Artifact, ArtifactId, ArtifactStore, MemoryArtifacts, Pins};
use crate::harness::Lease;
use crate::id::CallId;
use crate::limits::BLOCKING_CALLS_MAX;
use crate::moment::{Clock, Moment};
use crate::tool::late::Late;
use crate::tool::panic::task_error;
use crate::tool::token::LateToken;
use crate::tool::{CallScope, CancelToken, ToolError};

/// Everything that a tool sees of its call besides the arguments. Clones share one call.
#[derive(Clone)]
pub struct CallContext {
    whole: Arc<Whole>,
}

/// All of it in one allocation: a context is made for every call, and cloned for most.
struct Whole {
    call: Arc<Call>,
    token: LateToken,
    lease: Late<Lease>,
    deadline: Moment,
    around: Around,
}

/// What is around a call: its turn and its executor.
#[derive(Clone)]
pub(crate) struct Around {
    pub turn: Arc<TurnSide>,
    pub services: Arc<Services>,
}

/// What a call sees of its turn. In one allocation, and so is what it sees of its executor: a context is
/// made of few shares, because taking and giving back each of them is felt.
#[derive(Default)]
pub(crate) struct TurnSide {
    pub scope: Arc<CallScope>,
    /// What the leases of all its calls hang under.
    pub lease: Lease,
    /// Where what the call stores is pinned. Weak, for a call that hangs outlives its turn.
    pub pins: Weak<Pins>,
}

/// What all calls of one executor may use.
#[derive(Clone)]
pub(crate) struct Services {
    pub notices: Arc<dyn Notices>,
    pub artifacts: Arc<dyn ArtifactStore>,
    pub metadata: Arguments,
    pub clock: Arc<dyn Clock>,
}

/// The artifacts of calls that belong to no executor: tests of a tool.
static ALONE: LazyLock<Arc<MemoryArtifacts>> = LazyLock::new(Arc::default);

impl Services {
    /// Nobody hears, nothing is known, and artifacts stay in memory.
    pub fn new(clock: Arc<dyn Clock>, artifacts: Arc<dyn ArtifactStore>) -> Self {
        Self { notices: Arc::new(Silent), artifacts, metadata: Arguments::new(), clock }
    }
}

impl CallContext {
    /// The context of `call`, which must end by `deadline` on `clock`.
    pub fn new(call: Arc<Call>, lease: Lease, deadline: Moment, clock: Arc<dyn Clock>) -> Self {
        let services = Arc::new(Services::new(clock, ALONE.clone()));
        Self::within(Around { turn: Arc::default(), services }, call, Some(lease), deadline)
    }

    /// The same inside of a turn and an executor. Without a lease of its own it gets one under that of
    /// the turn, should it ask for one.
    pub(crate) fn within(around: Around, call: Arc<Call>, lease: Option<Lease>, deadline: Moment) -> Self {
        let (token, lease) = (LateToken::default(), lease.map_or_else(Late::default, Late::from));
        Self { whole: Arc::new(Whole { call, token, lease, deadline, around }) }
    }

    /// The same context, whose notices go to `notices`.
    #[must_use]
    pub fn with_notices(self, notices: Arc<dyn Notices>) -> Self {
        let Whole { call, deadline, .. } = &*self.whole;
        let mut around = self.whole.around.clone();
        Arc::make_mut(&mut around.services).notices = notices;
        // The one token and the one lease of the call, for whoever holds the context as it was.
        let (token, lease) = (LateToken::from(self.token().clone()), Late::from(self.lease().clone()));
        let (call, deadline) = (call.clone(), *deadline);
        Self { whole: Arc::new(Whole { call, token, lease, deadline, around }) }
    }

    /// The call.
    pub fn call(&self) -> &Arc<Call> {
        &self.whole.call
    }

    /// Whose call it is and what it may do.
    pub fn scope(&self) -> &Arc<CallScope> {
        &self.whole.around.turn.scope
    }

    /// What the embedder wants tools to know under that name: the turn's word, else the run's.
    pub fn metadata(&self, name: &str) -> Option<&Json> {
        self.scope().metadata(name).or_else(|| self.whole.around.services.metadata.get(name))
    }

    /// Stores content that is too large to be handed on, under this call's lease. It stays at least
    /// as long as the turn. It may block.
    ///
    /// # Errors
    /// When the store takes it not, or the call is over.
    pub fn store(&self, content: &[u8]) -> Result<ArtifactId, ToolError> {
        let Around { turn, services } = &self.whole.around;
        let stored = services.artifacts.put(content, &self.call().tool, self.lease());
        let pinned = stored
            .map_err(|fault| ToolError::resource(format!("storing {} bytes: {fault}", content.len())))?;
        // A call without a turn has nobody who refers to what it stores.
        Ok(turn.pins.upgrade().map_or_else(|| pinned.id.clone(), |pins| pins.keep(pinned.clone())))
    }

    /// The content of an artifact, such as one that an argument names. It may block.
    ///
    /// # Errors
    /// When there is none of that name, or it is damaged.
    pub fn artifact(&self, id: &str) -> Result<Artifact, ToolError> {
        let fault =
            |fault: &dyn std::fmt::Display| ToolError::resource(format!("reading an artifact: {fault}"));
        let id = ArtifactId::parse(id).ok_or_else(|| fault(&format!("`{id}` is no name of one")))?;
        self.whole.around.services.artifacts.get(&id).map_err(|error| fault(&error))
    }

    /// The token that is cancelled when the deadline passes or nobody wants the result any more.
    pub fn token(&self) -> &CancelToken {
        self.whole.token.get()
    }

    /// Tells the call to end.
    pub(crate) fn cancel(&self) {
        self.whole.token.cancel();
    }

    /// The clock of the call.
    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.whole.around.services.clock
    }

    /// Time left until this call's own deadline.
    pub fn time_left(&self) -> Duration {
        self.whole.deadline.since(self.clock().now())
    }

    /// The permission to change things. Every effect goes through it.
    pub fn lease(&self) -> &Lease {
        let Whole { lease, deadline, around: Around { turn, services }, .. } = &*self.whole;
        let make = || turn.lease.until(*deadline, services.clock.clone());
        lease.get(make, |late| _ = late.revoke())
    }

    /// Ends the lease without waiting. The answer is the lease when an effect under it has begun and may
    /// still land.
    pub(crate) fn revoke(&self) -> Option<&Lease> {
        self.whole.lease.end().filter(|lease| !lease.revoke())
    }

    /// Returns early when the call was cancelled: the line to put into long loops.
    ///
    /// # Errors
    /// [`ToolError::cancelled`].
    pub fn check(&self) -> Result<(), ToolError> {
        if self.whole.token.is_cancelled() || self.time_left().is_zero() {
            return Err(ToolError::cancelled());
        }
        Ok(())
    }

    /// Says in a few words what the call is doing, for whoever watches.
    pub fn progress(&self, doing: impl Into<String>) {
        self.tell(Notice::Progress(doing.into()));
    }

    /// Raises a public event, such as `source.stale`.
    pub fn raise(&self, event: &'static str, payload: serde_json::Value) {
        self.tell(Notice::Event { name: event, payload });
    }

    /// A notice is an effect like any other: of a call that is over nobody hears any more.
    fn tell(&self, notice: Notice) {
        let notices = &self.whole.around.services.notices;
        let _unheard = self.lease().commit(|| notices.notice(self.call().id, notice));
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
        // Waited for here, where the call's deadline ends the waiting; closed by nobody.
        let permit = THREADS.acquire().await;
        // Work that had to queue for a thread until its call was over does not begin.
        let task = tokio::task::spawn_blocking(move || {
            // Held by the thread and not by the call: work that outlives its call still takes a thread.
            let _permit = permit;
            cx.check().and_then(|()| work(&cx))
        });
        match task.await {
            Ok(result) => result,
            Err(fault) => Err(task_error(fault)),
        }
    }
}

/// The threads that blocking work may take.
static THREADS: Semaphore = Semaphore::const_new(BLOCKING_CALLS_MAX);

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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::outcome::ErrorCategory;

    /// A clock that stands still.
    struct Still(Moment);

    impl Clock for Still {
        fn now(&self) -> Moment {
            self.0
        }
    }

    #[derive(Default)]
    struct Heard(Mutex<Vec<(CallId, Notice)>>);

    impl Notices for Heard {
        fn notice(&self, call: CallId, notice: Notice) {
            self.0.lock().unwrap().push((call, notice));
        }
    }

    fn context(now: u64, deadline: u64) -> CallContext {
        let call = Call::new(CallId(7), "echo", Arguments::new());
        let clock = Arc::new(Still(Moment::from_millis(now)));
        CallContext::new(Arc::new(call), Lease::new(), Moment::from_millis(deadline), clock)
    }

    #[test]
    fn a_call_knows_the_time_left_until_its_own_deadline() {
        assert_eq!(context(10, 35).time_left(), Duration::from_millis(25));
        assert_eq!(context(40, 35).time_left(), Duration::ZERO);
    }

    #[test]
    fn the_check_fails_once_the_token_is_cancelled_or_the_time_is_up() {
        let cx = context(0, 1);
        assert_eq!(cx.check(), Ok(()));
        cx.token().cancel();
        assert_eq!(cx.check(), Err(ToolError::cancelled()));
        assert_eq!(context(1, 1).check(), Err(ToolError::cancelled()));
    }

    #[test]
    fn notices_are_heard_until_the_lease_ends() {
        let heard = Arc::new(Heard::default());
        let cx = context(0, 1).with_notices(heard.clone());
        cx.progress("reading");
        cx.raise("source.stale", serde_json::json!({"path": "a.rs"}));
        cx.lease().end();
        cx.progress("too late");
        let event = Notice::Event { name: "source.stale", payload: serde_json::json!({"path": "a.rs"}) };
        let expected = [(CallId(7), Notice::Progress("reading".into())), (CallId(7), event)];
        assert_eq!(*heard.0.lock().unwrap(), expected);
    }

    #[tokio::test]
    async fn blocking_work_answers_panics_as_an_error_and_does_not_begin_late() {
        assert_eq!(context(0, 1).blocking(|cx| Ok(cx.call().id)).await, Ok(CallId(7)));
        let panicked = context(0, 1).blocking::<(), _>(|_| panic!("bad {}", 1)).await.unwrap_err();
        assert_eq!(panicked.category(), ErrorCategory::Runtime);
        assert_eq!(panicked.message(), "the tool panicked: bad 1");
        let late = context(2, 1).blocking::<(), _>(|_| panic!("it began")).await;
        assert_eq!(late, Err(ToolError::cancelled()));
    }
}
