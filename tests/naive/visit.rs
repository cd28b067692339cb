//! One visit of a node with its guards, and halting.

use helve::status::Status;

use super::Fault;
use super::case::{ENDLESS, VISITS_MAX};
use super::expr::{self, Env};
use super::number::truth;
use super::world::World;

/// What a node is, by what may be under it.
fn is_decorator(world: &World, id: usize) -> bool {
    // A control has children too, but no control resets a child by having been visited.
    const DECORATORS: [&str; 13] = [
        "Delay",
        "ForceFailure",
        "ForceSuccess",
        "Inverter",
        "KeepRunningUntilFailure",
        "Precondition",
        "Repeat",
        "RetryUntilSuccessful",
        "RunOnce",
        "SkipUnlessUpdated",
        "SubTree",
        "Timeout",
        "WaitValueUpdate",
    ];
    DECORATORS.contains(&world.kind(id)) || world.kind(id).starts_with("Loop")
}

impl World {
    /// Visits a node: `executeTick` of the reference.
    pub fn visit(&mut self, id: usize) -> Result<Status, Fault> {
        self.visits += 1;
        if self.visits > VISITS_MAX {
            return Err(ENDLESS.to_owned());
        }
        let answer = match self.before(id)? {
            Some(decided) => decided,
            None => self.tick(id)?,
        };
        if answer == Status::Idle {
            return Err(format!("{} answered nothing", self.nodes[id].path));
        }
        match answer {
            Status::Success => self.run_guards(id, &["_onSuccess", "_post"])?,
            Status::Failure => self.run_guards(id, &["_onFailure", "_post"])?,
            _ => {}
        }
        // That a node was skipped is never stored.
        if answer != Status::Skipped {
            self.set_status(id, answer);
        }
        if is_decorator(self, id) {
            let child = self.nodes[id].children[0];
            if self.status(child).is_completed() {
                self.set_status(child, Status::Idle);
            }
        }
        self.results.push((self.nodes[id].path.clone(), answer.to_string()));
        Ok(answer)
    }

    fn tick(&mut self, id: usize) -> Result<Status, Fault> {
        match self.nodes[id].children.len() {
            0 => self.tick_leaf(id),
            _ if is_decorator(self, id) => self.tick_decorator(id),
            _ => self.tick_control(id),
        }
    }

    /// The preconditions; what one of them decides is the node's answer.
    fn before(&mut self, id: usize) -> Result<Option<Status>, Fault> {
        let decides =
            [("_failureIf", Status::Failure), ("_successIf", Status::Success), ("_skipIf", Status::Skipped)];
        for (guard, answer) in decides {
            if self.status(id) == Status::Idle && self.holds(id, guard)? == Some(true) {
                return Ok(Some(answer));
            }
        }
        match self.status(id) {
            Status::Idle if self.holds(id, "_while")? == Some(false) => Ok(Some(Status::Skipped)),
            Status::Running if self.holds(id, "_while")? == Some(false) => {
                self.halting(|world| world.halt_node(id))?;
                Ok(Some(Status::Skipped))
            }
            _ => Ok(None),
        }
    }

    fn holds(&mut self, id: usize, guard: &str) -> Result<Option<bool>, Fault> {
        let Some(script) = self.attribute(id, guard) else { return Ok(None) };
        let value = self.script(id, &script)?.ok_or("a condition without a value")?;
        truth(&value).map(Some)
    }

    fn run_guards(&mut self, id: usize, guards: &[&str]) -> Result<(), Fault> {
        for guard in guards {
            if let Some(script) = self.attribute(id, guard) {
                self.script(id, &script)?;
            }
        }
        Ok(())
    }

    /// Runs a script with the names of the tree that the node is written in.
    pub fn script(&mut self, id: usize, script: &str) -> Result<Option<helve::value::Value>, Fault> {
        let scope = self.nodes[id].scope;
        expr::run(script, &mut Env { board: &mut self.board, scope, enums: &self.enums })
    }

    /// Halts all that `work` halts: what goes wrong on the way is told when that is done. (The
    /// reference leaves the rest running.)
    pub fn halting(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Fault>) -> Result<(), Fault> {
        self.halts += 1;
        let answer = work(self);
        self.halts -= 1;
        self.keep(answer)
    }

    /// Keeps the first fault until the halting at hand is over.
    pub fn keep(&mut self, answer: Result<(), Fault>) -> Result<(), Fault> {
        if let Err(fault) = answer {
            self.halt_fault.get_or_insert(fault);
        }
        if self.halts > 0 { Ok(()) } else { self.halt_fault.take().map_or(Ok(()), Err) }
    }

    /// Halts a node whatever it does, and tells its guard.
    fn halt_node(&mut self, id: usize) -> Result<(), Fault> {
        self.halt(id)?;
        let answer = self.run_guards(id, &["_onHalted"]);
        self.keep(answer)
    }

    fn halt(&mut self, id: usize) -> Result<(), Fault> {
        match self.nodes[id].children.len() {
            0 => self.halt_leaf(id),
            _ if is_decorator(self, id) => self.forget_decorator(id),
            _ => self.forget_control(id)?,
        }
        self.reset_children(id)?;
        self.set_status(id, Status::Idle);
        Ok(())
    }

    /// Halts a child that is running; in any case it begins anew.
    pub fn reset(&mut self, child: usize) -> Result<(), Fault> {
        self.reset_all(&[child])
    }

    /// The same for several.
    pub fn reset_all(&mut self, children: &[usize]) -> Result<(), Fault> {
        self.halting(|world| {
            for &child in children {
                if world.status(child) == Status::Running {
                    world.halt_node(child)?;
                }
                world.set_status(child, Status::Idle);
            }
            Ok(())
        })
    }

    pub fn reset_children(&mut self, id: usize) -> Result<(), Fault> {
        self.reset_all(&self.children(id))
    }

    /// Halts the whole tree: the root, and then every node once more, which runs `_onHalted` of nodes
    /// that did nothing and twice of those that ran.
    pub fn halt_tree(&mut self) -> Result<(), Fault> {
        self.halting(|world| {
            world.halt_node(0)?;
            (0..world.nodes.len()).try_for_each(|id| world.halt_node(id))
        })
    }
}
