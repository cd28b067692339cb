//! Tokens to a tree. A fault ends its statement; the next one is read all the same.

use std::sync::Arc;

use serde_json::Value as Json;

use super::ast::{Ast, Id, Kind, Link};
use super::check;
use super::fault::{Fault, FaultKind};
use super::function::Function;
use super::lexer::{Lexeme, Token, lex};
use super::operator::{Assigner, Binary, Level, Unary};
use super::program::{Dialect, Name, NameId, Program};
use crate::json_path::{JsonPath, JsonStep};
use crate::limits::{EXPR_BYTES_MAX, EXPR_DEPTH_MAX, EXPR_PATTERN_BYTES_MAX, JSON_PATH_STEPS_MAX};
use crate::text::Span;

/// Reads a text; all faults when it has any.
pub(super) fn parse(text: &str, dialect: Dialect) -> Result<Program, Vec<Fault>> {
    if text.len() > EXPR_BYTES_MAX {
        let message = format!("the expression has {} bytes, more than {EXPR_BYTES_MAX}", text.len());
        let fault = Fault::new(FaultKind::TooLong, Span::new(0, text.len()), message);
        return Err(vec![fault.label("too long").help("Split it, or let a tool do the work.")]);
    }
    let (tokens, faults) = lex(text);
    let (ast, names) = (Ast::default(), Vec::new());
    let mut parser = Parser { text, dialect, tokens, at: 0, depth: 0, ast, names, faults };
    parser.program();
    parser.mark_reads();
    if parser.faults.is_empty() {
        let Parser { ast, names, .. } = parser;
        let question = match *ast.statements {
            [only] if ast.node(only).pure => Some(only),
            _ => None,
        };
        return Ok(Program { text: text.into(), dialect, ast, names, question });
    }
    parser.faults.sort_by_key(|fault| fault.span.start);
    Err(parser.faults)
}

/// The state of reading. Its methods give `None` when they have told a fault.
pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) dialect: Dialect,
    pub(super) tokens: Vec<Token>,
    pub(super) at: usize,
    depth: usize,
    ast: Ast,
    names: Vec<Name>,
    pub(super) faults: Vec<Fault>,
}

impl Parser<'_> {
    fn program(&mut self) {
        loop {
            while self.eat(";") {}
            if self.peek().lexeme == Lexeme::End {
                break;
            }
            match self.expression() {
                Some(statement) if self.separated() => self.ast.statements.push(statement),
                _ => self.recover(),
            }
        }
        if self.dialect == Dialect::Predicate && self.faults.is_empty() {
            self.one_expression();
        }
    }

    pub(super) fn peek(&self) -> Token {
        self.tokens[self.at]
    }

    pub(super) fn next(&mut self) -> Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub(super) fn is(&self, sign: &str) -> bool {
        matches!(self.peek().lexeme, Lexeme::Sign(found) if found == sign)
    }

    pub(super) fn eat(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn statements(&self) -> usize {
        self.ast.statements.len()
    }

    pub(super) fn slice(&self, span: Span) -> &str {
        &self.text[span.range()]
    }

    pub(super) fn fail<T>(&mut self, fault: Fault) -> Option<T> {
        self.faults.push(fault);
        None
    }

    /// The span from a place to the end of the last token that was taken.
    fn since(&self, start: u32) -> Span {
        Span { start, end: self.tokens[self.at.saturating_sub(1)].span.end }
    }

    fn push(&mut self, kind: Kind, start: u32) -> Option<Id> {
        let span = self.since(start);
        let id = self.ast.push(kind, span);
        if usize::from(self.ast.node(id).height) > EXPR_DEPTH_MAX {
            return self.too_deep(span);
        }
        Some(id)
    }

    fn too_deep<T>(&mut self, span: Span) -> Option<T> {
        let message = format!("the expression is nested deeper than {EXPR_DEPTH_MAX} levels");
        let fault = Fault::new(FaultKind::TooDeep, span, message).label("too deep");
        self.fail(fault.help("Split it into statements."))
    }

    /// Reads something one level further in.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth == EXPR_DEPTH_MAX {
            let span = self.peek().span;
            return self.too_deep(span);
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn expression(&mut self) -> Option<Id> {
        let start = self.peek().span.start;
        let left = self.chain(Level::Or)?;
        if let Lexeme::Sign(sign) = self.peek().lexeme {
            if let Some(assigner) = Assigner::parse(sign) {
                return self.assignment(left, assigner, start);
            }
            if sign == "?" {
                return self.ternary(left, start);
            }
        }
        Some(left)
    }

    fn assignment(&mut self, target: Id, assigner: Assigner, start: u32) -> Option<Id> {
        let sign = self.next().span;
        if self.dialect == Dialect::Predicate {
            return self.assigning_predicate(sign, assigner);
        }
        let Kind::Name(name) = *self.ast.kind(target) else {
            return self.bad_target(target, assigner);
        };
        // The target was read as an operand; it is none. It is the node that was added last.
        self.ast.pop();
        let value = self.nested(Self::expression)?;
        self.mark_assigned(name, assigner, value);
        self.push(Kind::Assign(assigner, name, value), start)
    }

    fn bad_target(&mut self, target: Id, assigner: Assigner) -> Option<Id> {
        let span = self.ast.node(target).span;
        let written = self.slice(span);
        let fault =
            Fault::new(FaultKind::Type, span, format!("`{written}` cannot be assigned: it is no entry"));
        let fault = match (self.ast.kind(target), assigner) {
            (Kind::Part(..), _) => fault.label("a part of an entry").help("An entry is written whole."),
            (_, Assigner::Set) => fault.label("not a name").help("`==` compares, `=` assigns."),
            _ => fault.label("not a name").help("An assignment has a name to its left."),
        };
        self.fail(fault)
    }

    fn ternary(&mut self, condition: Id, start: u32) -> Option<Id> {
        let question = self.next().span;
        let then = self.nested(Self::expression)?;
        if !self.eat(":") {
            return self.half_ternary(question);
        }
        let other = self.nested(|parser| {
            let start = parser.peek().span.start;
            let left = parser.chain(Level::Or)?;
            if parser.is("?") { parser.ternary(left, start) } else { Some(left) }
        })?;
        self.push(Kind::If(condition, then, other), start)
    }

    /// Operands joined by operators that bind at least as tightly as `least`.
    fn chain(&mut self, least: Level) -> Option<Id> {
        let start = self.peek().span.start;
        let mut left = self.unary()?;
        while let Some(level) = self.binary().map(Binary::level).filter(|&level| level >= least) {
            let mut links = Vec::new();
            while let Some(operator) = self.binary().filter(|operator| operator.level() == level) {
                self.next();
                links.push(Link { operator, operand: self.chain(level.tighter())? });
            }
            let links = self.ast.add_links(&links);
            left = self.push(Kind::Chain(level, left, links), start)?;
        }
        Some(left)
    }

    fn binary(&self) -> Option<Binary> {
        match self.peek().lexeme {
            Lexeme::Sign(sign) => Binary::parse(sign),
            _ => None,
        }
    }

    fn unary(&mut self) -> Option<Id> {
        let token = self.peek();
        match token.lexeme {
            Lexeme::Sign(sign) if let Some(operator) = Unary::parse(sign) => {
                self.next();
                let operand = self.nested(Self::unary)?;
                self.push(Kind::Unary(operator, operand), token.span.start)
            }
            _ => self.primary(),
        }
    }

    fn primary(&mut self) -> Option<Id> {
        let token = self.peek();
        let start = token.span.start;
        match token.lexeme {
            Lexeme::Int(int) => self.literal(Kind::Int(int)),
            Lexeme::Real(real) => self.literal(Kind::Real(real)),
            Lexeme::Text => {
                let quoted = self.slice(token.span);
                let text: Arc<str> = quoted[1..quoted.len() - 1].into();
                self.literal(Kind::Text(text))
            }
            Lexeme::Name => self.word(),
            Lexeme::Sign("(") => {
                self.next();
                let inner = self.nested(Self::expression)?;
                self.close(")", token.span)?;
                Some(inner)
            }
            Lexeme::Sign("[") => {
                self.next();
                let items = self.arguments("]", token.span)?;
                self.list(&items, start)
            }
            Lexeme::Bad => {
                self.next();
                None
            }
            _ => self.no_operand(),
        }
    }

    fn literal(&mut self, kind: Kind) -> Option<Id> {
        let start = self.next().span.start;
        self.push(kind, start)
    }

    /// A keyword, a call or a name.
    fn word(&mut self) -> Option<Id> {
        let token = self.peek();
        match self.slice(token.span) {
            "true" => return self.literal(Kind::Truth(true)),
            "false" => return self.literal(Kind::Truth(false)),
            "null" => return self.literal(Kind::Null),
            _ => {}
        }
        self.next();
        let function = Function::parse(self.slice(token.span));
        // In a script `a (b)` is two statements, as the dialect has it, so a name that is no
        // function is called only when the bracket stands right behind it.
        let adjacent = self.peek().span.start == token.span.end || self.dialect == Dialect::Predicate;
        if self.is("(") && (function.is_some() || adjacent) {
            return self.call(function, token.span);
        }
        let name = self.name(token.span);
        let path = self.path()?;
        let kind = match path.is_empty() {
            true => Kind::Name(name),
            false => Kind::Part(name, self.ast.add_path(path)),
        };
        self.push(kind, token.span.start)
    }

    fn name(&mut self, span: Span) -> NameId {
        let text = &self.text[span.range()];
        let found = self.names.iter().position(|name| &*name.text == text);
        let index = found.unwrap_or_else(|| {
            let (text, span) = (text.into(), span.range());
            let (reads, assigns, creates, written_kind) = (false, false, false, None);
            self.names.push(Name { text, span, reads, assigns, creates, written_kind });
            self.names.len() - 1
        });
        NameId::new(u32::try_from(index).expect("a text of a few kilobytes has few names"))
    }

    fn path(&mut self) -> Option<JsonPath> {
        let mut steps = Vec::new();
        while self.is(".") || self.is("[") {
            let open = self.next();
            if steps.len() == JSON_PATH_STEPS_MAX {
                let message = format!("the path has more than {JSON_PATH_STEPS_MAX} steps");
                return self.fail(Fault::new(FaultKind::TooDeep, open.span, message));
            }
            let step = if open.lexeme == Lexeme::Sign(".") { self.member()? } else { self.index(open.span)? };
            steps.push(step);
        }
        Some(JsonPath::new(steps))
    }

    fn member(&mut self) -> Option<JsonStep> {
        let token = self.peek();
        if token.lexeme != Lexeme::Name {
            return self.no_member(token);
        }
        self.next();
        Some(JsonStep::Member(self.slice(token.span).into()))
    }

    fn index(&mut self, open: Span) -> Option<JsonStep> {
        let negative = self.eat("-");
        let token = self.next();
        let step = match token.lexeme {
            Lexeme::Int(index) => JsonStep::Item(if negative { -index } else { index }),
            Lexeme::Text if !negative => {
                let quoted = self.slice(token.span);
                JsonStep::Member(quoted[1..quoted.len() - 1].into())
            }
            _ => return self.no_index(token),
        };
        self.close("]", open)?;
        Some(step)
    }

    fn call(&mut self, function: Option<Function>, span: Span) -> Option<Id> {
        let open = self.next().span;
        let Some(function) = function else { return self.no_function(span) };
        let arguments = self.arguments(")", open)?;
        if arguments.len() != function.arity() {
            let whole = self.since(span.start);
            return self.wrong_count(function, arguments.len(), whole);
        }
        match function {
            Function::Matches => self.matches(arguments[0], arguments[1], span.start),
            Function::Has if !matches!(self.ast.kind(arguments[0]), Kind::Name(_) | Kind::Part(..)) => {
                let argument = self.ast.node(arguments[0]).span;
                let fault = Fault::new(FaultKind::Type, argument, "`has` asks about a name or a path");
                self.fail(fault.label("not a name").help("Write `has(name.path)`."))
            }
            _ => {
                let arguments = self.ast.add_items(&arguments);
                self.push(Kind::Call(function, arguments), span.start)
            }
        }
    }

    /// The pattern must be written out: it is compiled here, once, and found faulty here.
    fn matches(&mut self, text: Id, pattern: Id, start: u32) -> Option<Id> {
        let span = self.ast.node(pattern).span;
        let Kind::Text(pattern) = self.ast.kind(pattern) else {
            let fault = Fault::new(FaultKind::Type, span, "the pattern of `matches` must be written out");
            return self.fail(fault.label("not a quoted text").help("Write `matches(text, 'pattern')`."));
        };
        let compiled = regex::RegexBuilder::new(pattern).size_limit(EXPR_PATTERN_BYTES_MAX).build();
        match compiled {
            Ok(regex) => {
                self.ast.pop();
                let pattern = self.ast.add_pattern(regex);
                self.push(Kind::Match(text, pattern), start)
            }
            Err(error) => {
                let reason = error.to_string();
                let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
                let fault = Fault::syntax(span, format!("the pattern cannot be used: {reason}"));
                self.fail(fault.label("bad pattern").help("Patterns are regular expressions."))
            }
        }
    }

    /// Values between commas, up to the closing bracket.
    fn arguments(&mut self, close: &'static str, open: Span) -> Option<Vec<Id>> {
        let mut arguments = Vec::new();
        while !self.is(close) {
            let argument = self.nested(Self::expression)?;
            if !self.ast.node(argument).pure {
                let span = self.ast.node(argument).span;
                return self.fail(
                    Fault::syntax(span, "an assignment cannot stand inside a call or a list")
                        .label("assigns")
                        .help("Assign first, in a statement of its own."),
                );
            }
            arguments.push(argument);
            if !self.eat(",") {
                break;
            }
        }
        self.close(close, open)?;
        Some(arguments)
    }

    fn list(&mut self, items: &[Id], start: u32) -> Option<Id> {
        let literals: Option<Vec<Json>> = items.iter().map(|&item| self.literal_json(item)).collect();
        let kind = match literals {
            Some(items) => Kind::Const(Arc::new(Json::Array(items))),
            None => Kind::List(self.ast.add_items(items)),
        };
        self.push(kind, start)
    }

    /// A literal as JSON; `None` for what must be evaluated.
    fn literal_json(&self, id: Id) -> Option<Json> {
        Some(match self.ast.kind(id) {
            Kind::Null => Json::Null,
            Kind::Truth(flag) => (*flag).into(),
            Kind::Int(int) => (*int).into(),
            Kind::Real(real) => (*real).into(),
            Kind::Text(text) => (&**text).into(),
            Kind::Const(json) => (**json).clone(),
            Kind::Unary(Unary::Minus, operand) => match self.ast.kind(*operand) {
                Kind::Int(int) if *int != 0 => (-int).into(),
                Kind::Real(real) => (-real).into(),
                _ => return None,
            },
            _ => return None,
        })
    }

    fn mark_assigned(&mut self, name: NameId, assigner: Assigner, value: Id) {
        let kind = check::kind_of(&self.ast, value, &|_| None);
        let name = &mut self.names[name.index()];
        let first = !name.creates && !name.assigns;
        name.reads |= assigner.compound().is_some();
        name.creates |= assigner == Assigner::Create;
        name.assigns |= assigner != Assigner::Create;
        if first && assigner.compound().is_none() {
            name.written_kind = kind;
        }
    }

    fn mark_reads(&mut self) {
        for name in self.ast.read_names() {
            self.names[name.index()].reads = true;
        }
    }
}
