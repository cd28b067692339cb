//! The leaves: those of the dialect, and those of the conformance cases.

use helve::status::Status;
use helve::value::{Type, Value};

use super::Fault;
use super::number::truth;
use super::port::pointer;
use super::world::World;

type Answer = Result<Status, Fault>;

fn verdict(holds: bool) -> Status {
    if holds { Status::Success } else { Status::Failure }
}

impl World {
    pub(super) fn tick_leaf(&mut self, id: usize) -> Answer {
        // A leaf that takes time keeps its verdict until its parent resets it.
        let is_stateful = matches!(self.kind(id), "Scripted" | "Sleep");
        if is_stateful && self.status(id).is_completed() {
            return Ok(self.status(id));
        }
        self.ticked.push(self.nodes[id].path.clone());
        match self.kind(id) {
            "AlwaysSuccess" => Ok(Status::Success),
            "AlwaysFailure" => Ok(Status::Failure),
            "Scripted" | "Check" => self.next_of_plan(id),
            "Script" => {
                let code = self.text(id, "code")?;
                self.script(id, &code)?;
                Ok(Status::Success)
            }
            "ScriptCondition" => {
                let code = self.text(id, "code")?;
                let value = self.script(id, &code)?.ok_or("a condition without a value")?;
                truth(&value).map(verdict)
            }
            "SetKey" => {
                let value = self.text(id, "value")?;
                self.output(id, "out", Type::Text, Value::text(value))?;
                Ok(Status::Success)
            }
            "Inc" => {
                let next = self.int(id, "n")? + 1;
                self.output(id, "n", Type::Int, Value::Int(next))?;
                Ok(Status::Success)
            }
            "EqualsKey" => Ok(verdict(self.text(id, "a")? == self.text(id, "b")?)),
            "WasEntryUpdated" => Ok(verdict(self.was_updated(id))),
            "Sleep" => self.sleep_leaf(id),
            "SetBlackboard" => self.set_blackboard(id),
            "UnsetBlackboard" => {
                let key = self.text(id, "key")?;
                self.board.remove(self.nodes[id].scope, &key);
                Ok(Status::Success)
            }
            other => Err(format!("the naive reading has no {other}")),
        }
    }

    pub(super) fn halt_leaf(&mut self, id: usize) {
        if self.status(id) == Status::Running {
            self.ticked.push(format!("halt:{}", self.nodes[id].path));
        }
        self.memory(id).until = None;
    }

    /// The next letter of the plan, which begins anew at its end and is never reset.
    fn next_of_plan(&mut self, id: usize) -> Answer {
        let plan = self.text(id, "plan")?;
        let letters: Vec<_> = plan.split(',').map(str::trim).collect();
        let at = self.memory(id).at;
        self.memory(id).at += 1;
        match letters[at % letters.len()] {
            "R" => Ok(Status::Running),
            "S" => Ok(Status::Success),
            "F" => Ok(Status::Failure),
            other => Err(format!("{other:?} is no letter of a plan")),
        }
    }

    fn sleep_leaf(&mut self, id: usize) -> Answer {
        let bound = self.int(id, "msec")? as u64;
        let now = self.now;
        let until = *self.memory(id).until.get_or_insert(now + bound);
        if now < until {
            return Ok(Status::Running);
        }
        self.memory(id).until = None;
        Ok(Status::Success)
    }

    fn set_blackboard(&mut self, id: usize) -> Answer {
        let scope = self.nodes[id].scope;
        let (value, to) = (self.attribute(id, "value"), self.attribute(id, "output_key"));
        let (value, to) = value.zip(to).ok_or("a SetBlackboard without its ports")?;
        let to = pointer("output_key", &to).unwrap_or(to);
        let Some(from) = pointer("value", &value) else {
            self.board.write(scope, &to, Type::Text, Value::text(value))?;
            return Ok(Status::Success);
        };
        let Some(source) = self.board.entry(scope, &from).filter(|entry| entry.value.is_some()).cloned()
        else {
            return Ok(Status::Failure);
        };
        let entry = self.board.entry_mut(scope, &to);
        (entry.ty, entry.value, entry.seq) = (source.ty, source.value, entry.seq + 1);
        Ok(Status::Success)
    }
}
