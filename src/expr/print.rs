//! The canonical text of a program.

use std::fmt;

use serde_json::Value as Json;

use super::ast::{Id, Kind, Link};
use super::operator::Level;
use super::program::Program;
use crate::json_path::JsonStep;

pub(super) fn print(program: &Program, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut printer = Printer { program, f };
    for (place, &statement) in program.ast.statements.iter().enumerate() {
        if place > 0 {
            printer.f.write_str("; ")?;
        }
        printer.node(statement, Level::Assign)?;
    }
    Ok(())
}

struct Printer<'p, 'f, 'b> {
    program: &'p Program,
    f: &'f mut fmt::Formatter<'b>,
}

impl Printer<'_, '_, '_> {
    /// Writes a node where an operand of at least this level must stand.
    fn node(&mut self, id: Id, least: Level) -> fmt::Result {
        let kind = self.program.ast.kind(id);
        if level(kind) < least {
            self.f.write_str("(")?;
            self.bare(kind)?;
            return self.f.write_str(")");
        }
        self.bare(kind)
    }

    fn bare(&mut self, kind: &Kind) -> fmt::Result {
        let ast = &self.program.ast;
        match kind {
            Kind::Null => self.f.write_str("null"),
            Kind::Truth(flag) => write!(self.f, "{flag}"),
            Kind::Int(int) => write!(self.f, "{int}"),
            Kind::Real(real) => write!(self.f, "{real:?}"),
            Kind::Text(text) => self.text(text),
            Kind::Const(json) => self.json(json),
            Kind::List(run) => self.row("[", ast.items(*run), "]"),
            Kind::Name(name) => self.f.write_str(&self.program.name(*name).text),
            Kind::Part(name, path) => {
                self.f.write_str(&self.program.name(*name).text)?;
                ast.path(*path).steps().iter().try_for_each(|step| self.step(step))
            }
            Kind::Unary(operator, operand) => {
                self.f.write_str(operator.sign())?;
                self.node(*operand, Level::Unary)
            }
            Kind::Chain(level, first, links) => self.chain(*level, *first, ast.links(links)),
            Kind::If(condition, then, other) => {
                self.node(*condition, Level::Or)?;
                self.f.write_str(" ? ")?;
                self.node(*then, Level::Assign)?;
                self.f.write_str(" : ")?;
                self.node(*other, Level::Ternary)
            }
            Kind::Assign(assigner, name, value) => {
                let name = &self.program.name(*name).text;
                write!(self.f, "{name} {} ", assigner.sign())?;
                self.node(*value, Level::Assign)
            }
            Kind::Call(function, run) => {
                self.f.write_str(function.name())?;
                self.row("(", ast.items(*run), ")")
            }
            Kind::Match(text, pattern) => {
                self.f.write_str("matches(")?;
                self.node(*text, Level::Assign)?;
                self.f.write_str(", ")?;
                self.text(ast.pattern(*pattern).as_str())?;
                self.f.write_str(")")
            }
        }
    }

    fn chain(&mut self, level: Level, first: Id, links: &[Link]) -> fmt::Result {
        self.node(first, level.tighter())?;
        for link in links {
            write!(self.f, " {} ", link.operator.sign())?;
            self.node(link.operand, level.tighter())?;
        }
        Ok(())
    }

    fn row(&mut self, open: &str, items: &[Id], close: &str) -> fmt::Result {
        self.f.write_str(open)?;
        for (place, &item) in items.iter().enumerate() {
            self.f.write_str(if place > 0 { ", " } else { "" })?;
            self.node(item, Level::Assign)?;
        }
        self.f.write_str(close)
    }

    /// A text never holds both quotes: it was written between one kind of them.
    fn text(&mut self, text: &str) -> fmt::Result {
        let quote = if text.contains('\'') { '"' } else { '\'' };
        write!(self.f, "{quote}{text}{quote}")
    }

    fn step(&mut self, step: &JsonStep) -> fmt::Result {
        match step {
            JsonStep::Item(index) => write!(self.f, "[{index}]"),
            JsonStep::Member(name) if is_name(name) => write!(self.f, ".{name}"),
            JsonStep::Member(name) => {
                self.f.write_str("[")?;
                self.text(name)?;
                self.f.write_str("]")
            }
        }
    }

    /// A literal list; it holds no objects, for there are no literals of them.
    fn json(&mut self, json: &Json) -> fmt::Result {
        match json {
            Json::String(text) => self.text(text),
            Json::Array(items) => {
                self.f.write_str("[")?;
                for (place, item) in items.iter().enumerate() {
                    self.f.write_str(if place > 0 { ", " } else { "" })?;
                    self.json(item)?;
                }
                self.f.write_str("]")
            }
            scalar => write!(self.f, "{scalar}"),
        }
    }
}

fn level(kind: &Kind) -> Level {
    match kind {
        Kind::Assign(..) => Level::Assign,
        Kind::If(..) => Level::Ternary,
        Kind::Chain(level, ..) => *level,
        Kind::Unary(..) => Level::Unary,
        _ => Level::Primary,
    }
}

fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    let first = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'@'));
    first && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
