//! What text is looked for.

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use crate::limits::{CODE_QUERY_CHARS_MAX, CODE_REGEX_BYTES_MAX};
use crate::tool::ToolError;

/// A matcher of single lines for a query: literal or a regular expression, in smart case, which
/// is case-insensitive unless the query has a capital letter.
///
/// # Errors
/// A user input error for a query that is empty, too long, over several lines, or no expression.
pub fn of_query(query: &str, is_regex: bool) -> Result<RegexMatcher, ToolError> {
    if query.trim().is_empty() {
        return Err(ToolError::user_input("the query is empty").suggest("Give the text to look for."));
    }
    if query.chars().count() > CODE_QUERY_CHARS_MAX {
        let error =
            ToolError::user_input(format!("the query is longer than {CODE_QUERY_CHARS_MAX} characters"));
        return Err(error.suggest("Look for one distinctive line of it."));
    }
    if query.contains(['\n', '\r']) {
        return Err(ToolError::user_input("the query has more than one line")
            .suggest("The search goes line by line; look for one distinctive line."));
    }
    let mut builder = RegexMatcherBuilder::new();
    builder.case_smart(true).fixed_strings(!is_regex).line_terminator(Some(b'\n'));
    builder.size_limit(CODE_REGEX_BYTES_MAX).dfa_size_limit(CODE_REGEX_BYTES_MAX);
    builder.build(query).map_err(|fault| {
        ToolError::user_input(format!(
            "the query is not a regular expression that can be searched for: {fault}"
        ))
        .suggest("Correct the expression, or leave `regex` out to look for it literally.")
    })
}

/// A matcher of a symbol as a whole word.
///
/// # Errors
/// A user input error when the symbol is so strange that no matcher can be made of it.
pub fn of_word(symbol: &str) -> Result<RegexMatcher, ToolError> {
    let mut builder = RegexMatcherBuilder::new();
    builder.fixed_strings(true).word(true).build(symbol).map_err(|fault| {
        ToolError::user_input(format!("`{symbol}` cannot be looked for: {fault}"))
            .suggest("Give the bare name of a function, type or constant.")
    })
}

/// Where a matcher first matches in `text`. The matchers here have no way to fail; their error type
/// has no value.
pub fn find(matcher: &RegexMatcher, text: &[u8]) -> Option<std::ops::Range<usize>> {
    let found = matcher.find(text).ok().flatten()?;
    Some(found.start()..found.end())
}
