//! The symbol that a caller asks for.

use crate::limits::CODE_SYMBOL_CHARS_MAX;
use crate::tool::ToolError;

/// A name, with the type or module it belongs to when the caller says so: `Runtime::block_on`,
/// `Ring.push`, `ring->push`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name itself.
    pub name: String,
    /// What it belongs to.
    pub qualifier: Option<String>,
}

impl Symbol {
    /// Reads a symbol. Parentheses and a macro's `!` at the end may stay.
    ///
    /// # Errors
    /// A user input error when it is empty, too long or not a name.
    pub fn parse(typed: &str) -> Result<Self, ToolError> {
        let bare = typed.trim().trim_end_matches("()").trim_end_matches('!').trim_start_matches(['&', '*']);
        let mut parts = bare.rsplit(['.', ':', '>', '/']).map(|part| part.trim_end_matches('-'));
        let name = parts.next().unwrap_or_default().trim();
        let qualifier = parts.find(|part| !part.is_empty()).map(str::to_owned);
        if name.is_empty() {
            let error = ToolError::user_input(format!("the symbol `{typed}` has no name in it"));
            return Err(
                error.suggest("Give the name of a function, type or constant, such as `Runtime::new`.")
            );
        }
        if typed.chars().count() > CODE_SYMBOL_CHARS_MAX || name.contains(char::is_whitespace) {
            let error = ToolError::user_input("the symbol is no single name");
            return Err(error.suggest("Give one name; to look for other text, use search_code."));
        }
        Ok(Self { name: name.to_owned(), qualifier })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_may_be_qualified() {
        for (typed, name, qualifier) in [
            ("Runtime", "Runtime", None),
            (" Runtime::new() ", "new", Some("Runtime")),
            ("tokio::runtime::Runtime", "Runtime", Some("runtime")),
            ("ring.push", "push", Some("ring")),
            ("ring->push", "push", Some("ring")),
            ("vec!", "vec", None),
            ("::top", "top", None),
        ] {
            let symbol = Symbol::parse(typed).expect(typed);
            assert_eq!((&*symbol.name, symbol.qualifier.as_deref()), (name, qualifier), "{typed}");
        }
    }

    #[test]
    fn other_text_is_refused() {
        for typed in ["", "  ", "::", "two words", &"x".repeat(5_000)] {
            assert!(Symbol::parse(typed).is_err(), "{typed}");
        }
    }
}
