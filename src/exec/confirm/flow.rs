//! The whole way of a call that is asked for or kept.

use std::sync::Arc;

use crate::call::Call;
use crate::exec::collaborator::{CheckpointId, WriteRequest};
use crate::exec::confirm::Care;
use crate::exec::confirm::asking::{ask, denied, tell};
use crate::exec::confirm::rules::{Treatment, judge};
use crate::exec::confirm::showing::{foreseen, is_current, is_kept, preview, request};
use crate::exec::executor::{Asked, Entering};
use crate::exec::gate::Refusal;
use crate::exec::{BoundedExecutor, Turn, bound};
use crate::harness::{Foreseen, Unforeseen};
use crate::limits::{APPROVAL_ROUNDS_MAX, CHECKPOINT_SEAL_TIME_MAX};
use crate::moment::Moment;
use crate::outcome::{DenialReason, Outcome};
use crate::tool::{Around, CallContext, ToolError};

/// What a round of a call came to.
enum Round {
    Over(Outcome),
    /// A file changed before anything was written; nothing has happened.
    Again,
}

/// A call that may run.
struct Permitted {
    request: Arc<WriteRequest>,
    foreseen: Option<Arc<Foreseen>>,
    kept: Option<CheckpointId>,
}

impl BoundedExecutor {
    /// Runs a call that is asked for or kept. Each round begins with what the files hold then.
    pub(in crate::exec) async fn run_with_care(&self, entering: Entering<'_>, care: Care) -> Outcome {
        let arguments = entering.admitted.arguments.clone();
        let call = Arc::new(Call { arguments, ..(**entering.asked.call).clone() });
        for round in 1..=APPROVAL_ROUNDS_MAX {
            if let Round::Over(outcome) = self.round(&entering, &care, &call, round).await {
                return outcome;
            }
        }
        let details =
            format!("its files changed each of the {APPROVAL_ROUNDS_MAX} times that it was about to run");
        let hint = Some("find out what else writes them, and call again when it is done".to_owned());
        denied(details, hint).into_outcome(entering.asked.call)
    }

    async fn round(&self, entering: &Entering<'_>, care: &Care, call: &Arc<Call>, round: u32) -> Round {
        let permitted = match self.permit(entering, care, call, round).await {
            Ok(Some(permitted)) => permitted,
            Ok(None) => return Round::Again,
            Err(refusal) => return Round::Over(refusal.into_outcome(call)),
        };
        // The tool's own time begins now; what a person took is not taken from it.
        let asked = Asked { at: self.clock.now(), ..entering.asked };
        let entering = Entering { asked, ..*entering };
        let ended = self.once(entering, permitted.foreseen.clone()).await;
        self.seal(&asked, &permitted).await;
        match permitted.was_overtaken() {
            true => Round::Again,
            false => Round::Over(self.settle(ended).await),
        }
    }

    /// Everything between the rules and the run. `None` when the files changed meanwhile.
    async fn permit(
        &self,
        entering: &Entering<'_>,
        care: &Care,
        call: &Arc<Call>,
        round: u32,
    ) -> Result<Option<Permitted>, Refusal> {
        let Entering { asked: Asked { turn, .. }, known, leash, .. } = *entering;
        let manifest = &known.manifest;
        let bound = bound::bound(call, manifest, turn, self.clock.now());
        let cx = self.context(call, turn, self.clock.now() + bound, None);
        let shown = preview(known.tool.clone(), call, cx, bound, leash).await;
        let shown = shown.map_err(Refusal::Failed)?;
        let treatment = match care {
            Care::Look => judge(&self.collaborators, turn, manifest, call, shown.as_ref()).await?,
            Care::Treat(treatment) => treatment.clone(),
        };
        let request = Arc::new(request(call.clone(), manifest, treatment.because(), shown, round));
        let answer = match treatment {
            Treatment::Ask { .. } => {
                let approver = self.collaborators.approver.clone();
                ask(approver, &request, turn, self.clock.now(), leash).await
            }
            Treatment::Keep { by, .. } => Ok(by),
        };
        tell(&*self.services.notices, &request, &answer);
        let by = answer?;
        self.check_turn(entering.asked)?;
        if !is_current(&request).await {
            return Ok(None);
        }
        let kept = self.keep(entering.asked, &request, &by).await?;
        Ok(Some(Permitted { foreseen: foreseen(&request), request, kept }))
    }

    /// A person may have taken longer than the turn goes on.
    fn check_turn(&self, asked: Asked<'_>) -> Result<(), Refusal> {
        let is_spent = asked.turn.time_left(self.clock.now()).is_some_and(|left| left.is_zero());
        if !is_spent && asked.turn.accepts_writes() {
            return Ok(());
        }
        let details = "the turn's time was spent before the call was permitted".to_owned();
        Err(Refusal::Denied { reason: DenialReason::Deadline, details, hint: None })
    }

    /// Keeps the files. A write that could not be undone although it should be does not happen.
    async fn keep(
        &self,
        asked: Asked<'_>,
        request: &Arc<WriteRequest>,
        by: &str,
    ) -> Result<Option<CheckpointId>, Refusal> {
        if !is_kept(&self.collaborators, request) {
            return Ok(None);
        }
        let lease = asked.turn.lease(self.clock.now() + CHECKPOINT_SEAL_TIME_MAX, &self.clock);
        let keeping = self.collaborators.checkpoints.snapshot(request, by, &lease);
        let kept = tokio::time::timeout(CHECKPOINT_SEAL_TIME_MAX, keeping).await;
        lease.revoke();
        let why = match kept {
            Ok(Ok(kept)) => return Ok(kept),
            Ok(Err(fault)) => fault.message,
            Err(_) => format!("it took longer than {} s", CHECKPOINT_SEAL_TIME_MAX.as_secs()),
        };
        let message = format!("the call did not run, for its files could not be kept as they are: {why}");
        Err(Refusal::Failed(ToolError::resource(message).suggest("mend the folder of checkpoints")))
    }

    /// Notes how the call left its files. Should that fail, the write has happened all the same,
    /// and the checkpoint is there: only a later change can then not be told from the write.
    async fn seal(&self, asked: &Asked<'_>, permitted: &Permitted) {
        let (Some(id), Some(foreseen)) = (&permitted.kept, &permitted.foreseen) else { return };
        let written = foreseen.written();
        let lease = asked.turn.lease(self.clock.now() + CHECKPOINT_SEAL_TIME_MAX, &self.clock);
        let sealing = self.collaborators.checkpoints.seal(id, &written, &lease);
        let sealed = tokio::time::timeout(CHECKPOINT_SEAL_TIME_MAX, sealing).await;
        lease.revoke();
        if !matches!(sealed, Ok(Ok(()))) {
            let call = permitted.request.call.id;
            tracing::error!(%call, checkpoint = %id, "a checkpoint could not be completed: {sealed:?}");
        }
    }

    pub(in crate::exec) fn context(
        &self,
        call: &Arc<Call>,
        turn: &Turn,
        deadline: Moment,
        foreseen: Option<Arc<Foreseen>>,
    ) -> CallContext {
        let lease = foreseen.map(|foreseen| turn.lease(deadline, &self.clock).foreseeing(foreseen));
        let around = Around { turn: turn.side().clone(), services: self.services.clone() };
        CallContext::within(around, call.clone(), lease, deadline)
    }
}

impl Permitted {
    /// Whether somebody else changed a file before the call could write any: it may begin again, for
    /// nothing has happened. When it had written others, what it answered counts.
    fn was_overtaken(&self) -> bool {
        self.foreseen.as_ref().is_some_and(|foreseen| {
            matches!(foreseen.refused(), Some(Unforeseen::Changed(_))) && foreseen.written().files.is_empty()
        })
    }
}
