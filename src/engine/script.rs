//! Leaves and decorators that ask a script, and leaves that write keys.

use std::sync::Arc;

use crate::board::WriteFault;
use crate::catalog::Kind;
use crate::engine::guard::ScriptEnv;
use crate::engine::{Fault, Walk};
use crate::expr::{self, Dialect};
use crate::id::{NodeId, SlotId};
use crate::node::{PortFault, read_port};
use crate::status::Status;
use crate::tree::{Binding, Script, ScriptName};
use crate::value::{Type, Value};

/// The port of `Script` and `ScriptCondition`, and the `if` of `Precondition`.
const CODE: usize = 0;
/// The ports of `SetBlackboard`.
const VALUE: usize = 0;
const OUTPUT_KEY: usize = 1;
/// The port of `UnsetBlackboard`.
const KEY: usize = 0;

impl<'e> Walk<'e> {
    /// Visits one of the leaves that the engine does itself.
    #[inline(never)]
    pub(super) fn visit_script_leaf(&mut self, id: NodeId, kind: Kind) -> Result<Status, Fault> {
        match kind {
            Kind::Script => self.run_code(id).map(|()| Status::Success),
            Kind::ScriptCondition => self.test_code(id).map(verdict),
            Kind::SetBlackboard => self.set_blackboard(id),
            _ => self.unset_blackboard(id).map(|()| Status::Success),
        }
    }

    /// Asks the `if` of a precondition that has not let its child begin; the node finds the answer
    /// in its state, 1 for true and 2 for false.
    #[inline(never)]
    pub(super) fn ask_precondition(&mut self, id: NodeId) -> Result<(), Fault> {
        if !self.context(id).state().started {
            let holds = self.test_code(id)?;
            self.context(id).state().count = if holds { 1 } else { 2 };
        }
        Ok(())
    }

    pub(super) fn read(&self, id: NodeId, port: usize, ty: Type) -> Result<Option<Value>, PortFault> {
        read_port(self.tree, &self.run.board, (id, self.tree.node(id)), port, ty)
    }

    #[inline(always)]
    fn run_code(&mut self, id: NodeId) -> Result<(), Fault> {
        match self.code(id) {
            Some(script) => self.run_script(script, id),
            None => self.run_parsed_code(id),
        }
    }

    #[inline(always)]
    fn run_script(&mut self, script: &Script, id: NodeId) -> Result<(), Fault> {
        let mut env = ScriptEnv::new(self, script, id);
        script.program.execute(&mut env).map_err(|fault| Self::fault(id, fault))
    }

    #[cold]
    fn run_parsed_code(&mut self, id: NodeId) -> Result<(), Fault> {
        let script = self.parsed_code(id)?;
        self.run_script(&script, id)
    }

    #[inline(always)]
    fn test_code(&mut self, id: NodeId) -> Result<bool, Fault> {
        match self.code(id) {
            Some(script) => self.test_script(script, id),
            None => self.test_parsed_code(id),
        }
    }

    #[inline(always)]
    fn test_script(&mut self, script: &Script, id: NodeId) -> Result<bool, Fault> {
        let mut env = ScriptEnv::new(self, script, id);
        let holds = script.program.test(&mut env).map_err(|fault| Self::fault(id, fault))?;
        if !holds && self.run.wants_reasons {
            self.run.reason = Some(self.why_not(script, id));
        }
        Ok(holds)
    }

    #[cold]
    fn test_parsed_code(&mut self, id: NodeId) -> Result<bool, Fault> {
        let script = self.parsed_code(id)?;
        self.test_script(&script, id)
    }

    #[cold]
    fn why_not(&mut self, script: &Script, id: NodeId) -> Arc<str> {
        script.program.explain(&ScriptEnv::new(self, script, id)).into()
    }

    /// The script of a node, when it was compiled with the tree.
    #[inline]
    fn code(&self, id: NodeId) -> Option<&'e Script> {
        match self.tree.binding(id, CODE) {
            Binding::Script(script) => Some(self.tree.script(script)),
            _ => None,
        }
    }

    /// A script that is the text of a key, parsed now.
    #[cold]
    fn parsed_code(&mut self, id: NodeId) -> Result<Script, Fault> {
        let text = self.read(id, CODE, Type::Text);
        let Some(Value::Text(text)) = text.map_err(|fault| Self::fault(id, fault))? else {
            return Err(Self::fault(id, "the key of its script has no value"));
        };
        let program = expr::parse(&text, Dialect::Script).map_err(|faults| {
            let first = faults.first().map_or(String::new(), |fault| fault.message.clone());
            Self::fault(id, format!("{text:?} is no script: {first}"))
        })?;
        let scope = self.tree.info(id).scope;
        let names = (program.names().iter())
            .map(|name| {
                let slot = self.run.board.find_or_add(scope, &name.text)?;
                Ok(ScriptName { slot, number: self.tree.enum_value(&name.text) })
            })
            .collect::<Result<_, WriteFault>>()
            .map_err(|fault| Self::fault(id, fault))?;
        Ok(Script { program: Arc::new(program), names })
    }

    /// A literal is written as text, or as the key's type reads it; a value that comes from a key
    /// brings its type along, whatever the key that is written held.
    #[inline(never)]
    fn set_blackboard(&mut self, id: NodeId) -> Result<Status, Fault> {
        let Binding::Slot(slot) = self.tree.binding(id, OUTPUT_KEY) else {
            return Err(Self::fault(id, "it names no key to write"));
        };
        if let Binding::Slot(from) = self.tree.binding(id, VALUE) {
            return Ok(self.copy_key(id, from, slot));
        }
        let value = self.read(id, VALUE, Type::Any);
        let Some(value) = value.map_err(|fault| Self::fault(id, fault))? else {
            return Err(Self::fault(id, "it names no value to write"));
        };
        let ty = self.type_of_constant(slot);
        let mut value = self.tree.convert(&value, ty).map_err(|fault| Self::fault(id, fault))?;
        self.write_port(id, slot, &mut value, ty).map_err(|fault| Self::fault(id, fault))?;
        Ok(Status::Success)
    }

    /// The type of a key that still holds the number that its subtree was given: such a constant is
    /// typed, and a literal is read as its key's type (SEMANTICS 4).
    fn type_of_constant(&self, slot: SlotId) -> Type {
        let was_given =
            self.tree.layout().slots().nth(slot.index()).is_some_and(|(_, it)| it.initial.is_some());
        match self.slot_value(slot).map(Value::kind) {
            Some(kind @ (Type::Int64 | Type::Real)) if was_given => kind,
            _ => Type::Any,
        }
    }

    fn copy_key(&mut self, id: NodeId, from: SlotId, to: SlotId) -> Status {
        if !self.run.board.copy(from, to) {
            self.run.reason = Some("the key it reads has no value".into());
            return Status::Failure;
        }
        self.tell_write(to, Some(id));
        Status::Success
    }

    #[inline(never)]
    fn unset_blackboard(&mut self, id: NodeId) -> Result<(), Fault> {
        let Binding::Slot(slot) = self.tree.binding(id, KEY) else {
            return Err(Self::fault(id, "it names no key"));
        };
        self.run.board.unset(slot);
        self.tell_write(slot, Some(id));
        Ok(())
    }
}

const fn verdict(holds: bool) -> Status {
    if holds { Status::Success } else { Status::Failure }
}
