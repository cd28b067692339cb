//! Scripts and conditions: text to a tree of expressions, by recursive descent.

use helve::value::Value;

use super::Fault;

#[derive(Debug)]
pub enum Expr {
    Literal(Value),
    Name(String),
    Unary(char, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// `a < b < c`: all operands, and the operators between them.
    Chain(Vec<Expr>, Vec<&'static str>),
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    Assign(String, &'static str, Box<Expr>),
}

/// Longest first, so that `:=` is not taken for `:`.
const SIGNS: [&str; 28] = [
    ":=", "+=", "-=", "*=", "/=", "==", "!=", "<=", ">=", "&&", "||", "..", "=", "+", "-", "*", "/", "<",
    ">", "!", "~", "&", "|", "^", "?", ":", "(", ")",
];
/// From what binds loosest.
const LEVELS: [&[&str]; 7] = [
    &["||"],
    &["&&"],
    &["==", "!=", "<=", ">=", "<", ">"],
    &["|", "^"],
    &["&"],
    &["+", "-", ".."],
    &["*", "/"],
];
/// Which of [`LEVELS`] may be chained.
const COMPARING: usize = 2;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Literal(Value),
    Name(String),
    Sign(&'static str),
    End,
}

/// The statements of a script.
pub fn parse(text: &str) -> Result<Vec<Expr>, Fault> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0 };
    let mut statements = Vec::new();
    while parser.at < parser.tokens.len() {
        if parser.tokens[parser.at] == Token::End {
            parser.at += 1;
            continue;
        }
        statements.push(parser.assignment()?);
    }
    Ok(statements)
}

fn tokens(text: &str) -> Result<Vec<Token>, Fault> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_digit() {
            number_length(rest)
        } else {
            rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '@').unwrap_or(rest.len())
        };
        let (token, length) = match first {
            ';' => (Token::End, 1),
            '\'' => {
                let end = rest[1..].find('\'').ok_or("a text without its end")?;
                (Token::Literal(Value::text(&rest[1..=end])), end + 2)
            }
            _ if first.is_ascii_digit() => (Token::Literal(number(&rest[..length])?), length),
            _ if length > 0 => (word(&rest[..length]), length),
            _ => {
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign)).ok_or("no such sign")?;
                (Token::Sign(sign), sign.len())
            }
        };
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// Digits, letters (`0x1F`, `1e3`), one dot that has a digit behind it, and the sign of an exponent.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_hex = text.starts_with("0x");
    let mut at = 0;
    while at < bytes.len() {
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        match bytes[at] {
            b'.' if !next.is_ascii_digit() => break,
            b'.' => {}
            b'e' | b'E' if !is_hex && matches!(next, b'+' | b'-') => at += 1,
            byte if byte.is_ascii_alphanumeric() => {}
            _ => break,
        }
        at += 1;
    }
    at
}

fn number(text: &str) -> Result<Value, Fault> {
    let fault = || format!("{text:?} is no number");
    if let Some(hex) = text.strip_prefix("0x") {
        return i64::from_str_radix(hex, 16).map(Value::Int).map_err(|_| fault());
    }
    let int = text.parse().map(Value::Int);
    int.or_else(|_| text.parse().map(Value::Real)).map_err(|_| fault())
}

fn word(text: &str) -> Token {
    match text {
        "true" => Token::Literal(Value::Real(1.0)),
        "false" => Token::Literal(Value::Real(0.0)),
        name => Token::Name(name.to_owned()),
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    /// The next token if it is one of these signs; it is taken.
    fn sign(&mut self, among: &[&'static str]) -> Option<&'static str> {
        let Some(Token::Sign(sign)) = self.tokens.get(self.at) else { return None };
        let found = among.iter().find(|it| *it == sign)?;
        self.at += 1;
        Some(found)
    }

    fn assignment(&mut self) -> Result<Expr, Fault> {
        let left = self.choice()?;
        let Some(sign) = self.sign(&[":=", "=", "+=", "-=", "*=", "/="]) else { return Ok(left) };
        let Expr::Name(name) = left else { return Err("only a name can be assigned to".to_owned()) };
        Ok(Expr::Assign(name, sign, Box::new(self.assignment()?)))
    }

    fn choice(&mut self) -> Result<Expr, Fault> {
        let condition = self.binary(0)?;
        if self.sign(&["?"]).is_none() {
            return Ok(condition);
        }
        let yes = self.assignment()?;
        self.sign(&[":"]).ok_or("a `?` without its `:`")?;
        Ok(Expr::Choice(Box::new(condition), Box::new(yes), Box::new(self.choice()?)))
    }

    fn binary(&mut self, level: usize) -> Result<Expr, Fault> {
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        if level == COMPARING {
            return self.chain(left, signs);
        }
        while let Some(sign) = self.sign(signs) {
            left = Expr::Binary(sign, Box::new(left), Box::new(self.binary(level + 1)?));
        }
        Ok(left)
    }

    fn chain(&mut self, first: Expr, signs: &[&'static str]) -> Result<Expr, Fault> {
        let (mut operands, mut between) = (vec![first], Vec::new());
        while let Some(sign) = self.sign(signs) {
            between.push(sign);
            operands.push(self.binary(COMPARING + 1)?);
        }
        let is_alone = between.is_empty();
        Ok(if is_alone { operands.remove(0) } else { Expr::Chain(operands, between) })
    }

    fn unary(&mut self) -> Result<Expr, Fault> {
        if let Some(sign) = self.sign(&["-", "!", "~"]) {
            let sign = sign.chars().next().unwrap_or(' ');
            return Ok(Expr::Unary(sign, Box::new(self.unary()?)));
        }
        if self.sign(&["("]).is_some() {
            let inside = self.assignment()?;
            self.sign(&[")"]).ok_or("a `(` without its `)`")?;
            return Ok(inside);
        }
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        match token {
            Some(Token::Literal(value)) => Ok(Expr::Literal(value)),
            Some(Token::Name(name)) => Ok(Expr::Name(name)),
            other => Err(format!("{other:?} is no operand")),
        }
    }
}
