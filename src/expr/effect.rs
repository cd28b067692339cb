//! Runs statements: assignments, and expressions with assignments inside.
//!
//! Between two writes everything is pure and borrows ([`Eval`]); across a write values are owned.

use super::ast::{Id, Kind, Link};
use super::compare::Comparer;
use super::env::{Assign, Env};
use super::eval::{Eval, choice};
use super::join::combine;
use super::number;
use super::operand::Operand;
use super::operator::{Assigner, Level};
use super::program::{NameId, Program};
use super::trip::{Trip, Why};
use super::weight::Steps;
use crate::value::Value;

/// Runs a program; its last value, null when it is empty.
pub(super) fn value<E: Env + ?Sized>(program: &Program, env: &mut E) -> Result<Value, Trip> {
    let steps = Steps::of(program.ast.len());
    let mut effect = Effect { program, env, steps: &steps };
    effect.lead()?.map_or(Ok(Value::Null), |last| effect.run(last))
}

/// Runs a program; its last value as a condition. An empty one is not true.
pub(super) fn condition<E: Env + ?Sized>(program: &Program, env: &mut E) -> Result<bool, Trip> {
    let steps = Steps::of(program.ast.len());
    let mut effect = Effect { program, env, steps: &steps };
    let Some(last) = effect.lead()? else { return Ok(false) };
    if program.ast.node(last).pure {
        return Eval::new(program, &*effect.env, &steps).condition(last);
    }
    let value = effect.run(last)?;
    Operand::of(&value).condition().map_err(|why| why.at(last))
}

struct Effect<'r, E: ?Sized> {
    program: &'r Program,
    env: &'r mut E,
    steps: &'r Steps,
}

impl<E: Env + ?Sized> Effect<'_, E> {
    /// Runs all statements but the last, which it gives back.
    fn lead(&mut self) -> Result<Option<Id>, Trip> {
        let Some((&last, others)) = self.program.ast.statements.split_last() else { return Ok(None) };
        for &statement in others {
            self.run(statement)?;
        }
        Ok(Some(last))
    }

    fn run(&mut self, id: Id) -> Result<Value, Trip> {
        let ast = &self.program.ast;
        let node = ast.node(id);
        let blame = |why: Why| why.at(id);
        match &node.kind {
            _ if node.pure => {
                let value = Eval::new(self.program, &*self.env, self.steps).eval(id)?;
                self.steps.keep(value).map_err(blame)
            }
            Kind::Assign(assigner, name, value) => self.assign(id, *assigner, *name, *value),
            Kind::If(condition, then, other) => {
                let chosen = self.run(*condition)?;
                let chosen = choice(&Operand::of(&chosen)).map_err(|why| why.at(*condition))?;
                self.run(if chosen { *then } else { *other })
            }
            Kind::Unary(operator, operand) => {
                let operand = self.run(*operand)?;
                number::unary(*operator, &Operand::of(&operand)).map(Operand::into_value).map_err(blame)
            }
            Kind::Chain(level, first, run) => self.chain(id, *level, *first, ast.links(*run)),
            // The parser lets no assignment into any other node.
            _ => Err(blame(Why::Refused("an assignment cannot stand here".into()))),
        }
    }

    fn assign(&mut self, id: Id, assigner: Assigner, name: NameId, value: Id) -> Result<Value, Trip> {
        let mode = if assigner == Assigner::Create { Assign::Create } else { Assign::Existing };
        let mut value = self.run(value)?;
        if let Some(operator) = assigner.compound() {
            let old = self.env.read(name).ok_or_else(|| Why::Missing(name).at(id))?;
            let (old, new) = (Operand::of(old), Operand::of(&value));
            value = combine(self.steps, operator, &old, &new).map_err(|why| why.at(id))?.into_value();
        }
        let refused = |reason: String| Why::Refused(reason.into()).at(id);
        self.env.write(name, value, mode).map_err(refused)?;
        // The entry may have converted the value into its own kind; that is what was assigned.
        Ok(self.env.read(name).cloned().unwrap_or_default())
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
