//! Faults that are certain before anything runs.

use super::ast::{Ast, Id, Kind, Link};
use super::fault::{Fault, FaultKind};
use super::function::Function;
use super::number::Number;
use super::operator::{Binary, Level, Unary};
use super::program::{Dialect, NameId, Program};
use crate::value::Type;

/// What is known of a name's type.
type TypeOf<'t> = &'t dyn Fn(NameId) -> Option<Type>;

/// The type of a node's value, where the text and the types of names show it.
pub(super) fn kind_of(ast: &Ast, id: Id, type_of: TypeOf<'_>) -> Option<Type> {
    let of = |id| kind_of(ast, id, type_of);
    Some(match ast.kind(id) {
        Kind::Int(_) | Kind::Call(Function::Size, _) => Type::Int64,
        Kind::Truth(_) | Kind::Real(_) | Kind::Unary(..) | Kind::Call(..) | Kind::Match(..) => Type::Real,
        Kind::Text(_) => Type::Text,
        Kind::Null | Kind::Const(_) | Kind::List(_) => Type::Json,
        Kind::Name(name) => return type_of(*name).filter(|found| *found != Type::Any),
        Kind::Part(..) => return None,
        Kind::Chain(Level::Sum, first, links) => {
            let last = ast.links(links).last()?;
            match (last.operator, of(last.operand)) {
                (Binary::Concat, _) | (Binary::Add, Some(Type::Text)) => Type::Text,
                (Binary::Add, None) if of(*first).is_none_or(|first| first == Type::Text) => return None,
                _ => Type::Real,
            }
        }
        Kind::Chain(..) => Type::Real,
        Kind::If(_, then, other) => return of(*then).filter(|then| of(*other) == Some(*then)),
        Kind::Assign(_, _, value) => return of(*value),
    })
}

/// The certain faults of all statements.
pub(super) fn check(program: &Program, type_of: TypeOf<'_>) -> Vec<Fault> {
    let mut checker = Checker::new(program, type_of);
    for &statement in &program.ast.statements {
        checker.visit(statement);
    }
    if program.dialect == Dialect::Predicate {
        checker.last_is_condition();
    }
    checker.faults
}

/// The certain faults of a program whose value is to be a condition.
pub(super) fn check_condition(program: &Program, type_of: TypeOf<'_>) -> Vec<Fault> {
    let mut faults = check(program, type_of);
    if program.dialect == Dialect::Script {
        let mut checker = Checker::new(program, type_of);
        checker.last_is_condition();
        faults.append(&mut checker.faults);
    }
    faults
}

/// What a script is certain to meet when it gets there, [`check_condition`] or [`check`] aside.
pub(super) fn doubts(program: &Program, type_of: TypeOf<'_>, is_condition: bool) -> Vec<Fault> {
    let mut checker = Checker { program, type_of, strict: true, faults: Vec::new() };
    for &statement in &program.ast.statements {
        checker.visit(statement);
    }
    if is_condition {
        checker.last_is_condition();
    }
    if checker.faults.is_empty() {
        return checker.faults;
    }
    let certain = match is_condition {
        true => check_condition(program, type_of),
        false => check(program, type_of),
    };
    checker.faults.retain(|fault| !certain.contains(fault));
    checker.faults
}

struct Checker<'c> {
    program: &'c Program,
    type_of: TypeOf<'c>,
    /// Only what the home engine is known to do doubtfully may be refused in a script at load; in a
    /// predicate, which is ours, everything certain.
    strict: bool,
    faults: Vec<Fault>,
}

impl<'c> Checker<'c> {
    fn new(program: &'c Program, type_of: TypeOf<'c>) -> Self {
        Self { program, type_of, strict: program.dialect == Dialect::Predicate, faults: Vec::new() }
    }
}

impl Checker<'_> {
    fn last_is_condition(&mut self) {
        if let Some(&last) = self.program.ast.statements.last() {
            self.condition(last);
        }
    }

    fn tell(&mut self, id: Id, message: impl Into<String>, help: &str) {
        let span = self.program.ast.node(id).span;
        self.faults.push(Fault::new(FaultKind::Type, span, message).label("never works").help(help));
    }

    fn kind_of(&self, id: Id) -> Option<Type> {
        kind_of(&self.program.ast, id, self.type_of)
    }

    /// Looks at the parts that are evaluated whenever the node is.
    fn visit(&mut self, id: Id) {
        let program = self.program;
        let ast = &program.ast;
        match ast.kind(id) {
            Kind::Unary(operator, operand) => {
                self.visit(*operand);
                self.unary(*operator, *operand);
            }
            Kind::Chain(Level::Or | Level::And, first, _) => {
                self.visit(*first);
                self.condition(*first);
            }
            Kind::Chain(Level::Compare, first, links) => {
                self.visit(*first);
                ast.links(links).iter().take(1).for_each(|link| self.visit(link.operand));
            }
            Kind::Chain(_, first, links) => {
                self.visit(*first);
                ast.links(links).iter().for_each(|link| self.visit(link.operand));
                self.arithmetic(id, *first, ast.links(links));
            }
            Kind::If(condition, ..) => {
                self.visit(*condition);
                self.choice(*condition);
            }
            Kind::Assign(_, _, value) => self.visit(*value),
            Kind::List(run) | Kind::Call(_, run) => ast.items(*run).iter().for_each(|&item| self.visit(item)),
            Kind::Match(text, _) => self.visit(*text),
            _ => {}
        }
    }

    fn condition(&mut self, id: Id) {
        match self.program.ast.kind(id) {
            Kind::Int(0 | 1) => {}
            Kind::Int(int) => {
                self.tell(id, format!("{int} is no condition"), "Of integers only 0 and 1 are; compare it.");
            }
            _ if self.strict => match self.kind_of(id) {
                Some(Type::Text) => self.tell(id, "a text is no condition", "Compare it with `==`."),
                Some(Type::Json) if !matches!(self.program.ast.kind(id), Kind::Name(_) | Kind::Part(..)) => {
                    self.tell(id, "a list is no condition", "Ask for its `size`.");
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn choice(&mut self, id: Id) {
        if let Kind::Text(text) = self.program.ast.kind(id)
            && Number::parse(text).is_none()
        {
            self.tell(id, "a text is no condition", "Compare it with `==`.");
        }
    }

    fn unary(&mut self, operator: Unary, operand: Id) {
        if self.strict && self.kind_of(operand) == Some(Type::Text) {
            let message = format!("`{}` does not apply to text", operator.sign());
            self.tell(operand, message, "Use a number here.");
        }
    }

    fn arithmetic(&mut self, id: Id, first: Id, links: &[Link]) {
        let [link] = links else { return };
        let kinds = self.kind_of(first).zip(self.kind_of(link.operand));
        let Some((left, right)) = kinds else { return };
        match link.operator {
            Binary::Concat if left.is_number() && right.is_number() => {
                self.tell(id, "`..` joins no two numbers", "Make one of them a text: `'' .. 1`.");
            }
            Binary::Concat => {}
            Binary::Add if (left == Type::Text) == (right == Type::Text) => {}
            operator if self.strict && (left == Type::Text || right == Type::Text) => {
                let message = format!("cannot {} {left} and {right}", operator.verb());
                self.tell(id, message, "Use numbers here, or `..` to join texts.");
            }
            _ => {}
        }
    }
}
