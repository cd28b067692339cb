//! A file as a policy, or all of its faults.

use std::ops::Range;
use std::sync::Arc;

use globset::{GlobBuilder, GlobMatcher};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diag::{Code, Diagnostic, Diagnostics, Label, did_you_mean};
use crate::exec::policy::files::Files;
use crate::exec::policy::policy::Defaults;
use crate::exec::policy::rule::{Argument, Rule};
use crate::exec::policy::{Policy, Word};
use crate::limits::POLICY_RULES_MAX;
use crate::text::{Source, Span};

/// A value with its place.
type Value<'t> = Spanned<DeValue<'t>>;

struct Reader<'s> {
    source: &'s Arc<Source>,
    faults: Diagnostics,
}

pub(super) fn read(source: &Arc<Source>) -> Result<Policy, Diagnostics> {
    let mut reader = Reader { source, faults: Diagnostics::new() };
    let (table, errors) = DeTable::parse_recoverable(source.text());
    for error in errors {
        let span = error.span().unwrap_or_default();
        let help = "Correct the text; values that are texts stand in quotes.";
        reader.fault(Code::E0701, format!("this is no TOML: {}", error.message()), span, help);
    }
    // What a broken text seems to say would only be a second fault from the same cause.
    let policy = if reader.faults.is_empty() { reader.policy(table.get_ref()) } else { Policy::default() };
    if !reader.faults.has_errors() {
        return Ok(policy);
    }
    reader.faults.sort();
    Err(reader.faults)
}

impl Reader<'_> {
    fn policy(&mut self, table: &DeTable<'_>) -> Policy {
        self.names(table, &["deny", "ask", "allow", "default"], "a policy");
        let mut policy = Policy::default();
        for word in Word::ALL {
            let Some(value) = table.get(word.as_str()) else { continue };
            let rules = self.rules(word, value);
            policy.rules.insert(word, rules);
        }
        if let Some(value) = table.get("default") {
            policy.defaults = self.defaults(value);
        }
        policy
    }

    fn rules(&mut self, word: Word, value: &Value<'_>) -> Vec<Rule> {
        let name = word.as_str();
        let DeValue::Array(items) = value.get_ref() else {
            let help = format!("Begin each rule with `[[{name}]]`, or write `{name} = [\"tool\"]`.");
            self.invalid(&format!("`{name}` is a list of rules"), value, &help);
            return Vec::new();
        };
        if items.len() > POLICY_RULES_MAX {
            let help = "Put what belongs together into one rule.";
            self.invalid(&format!("`{name}` has more than {POLICY_RULES_MAX} rules"), value, help);
            return Vec::new();
        }
        items.iter().filter_map(|item| self.rule(name, item)).collect()
    }

    /// A rule is a table, or the glob of its tools alone.
    fn rule(&mut self, name: &str, value: &Value<'_>) -> Option<Rule> {
        let line = self.source.position(span_of(value.span()).start).line;
        let place = format!("{}:{line}", self.source.name()).into();
        let table = match value.get_ref() {
            DeValue::String(_) => {
                let tool = self.glob(value)?;
                return Some(Rule { tool, arguments: Vec::new(), files: None, why: None, place });
            }
            DeValue::Table(table) => table,
            _ => {
                self.invalid(&format!("a rule of `{name}` is a table"), value, "Name its `tool`.");
                return None;
            }
        };
        self.names(table, &["tool", "arguments", "file", "why"], "a rule");
        let Some(tool) = table.get("tool") else {
            let help = "Add `tool = \"*\"` for every tool.";
            self.invalid(&format!("a rule of `{name}` names no `tool`"), value, help);
            return None;
        };
        let tool = self.glob(tool);
        let arguments = table.get("arguments").map_or_else(Vec::new, |value| self.arguments(value));
        let files = table.get_key_value("file").map(|(name, value)| self.files(name.span(), value));
        let why = table.get("why").and_then(|value| self.text(value)).map(Into::into);
        Some(Rule { tool: tool?, arguments, files, why, place })
    }

    fn files(&mut self, name: Range<usize>, value: &Value<'_>) -> Files {
        let label = Label { source: self.source.clone(), span: span_of(name), text: String::new() };
        Files { globs: self.globs(value), label }
    }

    /// A glob, or a list of them.
    fn globs(&mut self, value: &Value<'_>) -> Vec<GlobMatcher> {
        match value.get_ref() {
            DeValue::Array(items) => items.iter().filter_map(|item| self.glob(item)).collect(),
            _ => self.glob(value).into_iter().collect(),
        }
    }

    fn arguments(&mut self, value: &Value<'_>) -> Vec<Argument> {
        let DeValue::Table(table) = value.get_ref() else {
            let help = "Write `arguments = { path = \"notes/*\" }`.";
            self.invalid("`arguments` is a table of globs", value, help);
            return Vec::new();
        };
        let mut arguments = Vec::new();
        for (name, value) in table.iter() {
            let globs = self.globs(value);
            let span = span_of(name.span());
            let label = Label { source: self.source.clone(), span, text: String::new() };
            arguments.push(Argument { name: name.get_ref().to_string(), globs, label });
        }
        arguments
    }

    fn defaults(&mut self, value: &Value<'_>) -> Defaults {
        let mut defaults = Defaults::default();
        let DeValue::Table(table) = value.get_ref() else {
            self.invalid("`default` is a table", value, "Begin a section `[default]`.");
            return defaults;
        };
        self.names(table, &["read-only", "writes", "external"], "`default`");
        let mut word = |name: &str, default: &mut Word| {
            if let Some(found) = table.get(name).and_then(|value| self.word(value)) {
                *default = found;
            }
        };
        word("read-only", &mut defaults.read_only);
        word("writes", &mut defaults.writes);
        word("external", &mut defaults.external);
        defaults
    }

    fn word(&mut self, value: &Value<'_>) -> Option<Word> {
        let text = self.text(value)?;
        let found = Word::ALL.into_iter().find(|word| word.as_str() == text);
        if found.is_none() {
            let help = "Write \"deny\", \"ask\" or \"allow\".";
            self.invalid(&format!("`{text}` is none of the three words"), value, help);
        }
        found
    }

    fn text<'v>(&mut self, value: &'v Value<'_>) -> Option<&'v str> {
        if let DeValue::String(text) = value.get_ref() {
            return Some(text);
        }
        self.invalid("this is a text", value, "Put it in quotes.");
        None
    }

    /// A glob over text: `*` stands for anything, a slash too.
    fn glob(&mut self, value: &Value<'_>) -> Option<GlobMatcher> {
        let text = self.text(value)?;
        let built = GlobBuilder::new(text).literal_separator(false).backslash_escape(true).build();
        match built {
            Ok(glob) => Some(glob.compile_matcher()),
            Err(fault) => {
                let message = format!("`{text}` is no glob: {}", fault.kind());
                let help = "`*` stands for anything, `?` for one character, `[ab]` for one of them, `{a,b}` \
                            for either; a `\\` before such a character takes it as it is.";
                self.fault(Code::E0704, message, value.span(), help);
                None
            }
        }
    }

    /// Tells of names that there are not.
    fn names(&mut self, table: &DeTable<'_>, known: &[&str], of: &str) {
        for (name, _) in table.iter() {
            let text = name.get_ref();
            if known.contains(&&**text) {
                continue;
            }
            let help = match did_you_mean(text, known.iter().copied()) {
                Some(near) => format!("Did you mean `{near}`?"),
                None => format!("There are: {}.", known.join(", ")),
            };
            self.fault(Code::E0702, format!("{of} has no `{text}`"), name.span(), &help);
        }
    }

    fn invalid(&mut self, message: &str, value: &Value<'_>, help: &str) {
        self.fault(Code::E0703, message.to_owned(), value.span(), help);
    }

    fn fault(&mut self, code: Code, message: String, span: Range<usize>, help: &str) {
        let fault = Diagnostic::new(code, message).at(self.source, span_of(span), "");
        self.faults.push(fault.help(help));
    }
}

fn span_of(range: Range<usize>) -> Span {
    Span::new(range.start, range.end)
}
