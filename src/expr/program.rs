//! A parsed text and what can be asked of it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::ast::{Ast, Id};
use super::effect;
use super::env::Env;
use super::eval::Eval;
use super::fault::{EvalFault, Fault};
use super::parser;
use super::trip::Trip;
use super::weight::Steps;
use super::{check, explain};
use crate::text::Span;
use crate::value::{Type, Value};

/// What a text is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// A script or a guard: statements, which may assign. What cannot be evaluated is a fault.
    Script,
    /// One expression that assigns nothing and always has an answer: a missing name or path is
    /// null, and what cannot be evaluated is not true.
    Predicate,
}

/// A name of a program, by its place in [`Program::names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameId(u32);

impl NameId {
    pub(super) const fn new(index: u32) -> Self {
        Self(index)
    }

    /// The place in [`Program::names`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A name that a program uses, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// As it is written; an entry of the root keeps its `@`.
    pub text: Arc<str>,
    /// The bytes of its first use.
    pub span: Range<usize>,
    /// Whether its value is read.
    pub reads: bool,
    /// Whether it is assigned by an operator that needs the entry to exist.
    pub assigns: bool,
    /// Whether `:=` may create it.
    pub creates: bool,
    /// The kind that its first plain assignment writes, when the text alone shows it.
    pub written_kind: Option<Type>,
}

/// A parsed text.
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) text: Arc<str>,
    pub(super) dialect: Dialect,
    pub(super) ast: Ast,
    pub(super) names: Vec<Name>,
    /// The only statement, when it assigns nothing: what nearly every condition is.
    pub(super) question: Option<Id>,
}

/// Reads a text; either a program or all faults that were found.
pub fn parse(text: &str, dialect: Dialect) -> Result<Program, Vec<Fault>> {
    parser::parse(text, dialect)
}

impl Program {
    /// The names it uses, in order of their first use; a [`NameId`] is a place in this list.
    pub fn names(&self) -> &[Name] {
        &self.names
    }

    /// One of its names.
    pub fn name(&self, id: NameId) -> &Name {
        &self.names[id.index()]
    }

    /// The text it was read from.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// What it is for.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Whether it assigns nothing.
    pub fn is_pure(&self) -> bool {
        self.ast.statements.iter().all(|&statement| self.ast.node(statement).pure)
    }

    /// Whether it holds no statement at all.
    pub fn is_empty(&self) -> bool {
        self.ast.statements.is_empty()
    }

    /// Whether its answer stays the same as long as no value under its [names](Self::names)
    /// changes and evaluating it again changes nothing: then it need not be evaluated again.
    pub fn depends_only_on_names(&self) -> bool {
        self.is_pure()
    }

    /// Runs all statements for what they assign: [`run`](Self::run) without its value.
    #[inline]
    pub fn execute<E: Env + ?Sized>(&self, env: &mut E) -> Result<(), EvalFault> {
        match effect::execute(self, env) {
            Ok(()) => Ok(()),
            Err(_) if self.dialect == Dialect::Predicate => Ok(()),
            Err(trip) => Err(self.fault(trip)),
        }
    }

    /// Runs all statements; the value of the last one, null when there is none.
    ///
    /// A predicate gives no fault: where it has no answer its value is null.
    pub fn run<E: Env + ?Sized>(&self, env: &mut E) -> Result<Value, EvalFault> {
        match effect::value(self, env) {
            Err(_) if self.dialect == Dialect::Predicate => Ok(Value::Null),
            answer => answer.map_err(|trip| self.fault(trip)),
        }
    }

    /// Runs all statements and takes the last one's value as a condition: a real number is true
    /// unless it is zero, an integer must be 0 or 1, anything else is no condition.
    ///
    /// A predicate gives no fault: what is no condition is not true.
    #[inline]
    pub fn test<E: Env + ?Sized>(&self, env: &mut E) -> Result<bool, EvalFault> {
        match effect::condition(self, env) {
            Ok(answer) => Ok(answer),
            Err(_) if self.dialect == Dialect::Predicate => Ok(false),
            Err(trip) => Err(self.fault(trip)),
        }
    }

    /// Why it is not true: the smallest part that made it false, and the values of its operands.
    /// A program that assigns is not run again; its text stands for itself.
    pub fn explain<E: Env + ?Sized>(&self, env: &E) -> String {
        let steps = Steps::of_explanation();
        explain::explain(self, &Eval::new(self, env, &steps))
    }

    /// Faults that its text alone, and the types of its names, make certain.
    ///
    /// In a script only those are told that the dialect calls a doubtful choice of its home
    /// engine; every other one is left to the run, where that engine finds it too.
    pub fn check(&self, type_of: impl Fn(NameId) -> Option<Type>) -> Vec<Fault> {
        check::check(self, &type_of)
    }

    /// [`check`](Self::check), and the faults of its last value as a condition: what a guard, a
    /// ScriptCondition or a Precondition asks for.
    pub fn check_condition(&self, type_of: impl Fn(NameId) -> Option<Type>) -> Vec<Fault> {
        check::check_condition(self, &type_of)
    }

    /// What a script is certain to meet when it gets there, besides the faults that
    /// [`check`](Self::check) finds, or [`check_condition`](Self::check_condition) when its value is
    /// to be a condition. The home engine loads such a script and fails when it runs, so these are
    /// no faults of the text but worth a warning.
    pub fn doubts(&self, is_condition: bool, type_of: impl Fn(NameId) -> Option<Type>) -> Vec<Fault> {
        check::doubts(self, &type_of, is_condition)
    }

    /// The text under a span, for messages.
    pub(super) fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    #[cold]
    #[inline(never)]
    pub(super) fn fault(&self, trip: Trip) -> EvalFault {
        trip.into_fault(self)
    }
}

impl PartialEq for Program {
    /// The same program, however it is spaced and bracketed.
    fn eq(&self, other: &Self) -> bool {
        self.dialect == other.dialect
            && self.ast == other.ast
            && self.names.iter().map(|name| &name.text).eq(other.names.iter().map(|name| &name.text))
    }
}

impl fmt::Display for Program {
    /// The canonical text: one blank around operators, parentheses only where they are needed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        super::print::print(self, f)
    }
}
