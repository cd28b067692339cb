//! What the parser says when a text is wrong, and how it goes on.

use super::fault::{Fault, FaultKind};
use super::function::Function;
use super::lexer::{Lexeme, Token};
use super::operator::Assigner;
use super::parser::Parser;
use super::program::Dialect;
use crate::text::{Span, count_of};

impl Parser<'_> {
    /// Skips the rest of a statement.
    pub(super) fn recover(&mut self) {
        while !self.is(";") && self.peek().lexeme != Lexeme::End {
            self.next();
        }
    }

    /// Whether a statement may end here. In a script the `;` is optional, so the words of other
    /// languages would read as names of entries; they are told here.
    pub(super) fn separated(&mut self) -> bool {
        let token = self.peek();
        if self.is(";") || token.lexeme == Lexeme::End {
            return true;
        }
        let previous = self.tokens[self.at.saturating_sub(1)];
        let hint = self.foreign_word(previous, token);
        let in_script = self.dialect == Dialect::Script;
        let fault = match (token.lexeme, hint) {
            (Lexeme::Bad, _) => return false,
            (_, Some((word, hint))) => {
                let fault = Fault::syntax(word, format!("`{}` is no operator", self.slice(word)));
                fault.label("not an operator").help(hint)
            }
            (Lexeme::Sign(close @ (")" | "]")), _) => {
                Fault::syntax(token.span, format!("this `{close}` closes nothing")).label("never opened")
            }
            (Lexeme::Sign("("), _) if in_script => return true,
            (Lexeme::Sign(sign), _) if Assigner::parse(sign).is_some() => self.late_assignment(token),
            (Lexeme::Sign("["), _) | (Lexeme::Sign(_), _) => self.expected_operator(token),
            _ if in_script => return true,
            _ => self.expected_operator(token),
        };
        self.faults.push(fault);
        false
    }

    fn expected_operator(&self, token: Token) -> Fault {
        let message = format!("expected an operator, found {}", self.shown(token));
        let fault = Fault::syntax(token.span, message).label("unexpected");
        match self.dialect {
            Dialect::Predicate => fault.help("A predicate is one expression; join conditions with `&&`."),
            Dialect::Script => fault.help("Statements are separated by `;`."),
        }
    }

    fn late_assignment(&self, token: Token) -> Fault {
        Fault::syntax(token.span, format!("`{}` has no name to its left", self.slice(token.span)))
            .label("unexpected")
            .help("In the last branch of `? :` an assignment needs parentheses: `(a := 1)`.")
    }

    /// A word that is an operator elsewhere, and how it is written here.
    fn foreign_word(&self, previous: Token, token: Token) -> Option<(Span, &'static str)> {
        let word = |token: Token| if token.lexeme == Lexeme::Name { self.slice(token.span) } else { "" };
        let hint = match word(token).to_lowercase().as_str() {
            "and" => "`and` is written `&&`.",
            "or" => "`or` is written `||`.",
            "is" => "`is` is written `==`.",
            "in" => "`a in b` is written `contains(b, a)`.",
            "mod" => "There is no remainder operator.",
            "if" => "`a if c else b` is written `c ? a : b`.",
            _ if word(previous) == "not" => return Some((previous.span, "`not` is written `!`.")),
            _ => return None,
        };
        Some((token.span, hint))
    }

    /// A predicate that is empty or has several statements.
    pub(super) fn one_expression(&mut self) {
        let end = self.peek().span;
        match self.statements() {
            1 => {}
            0 => {
                let fault = Fault::syntax(end, "a predicate must hold an expression").label("empty");
                self.faults.push(fault.help("Write a condition such as `size(result.results) > 0`."));
            }
            _ => {
                let fault = Fault::syntax(Span::new(0, self.text.len()), "a predicate is one expression");
                self.faults.push(fault.label("several statements").help("Join conditions with `&&`."));
            }
        }
    }

    pub(super) fn assigning_predicate<T>(&mut self, sign: Span, assigner: Assigner) -> Option<T> {
        let fault = Fault::syntax(sign, "a predicate assigns nothing").label("assigns");
        self.fail(match assigner {
            Assigner::Set => fault.help("To compare, write `==`."),
            _ => fault.help("Assign in a Script or in a post-condition."),
        })
    }

    pub(super) fn half_ternary<T>(&mut self, question: Span) -> Option<T> {
        if self.peek().lexeme == Lexeme::Bad {
            return None;
        }
        let fault = Fault::syntax(question, "this `?` has no `:`").label("its `:` is missing");
        self.fail(fault.help("Write `condition ? then : else`."))
    }

    /// Takes a closing bracket, or tells which one was never closed.
    pub(super) fn close(&mut self, close: &'static str, open: Span) -> Option<()> {
        if self.eat(close) {
            return Some(());
        }
        let token = self.peek();
        let previous = self.tokens[self.at.saturating_sub(1)];
        let bracket = self.slice(open).to_owned();
        if let Some((word, hint)) = self.foreign_word(previous, token) {
            let fault = Fault::syntax(word, format!("`{}` is no operator", self.slice(word)));
            return self.fail(fault.label("not an operator").help(hint));
        }
        match token.lexeme {
            Lexeme::Bad => None,
            Lexeme::End | Lexeme::Sign(";") => {
                let fault = Fault::syntax(open, format!("this `{bracket}` is never closed"));
                self.fail(fault.label("opened here").help(format!("Its `{close}` is missing.")))
            }
            _ => {
                let message = format!("expected `{close}`, found {}", self.shown(token));
                let fault = Fault::syntax(token.span, message).label("unexpected");
                self.fail(fault.help(format!("The `{bracket}` at byte {} is still open.", open.start)))
            }
        }
    }

    /// A place where a value must stand and none does.
    pub(super) fn no_operand<T>(&mut self) -> Option<T> {
        let token = self.peek();
        let before = self.at.checked_sub(1).map(|before| self.tokens[before]);
        let before_sign = before.map(|before| (self.slice(before.span), before.span));
        let sign = self.slice(token.span);
        let help = match (before_sign, sign) {
            (Some(("==", _)), "=") => Some("Equality is written `==`."),
            (Some(("!=", _)), "=") => Some("Inequality is written `!=`."),
            (Some(("<", _)), ">") => Some("Inequality is written `!=`."),
            (_, ".") => Some("A number has a digit before its point: `0.5`."),
            (_, "+") => Some("There is no sign `+`; leave it out."),
            (Some(("/", _)), "/" | "*") => Some("There are no comments; write them in the XML."),
            _ => None,
        };
        let fault = match (token.lexeme, before_sign) {
            (Lexeme::End | Lexeme::Sign(";"), Some((before, span))) if before != ";" => {
                Fault::syntax(span, format!("a value must follow `{before}`")).label("nothing follows")
            }
            _ => Fault::syntax(token.span, format!("expected a value, found {}", self.shown(token)))
                .label("unexpected"),
        };
        self.fail(help.into_iter().fold(fault, Fault::help))
    }

    pub(super) fn no_member<T>(&mut self, token: Token) -> Option<T> {
        if token.lexeme == Lexeme::Bad {
            return None;
        }
        let message = format!("a name must follow the point, found {}", self.shown(token));
        let fault = Fault::syntax(token.span, message).label("not a name");
        self.fail(match token.lexeme {
            Lexeme::Int(index) => fault.help(format!("An item is written `[{index}]`.")),
            _ => fault.help("An odd name is written `[\"odd name\"]`."),
        })
    }

    pub(super) fn no_index<T>(&mut self, token: Token) -> Option<T> {
        if token.lexeme == Lexeme::Bad {
            return None;
        }
        let fault = Fault::syntax(token.span, "an index is a whole number or a quoted name");
        self.fail(fault.label("not an index").help("Write `[0]`, `[-1]` for the last, or `[\"name\"]`."))
    }

    pub(super) fn no_function<T>(&mut self, span: Span) -> Option<T> {
        let name = self.slice(span);
        let fault = Fault::syntax(span, format!("there is no function `{name}`")).label("unknown function");
        let help = match Function::near(name) {
            Some(near) => format!("Did you mean `{}`?", near.usage()),
            None => format!("There are {}.", Function::ALL.map(Function::name).join(", ")),
        };
        self.fail(fault.help(help))
    }

    pub(super) fn wrong_count<T>(&mut self, function: Function, found: usize, span: Span) -> Option<T> {
        let arity = function.arity();
        let takes = count_of(arity, "argument");
        let message = format!("`{}` takes {takes}, not {found}", function.name());
        let fault = Fault::new(FaultKind::Type, span, message).label("wrong number of arguments");
        self.fail(fault.help(format!("It is called `{}`.", function.usage())))
    }

    fn shown(&self, token: Token) -> String {
        match token.lexeme {
            Lexeme::End => "the end".into(),
            _ => format!("`{}`", self.slice(token.span)),
        }
    }
}
