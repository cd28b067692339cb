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

/// Runs a program and hands its last value to `finish`.
pub(super) fn run<E: Env + ?Sized, T>(
    program: &Program,
    env: &mut E,
    finish: impl FnOnce(&Steps, Operand<'_>) -> Result<T, Why>,
) -> Result<T, Trip> {
    let steps = Steps::of(program.ast.len());
    let Some((&last, others)) = program.ast.statements.split_last() else {
        // There is no node to blame, and `finish` of an empty script is asked by nobody: the
        // callers refuse or skip an empty text. Null is what it is worth.
        return finish(&steps, Operand::Null).map_err(|why| why.at(Id::default()));
    };
    let mut effect = Effect { program, env, steps: &steps };
    for &statement in others {
        effect.run(statement)?;
    }
    if program.ast.node(last).pure {
        let value = Eval::new(program, &*effect.env, &steps).eval(last)?;
        return finish(&steps, value).map_err(|why| why.at(last));
    }
    let value = effect.run(last)?;
    finish(&steps, Operand::owned(value)).map_err(|why| why.at(last))
}

struct Effect<'r, E: ?Sized> {
    program: &'r Program,
    env: &'r mut E,
    steps: &'r Steps,
}

impl<E: Env + ?Sized> Effect<'_, E> {
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
