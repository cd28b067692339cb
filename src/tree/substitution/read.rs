//! Reads a file of rules, and says everything that is wrong with it.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;

use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::expr::{self, Dialect, Program};
use crate::json_place::{Pairs, offset, place};
use crate::status::Status;
use crate::text::{Source, Span};
use crate::tree::substitution::Substitutions;
use crate::tree::substitution::rules::{Rule, SCRIPTS, TestConfig};

const CONFIGS: &str = "TestNodeConfigs";
const RULES: &str = "SubstitutionRules";
const STATUS: &str = "return_status";
const DELAY: &str = "async_delay";
/// The statuses that a test node may answer with.
const STATUSES: [Status; 4] = [Status::Success, Status::Failure, Status::Running, Status::Skipped];

pub(super) fn read(source: &Arc<Source>) -> Result<Substitutions, Diagnostics> {
    let mut reader = Reader { source, faults: Diagnostics::new() };
    let mut all = Substitutions { source: source.clone(), configs: Vec::new(), rules: Vec::new() };
    match serde_json::from_str::<&RawValue>(source.text()) {
        Ok(raw) => reader.file(raw, &mut all),
        Err(error) => reader.no_json(offset(source.text(), &error), &error),
    }
    if reader.faults.is_empty() { Ok(all) } else { Err(reader.faults) }
}

struct Reader<'s> {
    source: &'s Arc<Source>,
    faults: Diagnostics,
}

/// A member of an object.
struct Member<'s> {
    name: String,
    name_span: Span,
    value: &'s RawValue,
}

impl<'s> Reader<'s> {
    fn file(&mut self, raw: &'s RawValue, all: &mut Substitutions) {
        let span = place(self.source, raw.get());
        let members = self.members(raw);
        for member in &members {
            match &*member.name {
                CONFIGS => {
                    let configs = self.members(member.value);
                    all.configs = configs.iter().map(|it| self.config(it)).collect();
                }
                RULES => {
                    let rules = self.members(member.value);
                    all.rules = rules.iter().filter_map(|it| self.rule(it)).collect();
                }
                _ => self.unknown(member, &[CONFIGS, RULES]),
            }
        }
        if self.faults.is_empty() && !members.iter().any(|member| member.name == RULES) {
            self.fault(
                span,
                format!("the file has no `{RULES}`"),
                format!("Add `\"{RULES}\": {{\"pattern\": \"what takes its place\"}}`."),
            );
        }
    }

    fn rule(&mut self, member: &Member<'s>) -> Option<Rule> {
        Some(Rule {
            pattern: member.name.as_str().into(),
            pattern_span: member.name_span,
            target: self.text(member)?.into(),
            target_span: place(self.source, member.value.get()),
        })
    }

    fn config(&mut self, of: &Member<'s>) -> TestConfig {
        let mut config = TestConfig {
            name: of.name.as_str().into(),
            status: Status::Success,
            delay: Duration::ZERO,
            scripts: [const { None }; SCRIPTS.len()],
        };
        let faults_before = self.faults.iter().count();
        let members = self.members(of.value);
        for member in &members {
            match SCRIPTS.iter().position(|script| *script == member.name) {
                Some(script) => config.scripts[script] = self.script(member),
                None => self.field(member, &mut config),
            }
        }
        let says_what = members.iter().any(|it| it.name == STATUS || it.name == SCRIPTS[0]);
        if !says_what && self.faults.iter().count() == faults_before {
            self.fault(
                of.name_span,
                format!("`{}` does not say what it answers", of.name),
                format!("Add `\"{STATUS}\": \"SUCCESS\"`."),
            );
        }
        config
    }

    fn field(&mut self, member: &Member<'s>, config: &mut TestConfig) {
        match &*member.name {
            STATUS => config.status = self.status(member).unwrap_or_default(),
            DELAY => config.delay = Duration::from_millis(self.millis(member).unwrap_or_default()),
            _ => self.unknown(member, &[&[STATUS, DELAY], &SCRIPTS[..]].concat()),
        }
    }

    fn status(&mut self, member: &Member<'s>) -> Option<Status> {
        let text = self.text(member)?;
        let status = Status::parse(&text).filter(|status| STATUSES.contains(status));
        if status.is_none() {
            let words = STATUSES.map(Status::as_str);
            let span = place(self.source, member.value.get());
            let help = match did_you_mean(&text, words) {
                Some(near) => format!("Did you mean `{near}`?"),
                None => format!("Write one of {}.", words.join(", ")),
            };
            self.fault(span, format!("`{text}` is no status that a node may answer with"), help);
        }
        status
    }

    fn millis(&mut self, member: &Member<'s>) -> Option<u64> {
        let span = place(self.source, member.value.get());
        // The reference takes a span below zero for none.
        let millis = serde_json::from_str::<i64>(member.value.get());
        if millis.is_err() {
            self.fault(
                span,
                format!("`{DELAY}` is no whole number of milliseconds"),
                "Write a number such as 300.",
            );
        }
        millis.ok().map(|millis| u64::try_from(millis).unwrap_or_default())
    }

    /// A script; an empty one is none.
    fn script(&mut self, member: &Member<'s>) -> Option<Arc<Program>> {
        let text = self.text(member)?;
        if text.is_empty() {
            return None;
        }
        let faults = match expr::parse(&text, Dialect::Script) {
            Ok(program) => return Some(Arc::new(program)),
            Err(faults) => faults,
        };
        for fault in faults {
            let span = in_literal(place(self.source, member.value.get()), member.value.get(), &fault.span);
            let help = fault.help.unwrap_or_else(|| "Complete the script, or remove it.".to_owned());
            self.faults.push(
                Diagnostic::new(fault.kind.code(), fault.message)
                    .at(self.source, span, fault.label)
                    .help(help),
            );
        }
        None
    }

    fn text(&mut self, member: &Member<'s>) -> Option<String> {
        let text = serde_json::from_str(member.value.get());
        if text.is_err() {
            let span = place(self.source, member.value.get());
            self.fault(span, format!("`{}` is to be a text", member.name), "Put it in quotes.");
        }
        text.ok()
    }

    /// The members of an object; one that is given twice is told, and read once.
    fn members(&mut self, raw: &'s RawValue) -> Vec<Member<'s>> {
        let Ok(Pairs(pairs)) = serde_json::from_str(raw.get()) else {
            self.fault(place(self.source, raw.get()), "this is no JSON object", "Write `{...}`.");
            return Vec::new();
        };
        let mut members: Vec<Member<'s>> = Vec::new();
        for (name, value) in pairs {
            let name_span = place(self.source, name.get());
            let name: String = match serde_json::from_str(name.get()) {
                Ok(name) => name,
                Err(error) => {
                    self.no_json(name_span.start as usize, &error);
                    continue;
                }
            };
            if members.iter().any(|member| member.name == name) {
                self.fault(name_span, format!("`{name}` is given twice"), "Keep one of the two.");
            } else {
                members.push(Member { name, name_span, value });
            }
        }
        members
    }

    fn unknown(&mut self, member: &Member<'_>, known: &[&str]) {
        let help = match did_you_mean(&member.name, known.iter().copied()) {
            Some(near) => format!("Did you mean `{near}`?"),
            None => format!("Use one of {}.", known.join(", ")),
        };
        self.fault(member.name_span, format!("`{}` means nothing here", member.name), help);
    }

    fn no_json(&mut self, at: usize, error: &serde_json::Error) {
        let why = error.to_string();
        // The place in its words is the one that is pointed at.
        let why = why.split(" at line ").next().unwrap_or_default();
        self.faults.push(
            Diagnostic::new(Code::E0141, format!("the rules are no JSON: {why}"))
                .at(self.source, Span::new(at, at + 1), "")
                .help("Correct the text; JSON has no comments and no comma before a closing bracket."),
        );
    }

    fn fault(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.faults.push(Diagnostic::new(Code::E0142, message).at(self.source, span, "").help(help));
    }
}

/// Where a piece of a text stands in the JSON literal that gives the text: what an escape stands for is
/// shorter than the escape.
fn in_literal(literal: Span, raw: &str, piece: &Range<usize>) -> Span {
    let start = literal.start as usize;
    let from = start + raw_offset(raw, piece.start);
    Span::new(from, (start + raw_offset(raw, piece.end)).max(from + 1))
}

/// The place in a JSON literal of the byte `offset` of its text.
fn raw_offset(raw: &str, offset: usize) -> usize {
    // The quote that opens the literal.
    let mut at = 1;
    let mut read = 0;
    while read < offset && at < raw.len() {
        let rest = &raw[at..];
        let width = match rest.as_bytes() {
            [b'\\', b'u', ..] => 6,
            [b'\\', ..] => 2,
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        let letter =
            rest.get(..width).and_then(|it| serde_json::from_str::<String>(&format!("\"{it}\"")).ok());
        // Half of a surrogate pair reads as nothing; together the two are four bytes of text.
        read += letter.map_or(2, |letter| letter.len());
        at += width;
    }
    at.min(raw.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The faults of a text, each with its line and column.
    fn faults(text: &str) -> Vec<String> {
        let source = Source::new("r.json", text);
        let faults = Substitutions::parse(&source).err().unwrap_or_default();
        faults.iter().map(ToString::to_string).collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let told = faults(text);
        assert_eq!(told.len(), expected.len(), "{told:#?}");
        for (told, expected) in told.iter().zip(expected) {
            assert!(told.starts_with(expected), "{told}");
        }
    }

    #[test]
    fn every_fault_is_told_with_its_place() {
        check("{", &["r.json:1:1: E0141 the rules are no JSON: EOF"]);
        check("[]", &["r.json:1:1: E0142 this is no JSON object"]);
        check("{}", &["r.json:1:1: E0142 the file has no `SubstitutionRules`"]);
        check(
            r#"{"SubstitutionRule": {}}"#,
            &["r.json:1:2: E0142 `SubstitutionRule` means nothing here (Did"],
        );
        check(
            r#"{"SubstitutionRules": {"a": 1, "b": "T", "b": "T"}}"#,
            &["r.json:1:42: E0142 `b` is given twice", "r.json:1:29: E0142 `a` is to be a text"],
        );
        let config = |fields: &str| {
            format!("{{\"TestNodeConfigs\":\n{{\"T\": {fields}}},\"SubstitutionRules\":{{}}}}")
        };
        check(&config("{}"), &["r.json:2:2: E0142 `T` does not say what it answers"]);
        check(
            &config(r#"{"return_status": "SUCESS"}"#),
            &[
                "r.json:2:25: E0142 `SUCESS` is no status that a node may answer with (Did you mean `SUCCESS`?)",
            ],
        );
        check(&config(r#"{"return_status": "IDLE"}"#), &["r.json:2:25: E0142 `IDLE` is no status"]);
        check(
            &config(r#"{"return_status": "SUCCESS", "asinc_delay": 3}"#),
            &["r.json:2:36: E0142 `asinc_delay` means nothing here (Did you mean `async_delay`?)"],
        );
        check(
            &config(r#"{"return_status": "SUCCESS", "async_delay": "3"}"#),
            &["r.json:2:51: E0142 `async_delay` is no whole number"],
        );
        check(
            &config(r#"{"return_status": "SUCCESS", "post_script": "\u0061 := :="}"#),
            &["r.json:2:62: E0301 "],
        );
        check(&config(r#"{"return_status_script": "SUCCESS", "async_delay": -3, "post_script": ""}"#), &[]);
    }

    #[test]
    fn a_place_in_a_literal_counts_escapes() {
        let check = |raw: &str, offset: usize, expected: usize| {
            assert_eq!(raw_offset(raw, offset), expected, "{raw}")
        };
        check(r#""abc""#, 2, 3);
        check(r#""\"b""#, 1, 3);
        check(r#""\u00e4b""#, 2, 7);
        check(r#""\ud83d\ude00b""#, 4, 13);
        check(r#""b""#, 9, 3);
    }
}
