//! Runs statements: assignments, and expressions with assignments inside.
//!
//! Between two writes everything is pure and borrows ([`Eval`]); across a write values are owned.

use super::ast::{Id, Kind, Link};
use super::compare::Comparer;
use super::env::{Assign, Env};
use super::eval::{Eval, choice};
use super::join::combine;
use super::number::{self, Number};
use super::operand::Operand;
use super::operator::{Assigner, Level};
use super::program::{NameId, Program};
use super::trip::{Trip, Why};
use super::weight::Steps;
use crate::value::Value;

/// Runs a program for what it assigns.
#[inline]
pub(super) fn execute<E: Env + ?Sized>(program: &Program, env: &mut E) -> Result<(), Trip> {
    let steps = Steps::of(program.ast.len());
    let mut effect = Effect { program, env, steps: &steps };
    program.ast.statements.iter().try_for_each(|&statement| effect.act(statement))
}

/// Runs a program; its last value, null when it is empty.
pub(super) fn value<E: Env + ?Sized>(program: &Program, env: &mut E) -> Result<Value, Trip> {
    let steps = Steps::of(program.ast.len());
    let mut effect = Effect { program, env, steps: &steps };
    effect.lead()?.map_or(Ok(Value::Null), |last| effect.run(last))
}

/// Runs a program; its last value as a condition. An empty one is not true.
#[inline]
pub(super) fn condition<E: Env + ?Sized>(program: &Program, env: &mut E) -> Result<bool, Trip> {
    let steps = Steps::of(program.ast.len());
    match program.question {
        Some(question) => Eval::new(program, &*env, &steps).condition(question),
        None => Effect { program, env, steps: &steps }.last_condition(),
    }
}

struct Effect<'r, E: ?Sized> {
    program: &'r Program,
    env: &'r mut E,
    steps: &'r Steps,
}

impl<E: Env + ?Sized> Effect<'_, E> {
    /// Runs all statements; whether the value of the last is true.
    #[inline(never)]
    fn last_condition(&mut self) -> Result<bool, Trip> {
        let Some(last) = self.lead()? else { return Ok(false) };
        if self.program.ast.node(last).pure {
            return Eval::new(self.program, &*self.env, self.steps).condition(last);
        }
        let value = self.run(last)?;
        Operand::of(&value).condition().map_err(|why| why.at(last))
    }

    /// Runs all statements but the last, which it gives back.
    fn lead(&mut self) -> Result<Option<Id>, Trip> {
        let Some((&last, others)) = self.program.ast.statements.split_last() else { return Ok(None) };
        for &statement in others {
            self.act(statement)?;
        }
        Ok(Some(last))
    }

    /// Runs what nobody asks the value of.
    #[inline(always)]
    fn act(&mut self, id: Id) -> Result<(), Trip> {
        match self.program.ast.kind(id) {
            Kind::Assign(assigner, name, value) => self.assign(id, *assigner, *name, *value),
            _ => self.run_in_vain(id),
        }
    }

    #[inline(never)]
    fn run_in_vain(&mut self, id: Id) -> Result<(), Trip> {
        self.run(id).map(drop)
    }

    fn run(&mut self, id: Id) -> Result<Value, Trip> {
        let ast = &self.program.ast;
        let node = ast.node(id);
        let blame = |why: Why| why.at(id);
        match &node.kind {
            _ if node.pure => Eval::new(self.program, &*self.env, self.steps).value(id),
            Kind::Assign(assigner, name, value) => {
                self.assign_any(id, *assigner, *name, *value)?;
                // The entry may have converted the value into its own kind; that is what was assigned.
                Ok(self.env.read(*name).cloned().unwrap_or_default())
            }
            Kind::If(condition, then, other) => {
                let chosen = self.run(*condition)?;
                let chosen = choice(&Operand::of(&chosen)).map_err(|why| why.at(*condition))?;
                self.run(if chosen { *then } else { *other })
            }
            Kind::Unary(operator, operand) => {
                let operand = self.run(*operand)?;
                number::unary(*operator, &Operand::of(&operand)).map(Operand::into_value).map_err(blame)
            }
            Kind::Chain(level, first, links) => self.chain(id, *level, *first, ast.links(links)),
            // The parser lets no assignment into any other node.
            _ => Err(blame(Why::Refused("an assignment cannot stand here".into()))),
        }
    }

    #[inline(always)]
    fn assign(&mut self, id: Id, assigner: Assigner, name: NameId, value: Id) -> Result<(), Trip> {
        let eval = Eval::new(self.program, &*self.env, self.steps);
        let int = match assigner.compound() {
            None => eval.two_ints_combined(value),
            Some(operator) => eval.int_added(operator, name, value),
        };
        match int {
            Some(int) if self.env.write_int(name, int) => Ok(()),
            Some(int) => self.write(id, assigner, name, Number::Int(int).into_value()),
            None => self.assign_any(id, assigner, name, value),
        }
    }

    #[inline(never)]
    fn assign_any(&mut self, id: Id, assigner: Assigner, name: NameId, value: Id) -> Result<(), Trip> {
        let mut value = self.run(value)?;
        if let Some(operator) = assigner.compound() {
            let old = self.env.read(name).ok_or_else(|| Why::Missing(name).at(id))?;
            let (old, new) = (Operand::of(old), Operand::of(&value));
            value = combine(self.steps, operator, &old, &new).map_err(|why| why.at(id))?.into_value();
        }
        self.write(id, assigner, name, value)
    }

    #[inline(always)]
    fn write(&mut self, id: Id, assigner: Assigner, name: NameId, value: Value) -> Result<(), Trip> {
        let mode = if assigner == Assigner::Create { Assign::Create } else { Assign::Existing };
        self.env.write(name, value, mode).map_err(|reason| Why::Refused(reason.into()).at(id))
    }

    fn chain(&mut self, id: Id, level: Level, first: Id, links: &[Link]) -> Result<Value, Trip> {
        let mut left = self.run(first)?;
        if let Level::Or | Level::And = level {
            return self.logic(level == Level::Or, left, first, links);
        }
        for link in links {
            let right = self.run(link.operand)?;
            let (a, b) = (Operand::of(&left), Operand::of(&right));
            if level == Level::Compare {
                let enums = |text: &str| self.env.enum_value(text);
                let comparer = Comparer { steps: self.steps, enums: &enums, total: false };
                if !comparer.holds(link.operator, &a, &b).map_err(|why| why.at(id))? {
                    return Ok(Operand::Truth(false).into_value());
                }
                left = right;
            } else {
                let made = combine(self.steps, link.operator, &a, &b).map_err(|why| why.at(id))?;
                left = made.into_value();
            }
        }
        Ok(if level == Level::Compare { Operand::Truth(true).into_value() } else { left })
    }

    fn logic(&mut self, or: bool, first: Value, id: Id, links: &[Link]) -> Result<Value, Trip> {
        let mut answer = Operand::of(&first).condition().map_err(|why| why.at(id))?;
        for link in links {
            if answer == or {
                break;
            }
            let next = self.run(link.operand)?;
            answer = Operand::of(&next).condition().map_err(|why| why.at(link.operand))?;
        }
        Ok(Operand::Truth(answer).into_value())
    }
}
