//! JSON as nodes, each with its place.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::{Data, Member, Node};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::json_place::{Pairs, offset, place};
use crate::limits::JSON_DEPTH_MAX;
use crate::text::{Source, Span};

/// Reads the whole text; JSON has one fault at most, for nothing after it can be trusted.
pub fn read(source: &Arc<Source>, faults: &mut Diagnostics) -> Node {
    match serde_json::from_str::<&RawValue>(source.text()) {
        Ok(raw) => node(source, raw, 0, faults),
        Err(error) => {
            faults.push(fault(source, offset(source.text(), &error), &error));
            Node { span: Span::new(0, 0), data: Data::Table(Vec::new()) }
        }
    }
}

fn fault(source: &Arc<Source>, at: usize, error: &serde_json::Error) -> Diagnostic {
    let why = error.to_string();
    // The place in its words is the one that is pointed at.
    let why = why.split(" at line ").next().unwrap_or_default();
    Diagnostic::new(Code::E0601, format!("this is no JSON: {why}"))
        .at(source, letter(source.text(), at), "")
        .help("Correct the text; JSON has no comments and no comma before a closing bracket.")
}

/// The letter that the byte at `at` belongs to; nothing at the end of the text.
fn letter(text: &str, at: usize) -> Span {
    let start = (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or_default();
    Span::new(start, start + text[start..].chars().next().map_or(0, char::len_utf8))
}

fn node(source: &Arc<Source>, raw: &RawValue, depth: usize, faults: &mut Diagnostics) -> Node {
    let span = place(source, raw.get());
    let first = raw.get().as_bytes().first();
    if depth >= JSON_DEPTH_MAX {
        let message = format!("the manifest is nested deeper than {JSON_DEPTH_MAX} levels");
        faults.push(Diagnostic::new(Code::E0601, message).at(source, span, "").help("Flatten it."));
        return Node { span, data: Data::Scalar(serde_json::Value::Null) };
    }
    let data = match first {
        Some(b'{') => table(source, raw, depth, faults),
        Some(b'[') => serde_json::from_str::<Vec<&RawValue>>(raw.get()).map(|items| {
            Data::List(items.into_iter().map(|item| node(source, item, depth + 1, faults)).collect())
        }),
        _ => serde_json::from_str(raw.get()).map(Data::Scalar),
    };
    // A text may still hold half of a surrogate pair, which only the second reading sees.
    let data = data.unwrap_or_else(|error| {
        faults.push(fault(source, span.start as usize, &error));
        Data::Scalar(serde_json::Value::Null)
    });
    Node { span, data }
}

fn table(
    source: &Arc<Source>,
    raw: &RawValue,
    depth: usize,
    faults: &mut Diagnostics,
) -> serde_json::Result<Data> {
    let Pairs(pairs) = serde_json::from_str(raw.get())?;
    let mut members: Vec<Member> = Vec::new();
    for (name, value) in pairs {
        let name_span = place(source, name.get());
        let name: String = serde_json::from_str(name.get())?;
        if let Some(first) = members.iter().find(|member| member.name == name) {
            faults.push(
                Diagnostic::new(Code::E0604, format!("`{name}` is given twice"))
                    .at(source, name_span, "")
                    .and_at(source, first.name_span, "given here")
                    .help("Keep one of the two."),
            );
            continue;
        }
        members.push(Member { name, name_span, value: node(source, value, depth + 1, faults) });
    }
    Ok(Data::Table(members))
}
