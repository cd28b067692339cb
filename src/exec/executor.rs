//! One call from beginning to end.

use std::cell::OnceCell;
use std::future::{Ready, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::Either;

use crate::call::Call;
use crate::diag::Diagnostics;
use crate::exec::collaborator::{CallEntry, Collaborators};
use crate::exec::confirm::care;
use crate::exec::gate::{self, Admitted, Entry, Refusal, failure};
use crate::exec::known::{Known, Tools};
use crate::exec::leash::Leash;
use crate::exec::running::{Answer, End, Running};
use crate::exec::turn::Trace;
use crate::exec::{Alarms, OutputBounds, StopFlag, Turn, TurnRecord, bound, error_answer, handing, output};
use crate::harness::Foreseen;
use crate::manifest::ToolManifest;
use crate::moment::{Clock, Moment};
use crate::outcome::{Outcome, ToolTimeout};
use crate::tool::panic::catch;
use crate::tool::{CancelToken, Notices, Registry, Services, ToolError};

/// Runs calls under their bounds. It holds nothing of a call: clones and parallel branches share it.
#[derive(Clone)]
pub struct BoundedExecutor {
    tools: Arc<Tools>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) collaborators: Arc<Collaborators>,
    pub(super) services: Arc<Services>,
    bounds: OutputBounds,
}

/// A call as it was asked for.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub call: &'a Arc<Call>,
    pub turn: &'a Turn,
    pub at: Moment,
}

/// A call that its gates let in.
#[derive(Clone, Copy)]
pub(super) struct Entering<'a> {
    pub asked: Asked<'a>,
    pub known: &'a Known,
    pub admitted: &'a Admitted<'a>,
    pub leash: Leash<'a>,
}

/// A call that has run, not yet judged.
pub(super) struct Ended<'a> {
    started: Started<'a>,
    end: End,
}

/// An outcome that is there, or whose output is being stored: in a box, for few are.
type Settling<'a> = Either<Ready<Outcome>, Pin<Box<dyn Future<Output = Outcome> + Send + 'a>>>;

/// A call that has passed the gates: what its outcome is made from.
pub(super) struct Started<'a> {
    pub call: &'a Call,
    pub manifest: &'a ToolManifest,
    pub was_coerced: bool,
    pub trace: &'a Trace<'a>,
    at: Moment,
    bound: Duration,
}

impl BoundedExecutor {
    /// An executor of these tools. Their schemas are compiled here, once.
    ///
    /// # Errors
    /// All tools whose argument schema is none, as [`Code::E0501`](crate::diag::Code::E0501).
    pub fn new(registry: Arc<Registry>, clock: Arc<dyn Clock>) -> Result<Self, Diagnostics> {
        let tools = Arc::new(Tools::new(registry)?);
        let collaborators = Collaborators::default();
        let services = Services::new(clock.clone(), collaborators.artifacts.clone());
        let (services, bounds) = (Arc::new(services), OutputBounds::default());
        Ok(Self { tools, clock, collaborators: Arc::new(collaborators), services, bounds })
    }

    /// The same executor, which works with these.
    #[must_use]
    pub fn with_collaborators(mut self, collaborators: Collaborators) -> Self {
        let services = Arc::make_mut(&mut self.services);
        services.artifacts = collaborators.artifacts.clone();
        services.metadata = collaborators.metadata.clone();
        self.collaborators = Arc::new(collaborators);
        self
    }

    /// The same executor, whose calls tell `notices` what they are doing.
    #[must_use]
    pub fn with_notices(mut self, notices: Arc<dyn Notices>) -> Self {
        Arc::make_mut(&mut self.services).notices = notices;
        self
    }

    /// The same executor, which shows a model this much of an output.
    #[must_use]
    pub fn with_output_bounds(mut self, bounds: OutputBounds) -> Self {
        self.bounds = bounds;
        self
    }

    /// The tools.
    pub fn registry(&self) -> &Arc<Registry> {
        self.tools.registry()
    }

    /// Who it works with.
    pub fn collaborators(&self) -> &Collaborators {
        &self.collaborators
    }

    /// Runs `call` to its one outcome: when its tool answers, when its deadline passes, or, soon
    /// after `cancel`, as a failure of category [`ErrorCategory::Cancelled`]. Once it has
    /// returned, or was dropped, no effect of the call lands.
    ///
    /// It wants a tokio runtime with its timer on, and a clock that goes as that timer goes.
    ///
    /// [`ErrorCategory::Cancelled`]: crate::outcome::ErrorCategory::Cancelled
    pub async fn execute(&self, call: &Arc<Call>, turn: &Turn, cancel: &CancelToken) -> Outcome {
        self.execute_on(Leash::Alone(cancel), call, turn).await
    }

    /// The same for one of many calls that are polled together: their task polls `alarms` as well, and
    /// the call after it has set `stop`.
    pub(crate) fn execute_among<'a>(
        &'a self,
        call: &'a Arc<Call>,
        turn: &'a Turn,
        (stop, alarms): (&'a StopFlag, &'a Alarms),
    ) -> impl Future<Output = Outcome> + Send + 'a {
        self.execute_on(Leash::Among(stop, alarms), call, turn)
    }

    /// Deadlines for [`execute_among`](Self::execute_among).
    pub(crate) fn alarms(&self) -> Alarms {
        Alarms::new(self.clock.clone())
    }

    // This and what it calls are functions that make a future, and no `async fn`s: those keep what they are
    // given twice, and of ten thousand calls that wait each holds all of it.
    fn execute_on<'a>(
        &'a self,
        leash: Leash<'a>,
        call: &'a Arc<Call>,
        turn: &'a Turn,
    ) -> impl Future<Output = Outcome> + Send + 'a {
        let asked = Asked { call, turn, at: self.clock.now() };
        async move {
            let (known, admitted) = match self.admit(asked, leash) {
                Ok(admitted) => admitted,
                Err(refusal) => {
                    let outcome = refusal.into_outcome(call);
                    self.conclude(asked, None, &outcome);
                    return outcome;
                }
            };
            let outcome = self.run(Entering { asked, known, admitted: &admitted, leash }).await;
            self.conclude(asked, Some(admitted), &outcome);
            outcome
        }
    }

    fn admit<'a>(&'a self, asked: Asked<'a>, leash: Leash<'_>) -> Result<(&'a Known, Admitted<'a>), Refusal> {
        if leash.is_cancelled() {
            return Err(Refusal::Failed(ToolError::cancelled()));
        }
        let Asked { call, turn, at: now } = asked;
        let known = self.tools.get(&call.tool).map_err(Refusal::Failed)?;
        let Known { manifest, schema, .. } = known;
        let callbacks = &*self.collaborators.callbacks;
        let entry = Entry { call, manifest, schema, callbacks, turn, now, recalled: OnceCell::new() };
        gate::pass(&entry).map(|admitted| (known, admitted))
    }

    async fn run(&self, entering: Entering<'_>) -> Outcome {
        let Entering { asked, known, admitted, .. } = entering;
        match care(&self.collaborators, asked.turn, &known.manifest, &admitted.arguments) {
            Ok(None) => {}
            // In a box: few calls take this way, and it is long.
            Ok(Some(care)) => return Box::pin(self.run_with_care(entering, care)).await,
            Err(refusal) => return refusal.into_outcome(asked.call),
        }
        self.settle(self.once(entering, None).await).await
    }

    /// Starts the tool and waits for the end of the call.
    pub(super) fn once<'a>(
        &self,
        entering: Entering<'a>,
        foreseen: Option<Arc<Foreseen>>,
    ) -> impl Future<Output = Ended<'a>> + Send + use<'a> {
        let Entering { asked: Asked { call, turn, at }, known, admitted, leash } = entering;
        let Admitted { arguments, was_coerced, trace, .. } = admitted;
        let bound = bound::bound(call, &known.manifest, turn, at);
        let cx = self.context(call, turn, at + bound, foreseen);
        let (manifest, was_coerced) = (&*known.manifest, *was_coerced);
        let started = Started { call, manifest, was_coerced, trace, at, bound };
        async move {
            let mut running = Running::new(&known.tool, arguments, &cx);
            let end = running.end(at + bound, leash).await;
            // The trace shows it from the deadline on, and not only when the tool is gone.
            if matches!(end, End::Overdue) {
                trace.time_out();
            }
            if end.is_early() {
                Box::pin(running.leave()).await;
            }
            Ended { started, end }
        }
    }

    /// The one place where the end of a call becomes its outcome.
    pub(super) fn settle<'a>(&'a self, ended: Ended<'a>) -> Settling<'a> {
        let Ended { started, end } = ended;
        let now = if let End::Answered(answer) = &end { answer.at } else { self.clock.now() };
        let elapsed_ms = u64::try_from(now.since(started.at).as_millis()).unwrap_or(u64::MAX);
        let outcome = match started.judge(end, self.bounds.inline_chars_max) {
            Verdict::Output(whole, weight) => {
                let packed = handing::Output { whole, weight, elapsed_ms };
                match handing::hand_on(&started, packed, &self.bounds) {
                    Ok(outcome) => outcome,
                    Err(large) => {
                        let (with, clock) = (&*self.collaborators, &self.clock);
                        return Either::Right(Box::pin(
                            async move { large.store(&started, with, clock).await },
                        ));
                    }
                }
            }
            Verdict::Error(error) => Outcome::ToolFailure(failure(started.call, &error, elapsed_ms)),
            Verdict::Overdue { retryable } => started.timed_out(elapsed_ms, retryable),
        };
        Either::Left(ready(outcome))
    }

    /// What is to be known of a call that left its outcome, told once, and only while the turn
    /// still accepts it.
    fn conclude(&self, asked: Asked<'_>, admitted: Option<Admitted<'_>>, outcome: &Outcome) {
        let Asked { call, turn, at } = asked;
        let collaborators = &self.collaborators;
        let (fingerprint, trace) = admitted.map(|it| (it.fingerprint, it.trace)).unzip();
        let told = turn.write(|| {
            turn.learn(TurnRecord::new(call, outcome, at), fingerprint.flatten(), outcome, trace);
            let entry = CallEntry { call, scope: turn.scope(), at, outcome };
            catch(|| collaborators.event_log.log(&entry))
        });
        if let Ok(Err(words)) = told {
            report(call, &words);
        }
        if outcome.is_error()
            && let Err(words) = catch(|| collaborators.callbacks.tool_error(call, outcome))
        {
            report(call, &words);
        }
    }
}

fn report(call: &Call, words: &str) {
    tracing::error!(call = %call.id, "a collaborator of the executor panicked: {words}");
}

/// What the end of a call amounts to.
enum Verdict {
    Output(Arc<serde_json::Value>, output::Weight),
    Error(ToolError),
    Overdue { retryable: bool },
}

impl Started<'_> {
    /// A late answer changes nothing, and says that the tool keeps no deadlines: such a call is
    /// not tried again.
    fn judge(&self, end: End, little: usize) -> Verdict {
        let result = match end {
            End::Answered(answer) => {
                if self.is_late(&answer) {
                    self.trace.time_out();
                }
                answer.result
            }
            End::Broken(error) => Err(error),
            End::Cancelled => Err(ToolError::cancelled()),
            End::Overdue => return Verdict::Overdue { retryable: self.manifest.retry_on_timeout },
        };
        let checked = result.and_then(|output| output::check(output, little));
        if !self.trace.complete() {
            return Verdict::Overdue { retryable: false };
        }
        match checked {
            Ok((whole, weight)) => match error_answer::find(&whole) {
                Some(error) => Verdict::Error(error),
                None => Verdict::Output(whole, weight),
            },
            Err(error) => Verdict::Error(error),
        }
    }

    fn is_late(&self, answer: &Answer) -> bool {
        answer.at > self.at + self.bound
    }

    fn timed_out(&self, elapsed_ms: u64, retryable: bool) -> Outcome {
        Outcome::ToolTimeout(ToolTimeout {
            call_id: self.call.id,
            tool_name: self.call.tool.clone(),
            deadline_s: self.bound.as_secs_f64(),
            elapsed_ms,
            retryable,
        })
    }
}
