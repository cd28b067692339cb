//! Text to tokens. It never stops: what is no token becomes [`Lexeme::Bad`], and a fault.

use super::fault::Fault;
use crate::text::Span;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Lexeme {
    Name,
    Int(i64),
    Real(f64),
    /// A quoted text; the span holds the quotes too.
    Text,
    /// An operator or a bracket.
    Sign(&'static str),
    /// Something else; its fault is already told.
    Bad,
    End,
}

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) lexeme: Lexeme,
    pub(super) span: Span,
}

/// Every sign; one that begins another stands after it.
const SIGNS: [&str; 33] = [
    ":=", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=", "..", "+", "-", "*", "/", "!", "~",
    "&", "|", "^", "<", ">", "=", "?", ":", ";", "(", ")", "[", "]", ",", ".",
];

/// All tokens of a text, the last one [`Lexeme::End`].
pub(super) fn lex(text: &str) -> (Vec<Token>, Vec<Fault>) {
    let mut lexer = Lexer { text, at: 0, faults: Vec::new() };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next();
        tokens.push(token);
        if token.lexeme == Lexeme::End {
            return (tokens, lexer.faults);
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    faults: Vec<Fault>,
}

impl Lexer<'_> {
    fn next(&mut self) -> Token {
        self.skip(|byte| byte.is_ascii_whitespace());
        let start = self.at;
        let lexeme = match self.peek(0) {
            None => Lexeme::End,
            Some(b'0'..=b'9') => self.number(),
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'@') => {
                self.at += 1;
                self.skip(is_name_byte);
                Lexeme::Name
            }
            Some(b'\'' | b'"') => self.quoted(),
            Some(_) => self.sign(),
        };
        Token { lexeme, span: Span::new(start, self.at) }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn skip(&mut self, while_true: impl Fn(u8) -> bool) {
        while self.peek(0).is_some_and(&while_true) {
            self.at += 1;
        }
    }

    fn sign(&mut self) -> Lexeme {
        let rest = &self.text[self.at..];
        if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            self.at += sign.len();
            return Lexeme::Sign(sign);
        }
        let Some(stranger) = rest.chars().next() else { return Lexeme::End };
        let start = self.at;
        self.at += stranger.len_utf8();
        self.faults.push(stray(stranger, Span::new(start, self.at)));
        Lexeme::Bad
    }

    /// A text runs to the next quote of its kind; there are no escapes.
    fn quoted(&mut self) -> Lexeme {
        let start = self.at;
        let quote = &self.text[start..=start];
        match self.text[start + 1..].find(quote) {
            Some(length) => {
                self.at = start + length + 2;
                Lexeme::Text
            }
            None => {
                self.at = self.text.len();
                let fault = Fault::syntax(Span::new(start, start + 1), "this text is never closed")
                    .label("opened here")
                    .help(format!("Write {quote} at its end; there are no escapes inside a text."));
                self.faults.push(fault);
                Lexeme::Bad
            }
        }
    }

    fn number(&mut self) -> Lexeme {
        let start = self.at;
        let hexadecimal = self.peek(0) == Some(b'0') && matches!(self.peek(1), Some(b'x' | b'X'));
        let real = if hexadecimal {
            self.at += 2;
            self.skip(|byte| byte.is_ascii_hexdigit());
            false
        } else {
            self.decimal()
        };
        if self.peek(0).is_some_and(is_name_byte) || self.at_member() {
            return self.not_a_number(start);
        }
        let digits = &self.text[start..self.at];
        let value = if hexadecimal {
            i64::from_str_radix(&digits[2..], 16).ok().map(Lexeme::Int)
        } else if real {
            digits.parse().ok().filter(|real: &f64| real.is_finite()).map(Lexeme::Real)
        } else {
            digits.parse().ok().map(Lexeme::Int)
        };
        value.unwrap_or_else(|| self.out_of_range(start, hexadecimal && digits.len() == 2, real))
    }

    /// Reads digits, a fraction, an exponent; whether there was one of the latter two.
    fn decimal(&mut self) -> bool {
        let digit = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_digit());
        self.skip(|byte| byte.is_ascii_digit());
        let fraction = self.peek(0) == Some(b'.') && digit(self.peek(1));
        if fraction {
            self.at += 1;
            self.skip(|byte| byte.is_ascii_digit());
        }
        let sign = usize::from(matches!(self.peek(1), Some(b'+' | b'-')));
        let exponent = matches!(self.peek(0), Some(b'e' | b'E')) && digit(self.peek(1 + sign));
        if exponent {
            self.at += 1 + sign;
            self.skip(|byte| byte.is_ascii_digit());
        }
        fraction || exponent
    }

    /// Whether a point follows that is not the operator `..`.
    fn at_member(&self) -> bool {
        self.peek(0) == Some(b'.') && self.peek(1) != Some(b'.')
    }

    fn not_a_number(&mut self, start: usize) -> Lexeme {
        self.skip(|byte| is_name_byte(byte) || byte == b'.');
        let span = Span::new(start, self.at);
        let written = &self.text[start..self.at];
        let fault = Fault::syntax(span, format!("`{written}` is no number")).label("not a number");
        self.faults.push(if written.ends_with('.') {
            fault.help(format!("A digit must follow the point: `{written}0`."))
        } else {
            fault.help("A name cannot begin with a digit; put text in quotes.")
        });
        Lexeme::Bad
    }

    fn out_of_range(&mut self, start: usize, empty: bool, real: bool) -> Lexeme {
        let span = Span::new(start, self.at);
        let written = &self.text[start..self.at];
        let fault = if empty {
            Fault::syntax(span, "`0x` has no digits").label("digits 0-9, a-f are missing")
        } else if real {
            Fault::syntax(span, format!("`{written}` is larger than any real number")).label("out of range")
        } else {
            Fault::syntax(span, format!("`{written}` does not fit an integer of 64 bits"))
                .label("out of range")
                .help("Write it as a real number, with `.0` at its end.")
        };
        self.faults.push(fault);
        Lexeme::Bad
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The fault of a character that begins no token.
fn stray(character: char, span: Span) -> Fault {
    let fault = Fault::syntax(span, format!("`{}` means nothing here", character.escape_debug()));
    let fault = fault.label("not part of the language");
    match character {
        '%' => fault.help("There is no remainder operator."),
        '‘' | '’' | '“' | '”' | '`' => fault.help("Texts stand between straight quotes: 'text'."),
        '#' => fault.help("There are no comments; write them around the element, in the XML."),
        '{' | '}' => fault.help("Inside an expression a key is written bare: `key`, not `{key}`."),
        '$' => fault.help("A name is written bare, without `$`."),
        '\\' => fault.help("Texts have no escapes."),
        letter if letter.is_alphabetic() => {
            fault.help("Names are made of A-Z, a-z, 0-9, `_` and a first `@`.")
        }
        _ => fault,
    }
}
