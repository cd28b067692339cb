//! A page for the terminal, and for programs.

use crossterm::style::Stylize;
use serde_json::{Value as Json, json};

use crate::diag::Code;
use crate::explain::{Block, Example, Page};

impl Page {
    /// The page as a terminal shows it: fences gone, examples indented.
    pub fn render(&self, colour: bool) -> String {
        let heading = format!("{} {}", self.id, self.slug);
        let mut parts = vec![if colour { heading.bold().to_string() } else { heading }];
        parts.extend(self.blocks().iter().map(|block| match block {
            Block::Prose(text) => prose(text, colour),
            Block::Example(example) => indented(example.text),
        }));
        parts.join("\n\n")
    }

    /// The page as JSON.
    pub fn to_json(&self) -> Json {
        let examples = self.blocks().into_iter().filter_map(|block| match block {
            Block::Example(example) => Some(to_json(&example)),
            Block::Prose(_) => None,
        });
        json!({
            "code": self.id,
            "name": self.slug,
            "severity": if Code::parse(self.id).is_some_and(Code::is_warning) { "warning" } else { "error" },
            "summary": self.summary(),
            "text": self.body,
            "examples": examples.collect::<Json>(),
        })
    }
}

fn to_json(example: &Example) -> Json {
    json!({
        "shows": example.verdict.as_str(),
        "language": example.language,
        "text": example.text,
        "options": example.options.iter().map(|&(name, value)| (name.to_owned(), value.into())).collect::<serde_json::Map<_, _>>(),
    })
}

fn prose(text: &str, colour: bool) -> String {
    let text = without_links(text);
    if !colour {
        return text;
    }
    let line = |line: &str| match line {
        "Wrong:" => line.red().to_string(),
        "Right:" => line.green().to_string(),
        _ => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// `[E0009](#e0009-doctype_refused)` as `E0009`: a terminal has no anchors.
fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](#") {
        let (shown, name) = before.rsplit_once('[').unwrap_or((before, ""));
        out.push_str(shown);
        out.push_str(name);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    out + rest
}

fn indented(text: &str) -> String {
    let line = |line: &str| if line.is_empty() { String::new() } else { format!("    {line}") };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_its_name() {
        assert_eq!(without_links("see ([E1](#e1-a)), and [E2](#e2-b)."), "see (E1), and E2.");
        assert_eq!(without_links("`a[0](b)`"), "`a[0](b)`");
    }

    #[test]
    fn an_example_is_indented_and_its_labels_coloured() {
        let page = Page {
            id: "E0107",
            slug: "port_unknown",
            body: "One.\n\nWrong:\n\n```xml wrong\n<a>\n\n</a>\n```",
        };
        assert_eq!(page.render(false), "E0107 port_unknown\n\nOne.\n\nWrong:\n\n    <a>\n\n    </a>");
        assert!(page.render(true).contains("\u{1b}[38;5;9mWrong:"), "{:?}", page.render(true));
    }
}
