//! TOML as nodes.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Number, Value as Json};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Data, Member, Node};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::text::{Source, Span};

/// Reads the whole text; all of its faults are told, and what could be read is answered.
pub fn read(source: &Arc<Source>, faults: &mut Diagnostics) -> Node {
    let (table, errors) = DeTable::parse_recoverable(source.text());
    for error in errors {
        let span = error.span().map_or(Span::new(0, 0), span_of);
        let message = format!("this is no TOML: {}", error.message());
        faults.push(
            Diagnostic::new(Code::E0601, message)
                .at(source, span, "")
                .help("Correct the text; values that are texts stand in quotes."),
        );
    }
    let span = span_of(table.span());
    Node { span, data: Data::Table(members(table.into_inner())) }
}

fn members(table: DeTable<'_>) -> Vec<Member> {
    let member = |(name, value): (Spanned<_>, Spanned<DeValue<'_>>)| {
        let name_span = span_of(name.span());
        let name: std::borrow::Cow<'_, str> = name.into_inner();
        Member { name: name.into_owned(), name_span, value: node(value) }
    };
    table.into_iter().map(member).collect()
}

fn node(value: Spanned<DeValue<'_>>) -> Node {
    let span = span_of(value.span());
    let data = match value.into_inner() {
        DeValue::String(text) => Data::Scalar(text.into_owned().into()),
        DeValue::Integer(it) => Data::Scalar(
            i64::from_str_radix(it.as_str(), it.radix()).map_or_else(|_| it.as_str().into(), Json::from),
        ),
        DeValue::Float(it) => {
            let number = it.as_str().parse().ok().and_then(Number::from_f64);
            Data::Scalar(number.map_or_else(|| it.as_str().into(), Json::Number))
        }
        DeValue::Boolean(it) => Data::Scalar(it.into()),
        DeValue::Datetime(it) => Data::Scalar(it.to_string().into()),
        DeValue::Array(items) => Data::List(items.into_iter().map(node).collect()),
        DeValue::Table(table) => Data::Table(members(table)),
    };
    Node { span, data }
}

fn span_of(range: Range<usize>) -> Span {
    Span::new(range.start, range.end)
}
