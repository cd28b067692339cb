//! Conditions before a node's visit, scripts after it.

use std::sync::Arc;

use serde_json::json;

use crate::board::WriteFault;
use crate::engine::{Fault, Walk};
use crate::expr::{Assign, Env, EvalFault, NameId, Program};
use crate::id::{NodeId, SlotId};
use crate::status::Status;
use crate::tree::{GuardKind, Script, ScriptName};
use crate::value::Value;

impl Walk<'_> {
    /// Whether a condition decides in the node's place. The first three are asked only when the
    /// node is idle; `_while` also when it is running, which it then halts.
    #[inline(never)]
    pub(super) fn check_before(&mut self, id: NodeId) -> Result<Option<Status>, Fault> {
        let status = self.status(id);
        let idle = status == Status::Idle;
        let decides = [
            (GuardKind::FailureIf, Status::Failure),
            (GuardKind::SuccessIf, Status::Success),
            (GuardKind::SkipIf, Status::Skipped),
        ];
        for (kind, answer) in decides {
            if idle && self.test(id, kind)? == Some(true) {
                if answer == Status::Failure {
                    let why = self.guard_text(id, kind);
                    self.note_failure(json!({
                        "kind": "guard", "message": &*why, "node": self.tree.path(id),
                    }));
                    self.run.reason = Some(why);
                }
                return Ok(Some(answer));
            }
        }
        if matches!(status, Status::Idle | Status::Running) && self.test(id, GuardKind::While)? == Some(false)
        {
            if status == Status::Running {
                self.halt_running(id);
                if let Some(fault) = self.run.halt_fault.take() {
                    return Err(fault);
                }
            }
            return Ok(Some(Status::Skipped));
        }
        Ok(None)
    }

    /// The scripts after a verdict: of that verdict, then of any.
    #[inline(never)]
    pub(super) fn run_after(&mut self, id: NodeId, status: Status) -> Result<(), Fault> {
        let kind = if status == Status::Success { GuardKind::OnSuccess } else { GuardKind::OnFailure };
        for kind in [kind, GuardKind::Post] {
            self.evaluate(id, kind, |program, env| program.execute(env))?;
        }
        Ok(())
    }

    /// The script after a halt. Halting goes on whatever it does; its first fault is kept for the
    /// end of the visit or input that halted.
    pub(super) fn run_script_after_halt(&mut self, id: NodeId, kind: GuardKind) {
        if let Err(fault) = self.evaluate(id, kind, |program, env| program.execute(env)) {
            self.run.halt_fault.get_or_insert(fault);
        }
    }

    fn test(&mut self, id: NodeId, kind: GuardKind) -> Result<Option<bool>, Fault> {
        self.evaluate(id, kind, |program, env| program.test(env))
    }

    fn evaluate<T>(
        &mut self,
        id: NodeId,
        kind: GuardKind,
        ask: impl FnOnce(&Program, &mut ScriptEnv<'_, '_>) -> Result<T, EvalFault>,
    ) -> Result<Option<T>, Fault> {
        let Some(script) = self.tree.guards(id).and_then(|guards| guards.get(kind)) else { return Ok(None) };
        let mut env = ScriptEnv::new(self, script, id);
        ask(&script.program, &mut env).map(Some).map_err(|fault| {
            Self::fault(id, format!("{}=\"{}\": {fault}", kind.as_str(), script.program.text()))
        })
    }

    fn guard_text(&self, id: NodeId, kind: GuardKind) -> Arc<str> {
        let script = self.tree.guards(id).and_then(|guards| guards.get(kind));
        let text = script.map_or("", |script| script.program.text());
        format!("its `{}` is true: {text}", kind.as_str()).into()
    }
}

/// The blackboard as a script sees it.
pub(super) struct ScriptEnv<'w, 'e> {
    walk: &'w mut Walk<'e>,
    script: &'w Script,
    node: NodeId,
}

impl<'w, 'e> ScriptEnv<'w, 'e> {
    #[inline]
    pub fn new(walk: &'w mut Walk<'e>, script: &'w Script, node: NodeId) -> Self {
        Self { walk, script, node }
    }

    /// A name as it is written.
    pub fn text(&self, name: NameId) -> &str {
        &self.script.program.name(name).text
    }

    #[inline(always)]
    fn name(&self, name: NameId) -> &ScriptName {
        &self.script.names[name.index()]
    }

    #[cold]
    fn no_entry(&self, slot: SlotId) -> String {
        format!("the key `{}` does not exist; `:=` makes it", self.walk.run.board.key(slot))
    }
}

#[cold]
fn refused(fault: WriteFault) -> String {
    fault.to_string()
}

impl Env for ScriptEnv<'_, '_> {
    #[inline(always)]
    fn read(&self, name: NameId) -> Option<&Value> {
        self.walk.slot_value(self.name(name).slot)
    }

    #[inline(always)]
    fn enum_of(&self, name: NameId) -> Option<i64> {
        self.name(name).number
    }

    fn write(&mut self, name: NameId, mut value: Value, mode: Assign) -> Result<(), String> {
        let slot = self.name(name).slot;
        if mode == Assign::Existing && self.walk.slot_value(slot).is_none() {
            return Err(self.no_entry(slot));
        }
        self.walk.run.board.write_script(slot, &mut value).map_err(refused)?;
        self.walk.tell_write(slot, Some(self.node));
        Ok(())
    }

    #[inline(always)]
    fn write_int(&mut self, name: NameId, int: i64) -> bool {
        let slot = self.name(name).slot;
        let is_written = self.walk.run.board.write_int(slot, int);
        if is_written {
            self.walk.tell_write(slot, Some(self.node));
        }
        is_written
    }

    fn enum_value(&self, text: &str) -> Option<i64> {
        self.walk.tree.enum_value(text)
    }
}
