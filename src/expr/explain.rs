//! Why a condition is not true: its smallest part that made it so, with the values in it.

use std::fmt::{self, Write as _};

use super::ast::{Id, Kind, Link};
use super::env::Env;
use super::eval::{Eval, choice};
use super::function::Function;
use super::operand::Operand;
use super::operator::{Level, Unary};
use super::program::Program;
use crate::limits::EXPR_SHOWN_CHARS_MAX;

/// Alternatives of an `||` that are told; further ones are counted.
const ALTERNATIVES_MAX: usize = 3;

pub(super) fn explain<E: Env + ?Sized>(program: &Program, eval: &Eval<'_, E>) -> String {
    let Some(&last) = program.ast.statements.last() else { return "there is no condition".into() };
    if !program.is_pure() {
        return format!("`{}` is not true", program.text().trim());
    }
    Explainer { program, eval }.part(last)
}

struct Explainer<'x, 'e, E: ?Sized> {
    program: &'x Program,
    eval: &'x Eval<'e, E>,
}

impl<E: Env + ?Sized> Explainer<'_, '_, E> {
    fn text(&self, id: Id) -> &str {
        self.program.slice(self.program.ast.node(id).span)
    }

    fn part(&self, id: Id) -> String {
        let ast = &self.program.ast;
        match ast.kind(id) {
            Kind::Chain(Level::And, first, links) => {
                let mut operands = operands(*first, ast.links(links));
                match operands.find(|&operand| self.eval.condition(operand) != Ok(true)) {
                    Some(operand) => self.part(operand),
                    None => self.leaf(id),
                }
            }
            Kind::Chain(Level::Or, first, links) if self.eval.condition(id) != Ok(true) => {
                self.alternatives(operands(*first, ast.links(links)).collect())
            }
            Kind::If(condition, then, other) => {
                match self.eval.eval(*condition).ok().and_then(|value| choice(&value).ok()) {
                    Some(chosen) => self.part(if chosen { *then } else { *other }),
                    None => self.part(*condition),
                }
            }
            _ => self.leaf(id),
        }
    }

    fn alternatives(&self, operands: Vec<Id>) -> String {
        let told: Vec<String> = operands.iter().take(ALTERNATIVES_MAX).map(|&id| self.part(id)).collect();
        let mut told = told.join(", and ");
        if operands.len() > ALTERNATIVES_MAX {
            let more = operands.len() - ALTERNATIVES_MAX;
            told.push_str(&format!(", and {more} more alternatives are not true"));
        }
        told
    }

    /// A part that is not made of conditions.
    fn leaf(&self, id: Id) -> String {
        let text = self.text(id);
        let values = self.values(id);
        let values = if values.is_empty() { values } else { format!(": {values}") };
        match self.eval.condition(id) {
            Ok(true) => format!("`{text}` is true{values}"),
            Ok(false) => format!("`{text}` is false{values}"),
            Err(trip) => {
                let place = self.text(trip.at);
                let reason = trip.why.words(self.program, place);
                let reason = if trip.at == id { reason } else { format!("{reason} in `{place}`") };
                format!("`{text}` is not true, because {reason}{}", values.replacen(": ", "; ", 1))
            }
        }
    }

    /// The values of the operands that the answer hangs on: `a is 1, b is 'x'`.
    fn values(&self, id: Id) -> String {
        let ast = &self.program.ast;
        let of: Vec<Id> = match ast.kind(id) {
            Kind::Chain(Level::Compare, first, links) => self.failing_pair(*first, ast.links(links)),
            Kind::Chain(_, first, links) => operands(*first, ast.links(links)).collect(),
            Kind::Call(Function::Has, _) => Vec::new(),
            Kind::Call(_, run) => ast.items(*run).to_vec(),
            Kind::Match(text, _) => vec![*text],
            Kind::Unary(Unary::Not, operand) => vec![*operand],
            Kind::Name(_) | Kind::Part(..) => vec![id],
            _ => Vec::new(),
        };
        let values: Vec<String> = of.into_iter().filter_map(|id| self.value(id)).collect();
        values.join(", ")
    }

    /// The first pair of neighbours that does not compare as it is written.
    fn failing_pair(&self, first: Id, links: &[Link]) -> Vec<Id> {
        let mut left = first;
        for link in links {
            let pair = (self.eval.eval(left), self.eval.eval(link.operand));
            let holds = match &pair {
                (Ok(left), Ok(right)) => self.eval.holds(link.operator, left, right).unwrap_or(false),
                _ => false,
            };
            if !holds {
                return vec![left, link.operand];
            }
            left = link.operand;
        }
        operands(first, links).collect()
    }

    /// `text is value`; nothing for a literal, whose text is its value.
    fn value(&self, id: Id) -> Option<String> {
        match self.program.ast.kind(id) {
            Kind::Null | Kind::Truth(_) | Kind::Int(_) | Kind::Real(_) | Kind::Text(_) | Kind::Const(_) => {
                None
            }
            _ => {
                let value = self.eval.eval(id).ok()?;
                Some(format!("{} is {}", self.text(id), shown(&value)))
            }
        }
    }
}

fn operands(first: Id, links: &[Link]) -> impl Iterator<Item = Id> {
    std::iter::once(first).chain(links.iter().map(|link| link.operand))
}

/// A value in a few characters. A long one is cut while it is written, so that a large value is
/// never written whole.
fn shown(value: &Operand<'_>) -> String {
    let mut out = Short { text: String::new(), left: EXPR_SHOWN_CHARS_MAX };
    let written = match value {
        Operand::Truth(flag) => write!(out, "{flag}"),
        Operand::Text(text) => write!(out, "'{}'", text.as_str()),
        Operand::Json(tree) => write!(out, "{}", tree.as_json()),
        scalar => write!(out, "{}", scalar.clone().into_value()),
    };
    if written.is_err() {
        out.text.push_str("...");
    }
    out.text
}

/// Takes so many characters and then fails.
struct Short {
    text: String,
    left: usize,
}

impl fmt::Write for Short {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            self.left = self.left.checked_sub(1).ok_or(fmt::Error)?;
            self.text.push(character);
        }
        Ok(())
    }
}
