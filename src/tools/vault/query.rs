//! What a person types, as an expression of the search engine that is never a syntax error.

use crate::limits::VAULT_QUERY_TERMS_MAX;

/// The words and phrases that are searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Query {
    terms: Vec<String>,
}

impl Query {
    /// Reads words, `"phrases"` and `prefix*`. Everything else a search engine would take for an
    /// operator is text: each term is quoted, and what holds no letter or digit is left out.
    pub(super) fn parse(text: &str) -> Self {
        let terms = split(text).into_iter().filter(|(term, _)| term.chars().any(char::is_alphanumeric));
        Self { terms: terms.take(VAULT_QUERY_TERMS_MAX).map(|(term, prefix)| quote(&term, prefix)).collect() }
    }

    /// Whether there is nothing to search for.
    pub(super) fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether there is more than one term.
    pub(super) fn has_several(&self) -> bool {
        self.terms.len() > 1
    }

    /// The expression for notes that hold every term.
    pub(super) fn all(&self) -> String {
        self.terms.join(" AND ")
    }

    /// The expression for notes that hold at least one.
    pub(super) fn any(&self) -> String {
        self.terms.join(" OR ")
    }
}

/// The terms, each with whether a `*` follows it. A quote that is never closed ends with the text.
fn split(text: &str) -> Vec<(String, bool)> {
    let mut terms = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c.is_control());
        let Some(first) = rest.chars().next() else { return terms };
        if first == '"' {
            let (phrase, after) = rest[1..].split_once('"').unwrap_or((&rest[1..], ""));
            let prefix = after.starts_with('*');
            rest = if prefix { &after[1..] } else { after };
            terms.push((phrase.to_owned(), prefix));
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || c.is_control() || c == '"');
            let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
            rest = after;
            terms.push((word.trim_end_matches('*').to_owned(), word.ends_with('*')));
        }
    }
}

fn quote(term: &str, prefix: bool) -> String {
    // A NUL would end the expression for SQLite in the middle of a string.
    let clean = term.replace('"', "\"\"").replace(char::is_control, " ");
    format!("\"{clean}\"{}", if prefix { "*" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_become_expressions() {
        let rows = [
            ("tree", r#""tree""#),
            ("  tree \t engine ", r#""tree" AND "engine""#),
            (r#""late write" fence"#, r#""late write" AND "fence""#),
            ("sched*", r#""sched"*"#),
            (r#""late wri"* x"#, r#""late wri"* AND "x""#),
            (r#"a"b"#, r#""a" AND "b""#),
            ("AND OR NOT NEAR(", r#""AND" AND "OR" AND "NOT" AND "NEAR(""#),
            ("title:x ^y -z {a}", r#""title:x" AND "^y" AND "-z" AND "{a}""#),
            ("\"open", r#""open""#),
            ("+ * \"\" -- (", ""),
            ("a\0b", r#""a" AND "b""#),
            ("", ""),
        ];
        for (text, expected) in rows {
            assert_eq!(Query::parse(text).all(), expected, "{text:?}");
        }
    }
}
