//! Entities, character references and line ends in values.

use super::arena::{DecodedData, Mark, narrow};
use super::fault::outside;
use super::growth::Growth;
use super::letters::{is_name, is_special, skip};
use crate::diag::{Code, did_you_mean};
use crate::text::Span;

/// The entities of XML itself. No others exist here: expansion of defined ones is how a small file
/// takes all memory.
const ENTITIES: [(&str, char); 5] = [("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\'')];

/// Decodes the value of the attribute `name` into the arena; answers whether it is another than the
/// text. Only values with a special byte need to come here.
pub(super) fn decode(growth: &mut Growth<'_>, name: Span, value: Span) -> bool {
    let first = growth.arena.decoded.len();
    let mut decoding =
        Decoding { first, marks: growth.arena.marks.len(), copied: value.range().start, raw: None, growth };
    decoding.run(value.range().start, value.range().end);
    if let Some(raw) = decoding.raw {
        let faults = &mut decoding.growth.faults;
        faults.warning(Code::W0001, |source| outside::raw_markup(source, name, raw));
    }
    decoding.finish(value)
}

struct Decoding<'g, 's> {
    growth: &'g mut Growth<'s>,
    /// Where the decoded value begins in the arena's text.
    first: usize,
    /// Where its marks begin.
    marks: usize,
    /// Up to where the source was copied.
    copied: usize,
    /// The first raw markup found; one warning a value is enough.
    raw: Option<Span>,
}

impl Decoding<'_, '_> {
    fn run(&mut self, mut at: usize, end: usize) {
        let bytes = self.growth.bytes();
        loop {
            at = skip(&bytes[..end], at, |byte| !is_special(byte));
            at = match bytes[..end].get(at) {
                None => return,
                Some(b'\r') => self.line_end(at, end),
                Some(b'<') => self.raw(at, end, b'<'),
                Some(_) => self.reference(at, end),
            };
        }
    }

    /// `\r\n` and a lone `\r` are `\n`.
    fn line_end(&mut self, at: usize, end: usize) -> usize {
        let len = if self.growth.text[at..end].starts_with("\r\n") { 2 } else { 1 };
        self.replace(at, at + len, '\n');
        at + len
    }

    /// Markup as it is: kept, and remembered for a warning.
    fn raw(&mut self, at: usize, end: usize, byte: u8) -> usize {
        let after = skip(&self.growth.bytes()[..end], at, |next| next == byte);
        // `&&amp;`: the second one is no raw `&`.
        let after =
            if byte == b'&' && !is_run(self.growth.text, after, end) { after.max(at + 2) - 1 } else { after };
        self.raw.get_or_insert(Span::new(at, after));
        after
    }

    fn reference(&mut self, at: usize, end: usize) -> usize {
        let text = self.growth.text;
        if text[at..end].starts_with("&#") {
            return self.number(at, end);
        }
        let name_end = skip(&text.as_bytes()[..end], at + 1, is_name);
        if name_end == at + 1 || text.as_bytes()[..end].get(name_end) != Some(&b';') {
            return self.raw(at, end, b'&');
        }
        let (name, after) = (&text[at + 1..name_end], name_end + 1);
        match ENTITIES.iter().find(|(known, _)| *known == name) {
            Some(&(_, character)) => self.replace(at, after, character),
            None => self.unknown(name, Span::new(at, after)),
        }
        after
    }

    /// `&#10;` or `&#x0A;`.
    fn number(&mut self, at: usize, end: usize) -> usize {
        let rest = &self.growth.text[at + 2..end];
        let is_hex = rest.starts_with('x');
        let digits = rest.strip_prefix('x').unwrap_or(rest);
        let len = digits.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let after_digits = at + 2 + usize::from(is_hex) + len;
        let radix = if is_hex { 16 } else { 10 };
        let is_closed = digits[len..].starts_with(';');
        let after = after_digits + usize::from(is_closed);
        match u32::from_str_radix(&digits[..len], radix) {
            _ if !is_closed => self.no_character(at, after, "`;` is missing after the number"),
            Err(_) if len == 0 => self.no_character(at, after, "the number is missing"),
            Err(_) if digits[..len].bytes().all(|digit| char::from(digit).is_digit(radix)) => {
                self.no_character(at, after, "the number is larger than any character's");
            }
            Err(_) => self.no_character(at, after, "this is no number"),
            Ok(number) => match char::from_u32(number).filter(|&character| is_allowed(character)) {
                Some(character) => self.replace(at, after, character),
                None => self.no_character(at, after, "no XML text may hold the character of this number"),
            },
        }
        after
    }

    fn no_character(&mut self, at: usize, after: usize, why: &str) {
        let span = Span::new(at, after);
        self.growth.faults.error(|source| outside::character_reference(source, span, why));
    }

    /// An entity that is not one of the five stays as it stands. Where the text tried to define its
    /// own, that would not be what the author meant.
    fn unknown(&mut self, name: &str, span: Span) {
        let faults = &mut self.growth.faults;
        if self.growth.has_doctype {
            return faults.error(|source| outside::entity_unknown(source, span));
        }
        let near = did_you_mean(name, ENTITIES.iter().map(|&(known, _)| known));
        faults.warning(Code::W0005, |source| outside::entity_kept(source, span, near));
    }

    /// Puts a character in the place of a piece of the source.
    fn replace(&mut self, at: usize, after: usize, character: char) {
        let arena = &mut self.growth.arena;
        arena.decoded.push_str(&self.growth.text[self.copied..at]);
        let start = arena.decoded.len() - self.first;
        arena.decoded.push(character);
        let end = arena.decoded.len() - self.first;
        if end - start != after - at {
            arena.marks.push(Mark { decoded: Span::new(start, end), raw: Span::new(at, after) });
        }
        self.copied = after;
    }

    fn finish(self, value: Span) -> bool {
        if self.copied == value.range().start {
            return false;
        }
        let arena = &mut self.growth.arena;
        arena.decoded.push_str(&self.growth.text[self.copied..value.range().end]);
        let text = Span::new(self.first, arena.decoded.len());
        arena.values.push(DecodedData { start: value.start, text, marks: narrow(self.marks) });
        true
    }
}

/// How long the reference is that a text begins with; `None` when it begins with none that is known.
pub(super) fn reference_len(text: &str) -> Option<usize> {
    let after = text.strip_prefix('&')?;
    // Not a search for the `;`: in a value of a million `&` each would go through the rest.
    let end = after.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '#')?;
    let name = after[end..].starts_with(';').then_some(&after[..end])?;
    let is_known = match name.strip_prefix('#') {
        Some(number) => is_character(number),
        None => ENTITIES.iter().any(|&(known, _)| known == name),
    };
    is_known.then_some(name.len() + 2)
}

/// Whether a number, as it stands after `&#`, is that of a character that a text may hold.
fn is_character(number: &str) -> bool {
    let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |digits| (digits, 16));
    let is_number = digits.bytes().all(|digit| char::from(digit).is_digit(radix));
    let character = u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    is_number && character.is_some_and(is_allowed)
}

/// The first thing in a text between tags that XML does not allow there: a raw `&`, or a reference
/// that means nothing.
pub(super) fn raw_reference(text: &str) -> Option<usize> {
    text.match_indices('&').map(|(at, _)| at).find(|&at| reference_len(&text[at..]).is_none())
}

/// Whether a run of `&` that ends at `at` is raw to its last: no reference begins with that one.
fn is_run(text: &str, at: usize, end: usize) -> bool {
    let name_end = skip(&text.as_bytes()[..end], at, |byte| is_name(byte) || byte == b'#');
    name_end == at || text.as_bytes()[..end].get(name_end) != Some(&b';')
}

/// The characters that XML allows in a text.
const fn is_allowed(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{FFFD}' | '\u{10000}'..)
}
