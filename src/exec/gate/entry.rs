//! The way in: what a gate sees of a call, and the gates in their order.

use std::cell::OnceCell;
use std::sync::Arc;

use crate::call::{Arguments, Call};
use crate::exec::collaborator::Callbacks;
use crate::exec::gate::{
    Refusal, admission, blocked, deadline, duplicate, looping, permission, pre_hook, validation, web,
};
use crate::exec::turn::{Fingerprint, Recollection, Trace};
use crate::exec::{ArgumentSchema, Turn};
use crate::manifest::ToolManifest;
use crate::moment::Moment;

/// A call on its way in.
pub(in crate::exec) struct Entry<'a> {
    pub call: &'a Arc<Call>,
    pub manifest: &'a Arc<ToolManifest>,
    pub schema: &'a ArgumentSchema,
    pub callbacks: &'a dyn Callbacks,
    pub turn: &'a Turn,
    pub now: Moment,
    /// Asked for by the first gate that wants to know.
    pub recalled: OnceCell<(Option<Fingerprint>, Recollection)>,
}

/// What the gates made of a call.
pub(in crate::exec) struct Admitted<'a> {
    pub arguments: Arc<Arguments>,
    pub was_coerced: bool,
    pub trace: Trace<'a>,
    /// By what the turn will remember the call, when it is to.
    pub fingerprint: Option<Fingerprint>,
}

/// All gates, in their order: what costs least and depends on least comes first, what changes
/// something comes last.
///
/// 1. *deadline*: a spent budget refuses everything, so nothing else is worth asking.
/// 2. *blocked*, *permission*: one look at the tool's name, one at its manifest.
/// 3. *duplicate*, *loop*: one walk over the arguments, as the caller wrote them: that is what it
///    would write again. What the turn remembers is looked up once, for these and for *blocked*.
/// 4. *pre-hook*: somebody else's code, so after all that we know ourselves, and before the
///    arguments are changed.
/// 5. *validation*: walks the arguments; what it makes of them is what the tool gets, so nothing may
///    change them after it.
/// 6. *web mode*: an error of a call that was otherwise good, and no denial: whoever reads it
///    learns that only the mode was in the way.
/// 7. *admission*: takes one of the turn's places. Last, so that no refusal has to give it back.
pub(in crate::exec) fn pass<'a>(entry: &Entry<'a>) -> Result<Admitted<'a>, Refusal> {
    deadline::pass(entry)?;
    blocked::pass(entry)?;
    permission::pass(entry)?;
    duplicate::pass(entry)?;
    looping::pass(entry)?;
    pre_hook::pass(entry)?;
    let fitted = validation::pass(entry)?;
    web::pass(entry)?;
    let trace = admission::pass(entry)?;
    Ok(Admitted {
        arguments: fitted.arguments,
        was_coerced: fitted.was_coerced,
        trace,
        fingerprint: entry.fingerprint(),
    })
}

impl Entry<'_> {
    /// Whether an earlier success of the same call refuses this one.
    pub fn is_replay_controlled(&self) -> bool {
        self.manifest.idempotent && self.turn.settings().denies_duplicates
    }

    /// How often the call may end the same way.
    pub fn repeats_max(&self) -> Option<u32> {
        self.turn.settings().repeats_max.filter(|_| !self.manifest.polls).map(u32::from)
    }

    /// By what the turn remembers the call; `None` when nobody would ask.
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        self.recalled().0
    }

    /// What the turn remembers of such calls.
    pub fn recollection(&self) -> Recollection {
        self.recalled().1
    }

    fn recalled(&self) -> (Option<Fingerprint>, Recollection) {
        *self.recalled.get_or_init(|| {
            let asked = self.is_replay_controlled() || self.repeats_max().is_some();
            let fingerprint = asked.then(|| self.turn.fingerprint(self.call)).flatten();
            (fingerprint, self.turn.recall(&self.manifest.name, fingerprint))
        })
    }
}
