//! One conformance case, run by the naive reading.

use std::collections::BTreeMap;

use helve::conformance::{Case, Deed, Directives, Key, Keys, Tick, Trace};
use helve::status::Status;
use helve::value::{Type, Value};

use super::Fault;
use super::board::Scope;
use super::build::build;
use super::world::World;

/// Visits of the root in one tick, for trees that ask for it.
pub const VISITS_MAX: usize = 100_000;

/// What the naive reading does with a case that loads.
///
/// # Errors
/// When it cannot read the case's tree.
pub fn run(case: &Case) -> Result<Trace, Fault> {
    let mut world = World::default();
    world.board.scopes.push(Scope::default());
    world.enums = case.directives.enums.iter().cloned().collect();
    for key in &case.directives.init {
        world.set(key)?;
    }
    build(&mut world, &case.xml, case.path.as_deref())?;
    let ticks = world.run(&case.directives);
    // Such a tick is one that never ends: a loop without end over a child that never yields.
    if ticks.last().is_some_and(|tick| tick.error.as_deref() == Some(ENDLESS)) {
        return Err(ENDLESS.to_owned());
    }
    Ok(Trace::Ticks(ticks))
}

/// The fault of a case with a tick of more than [`VISITS_MAX`] visits.
pub const ENDLESS: &str = "a tick without end";

impl World {
    fn run(mut self, directives: &Directives) -> Vec<Tick> {
        let (mut ticks, mut completions) = (Vec::new(), 0);
        for number in 1..=directives.max_ticks {
            let before = self.between(directives, number);
            let answer = self.tick_root(directives.tick_while_awake);
            let tick = self.line(number, before.and(answer));
            let is_error = tick.error.is_some();
            completions += u32::from(matches!(&*tick.root, "SUCCESS" | "FAILURE"));
            ticks.push(tick);
            if is_error || completions == directives.runs {
                break;
            }
        }
        ticks
    }

    /// What happens before a tick. All of it happens, even if one of it is refused.
    fn between(&mut self, directives: &Directives, number: u64) -> Result<(), Fault> {
        let mut refused = match number {
            1 => Ok(()),
            _ => self.sleep(directives.sleep_ms),
        };
        for (_, deed) in directives.before.iter().filter(|(tick, _)| *tick == number) {
            refused = refused.and(self.deed(deed));
        }
        refused
    }

    fn deed(&mut self, deed: &Deed) -> Result<(), Fault> {
        match deed {
            Deed::Set(key) => self.set(key),
            Deed::Unset(key) => {
                self.board.remove(0, key);
                Ok(())
            }
            Deed::Import(keys) => keys.iter().try_for_each(|(name, json)| {
                let value = Value::from_json(json.clone());
                self.set(&Key { name: name.clone(), ty: untyped_text(&value), value })
            }),
            Deed::Sleep(ms) => self.sleep(*ms),
            Deed::Halt => self.halt_tree(),
        }
    }

    fn set(&mut self, key: &Key) -> Result<(), Fault> {
        self.board.write(0, &key.name, key.ty, key.value.clone())
    }

    /// Lets time pass: every Timeout whose time comes fires at its moment.
    fn sleep(&mut self, ms: u64) -> Result<(), Fault> {
        let until = self.now + ms;
        loop {
            let due = (0..self.nodes.len())
                .filter(|&id| self.kind(id) == "Timeout")
                .filter_map(|id| Some((self.nodes[id].memory.until?, id)))
                .filter(|(at, _)| *at <= until)
                .min();
            let Some((at, id)) = due else { break };
            self.now = self.now.max(at);
            self.time_out(id)?;
        }
        self.now = until;
        Ok(())
    }

    fn tick_root(&mut self, while_awake: bool) -> Result<Status, Fault> {
        let mut answer = Status::Running;
        for _ in 0..VISITS_MAX {
            self.is_awake = false;
            self.visits = 0;
            answer = self.visit(0)?;
            if !while_awake || answer != Status::Running || !self.is_awake {
                break;
            }
        }
        if answer.is_completed() {
            self.set_status(0, Status::Idle);
        }
        Ok(answer)
    }

    fn line(&mut self, number: u64, answer: Result<Status, Fault>) -> Tick {
        let subtrees = self.board.scopes[1..].iter().map(|scope| (scope.path.clone(), keys(scope)));
        Tick {
            tick: number,
            root: answer.as_ref().map_or("ERROR".to_owned(), Status::to_string),
            error: answer.err(),
            nodes: self.nodes.iter().map(|it| (it.path.clone(), it.status.to_string())).collect(),
            ticked: std::mem::take(&mut self.ticked),
            results: std::mem::take(&mut self.results),
            blackboard: keys(&self.board.scopes[0]),
            subtree_blackboards: subtrees.filter(|(_, keys)| !keys.is_empty()).collect::<BTreeMap<_, _>>(),
        }
    }
}

/// A text from outside gives its key no type.
fn untyped_text(value: &Value) -> Type {
    match value.kind() {
        Type::Text => Type::Any,
        kind => kind,
    }
}

fn keys(scope: &Scope) -> Keys {
    let json = |value: &Value| match value {
        Value::Real(real) if !real.is_finite() => format!("<{real}>").into(),
        value => value.to_json(),
    };
    scope.keys.iter().filter_map(|(key, entry)| Some((key.clone(), json(entry.value.as_ref()?)))).collect()
}
