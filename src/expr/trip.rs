//! Why an evaluation stopped: small and unformatted, because a predicate meets many and shows few.

use super::ast::Id;
use super::fault::EvalFault;
use super::function::Function;
use super::operator::{Binary, Unary};
use super::program::{NameId, Program};
use crate::diag::did_you_mean;
use crate::limits::{EXPR_DEPTH_MAX, EXPR_STEPS_MAX};

/// The kind of a value, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Truth,
    Int,
    Real,
    Text,
    List,
    Object,
}

impl Kind {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Truth => "a truth value",
            Self::Int => "an integer",
            Self::Real => "a real number",
            Self::Text => "text",
            Self::List => "a list",
            Self::Object => "an object",
        }
    }
}

/// What stopped an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Why {
    /// No entry, or an empty one.
    Missing(NameId),
    /// The entry has no part under the path.
    NoPart(NameId, Kind),
    /// Operands that the operator does not take.
    Operands(Binary, Kind, Kind),
    /// An operand that the operator does not take.
    Operand(Unary, Kind),
    /// A text compared with a number, that is none.
    NotNumber(Box<str>),
    /// A number with a fraction, or too large, where bits are needed.
    NotBits(&'static str),
    /// An integer that a double does not hold, next to a real number.
    Inexact(i64),
    Condition(Kind),
    IntCondition(i64),
    /// An argument that the function does not take, counted from 0.
    Argument(Function, usize, Kind),
    TooManySteps,
    TooDeep,
    /// The board refused a value.
    Refused(Box<str>),
}

/// What stopped an evaluation, and where.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Trip {
    pub(super) at: Id,
    pub(super) why: Why,
}

impl Why {
    pub(super) fn at(self, at: Id) -> Trip {
        Trip { at, why: self }
    }
}

impl Trip {
    pub(super) fn into_fault(self, program: &Program) -> EvalFault {
        let span = program.ast.node(self.at).span;
        let here = program.slice(span);
        let message = match self.why {
            Why::Missing(_) | Why::NoPart(..) => self.why.words(program, here),
            _ => format!("{}: `{here}`", self.why.words(program, here)),
        };
        EvalFault { span: span.range(), message, help: self.why.help(program, here) }
    }
}

impl Why {
    /// What is wrong; `here` is the text that it is about.
    pub(super) fn words(&self, program: &Program, here: &str) -> String {
        let name = |name: &NameId| &*program.name(*name).text;
        match self {
            Self::Missing(entry) => format!("`{}` has no value", name(entry)),
            Self::NoPart(entry, kind) => format!("`{}`, {}, has no part `{here}`", name(entry), kind.words()),
            Self::Operands(operator, left, right) => {
                format!("cannot {} {} and {}", operator.verb(), left.words(), right.words())
            }
            Self::Operand(operator, kind) => {
                format!("`{}` does not apply to {}", operator.sign(), kind.words())
            }
            Self::NotNumber(text) => format!("'{text}' is no number"),
            Self::NotBits(sign) => format!("`{sign}` needs whole numbers of at most 64 bits"),
            Self::Inexact(int) => format!("no real number is exactly {int}"),
            Self::Condition(kind) => format!("{} is no condition", kind.words()),
            Self::IntCondition(int) => format!("{int} is no condition"),
            Self::Argument(function, place, kind) => {
                let place = if *place == 0 { "first" } else { "second" };
                format!("`{}` does not take {} as its {place} argument", function.name(), kind.words())
            }
            Self::TooManySteps => format!("the evaluation takes more than {EXPR_STEPS_MAX} steps"),
            Self::TooDeep => format!("the values are nested deeper than {EXPR_DEPTH_MAX} levels"),
            Self::Refused(reason) => reason.to_string(),
        }
    }

    /// What to do next.
    fn help(&self, program: &Program, here: &str) -> Option<String> {
        Some(match self {
            Self::Missing(name) => missing(program, *name),
            Self::NoPart(..) => format!("Ask `has({here})` first."),
            Self::Operands(Binary::Add, ..) => {
                "`+` takes two numbers or two texts; `..` joins text with a number.".into()
            }
            Self::Operands(Binary::Concat, ..) => "`..` needs text on at least one side, and no list.".into(),
            Self::NotNumber(_) => "A text next to a number counts as a number, and whole.".into(),
            Self::Inexact(_) => "Integers are exact only among themselves.".into(),
            Self::Condition(Kind::Text) => format!("Compare it: `{here} == 'text'`."),
            Self::Condition(Kind::List | Kind::Object) => format!("Ask for its size: `size({here}) > 0`."),
            Self::Condition(Kind::Null) => "Ask whether it is there, with `has`.".into(),
            Self::IntCondition(_) => format!("Of integers only 0 and 1 are; write `{here} != 0`."),
            Self::Argument(function, ..) => format!("It is called `{}`.", function.usage()),
            Self::TooManySteps => "Look at smaller values.".into(),
            _ => return None,
        })
    }
}

fn missing(program: &Program, name: NameId) -> String {
    let name = &*program.name(name).text;
    let others = program.names.iter().map(|other| &*other.text).filter(|other| *other != name);
    match did_you_mean(name, others) {
        Some(near) => format!("Did you mean `{near}`?"),
        None => format!("Create it with `{name} := ...`, or ask `has({name})` first."),
    }
}
