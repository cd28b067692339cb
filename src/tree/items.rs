//! A list that is written in a port: items with `;` between them, read when the tree is loaded.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::catalog::PortManifest;
use crate::convert;
use crate::diag::{Code, Diagnostic};
use crate::limits::ITEMS_MAX;
use crate::tree::check::Checker;
use crate::tree::definition::DefBinding;
use crate::value::{Type, Value};
use crate::xml::Attribute;

/// Reads a literal list of items of type `ty`.
pub(super) fn read<'c>(
    checker: &mut Checker<'c>,
    attribute: Attribute<'c>,
    port: &PortManifest,
    ty: Type,
) -> DefBinding {
    let text = attribute.value();
    let mut items = Vec::new();
    let mut start = 0;
    for item in text.split(';').filter(|_| !text.is_empty()).take(ITEMS_MAX + 1) {
        let range = start..start + item.len();
        start = range.end + 1;
        match convert::from_text(item, ty) {
            // The reference reads no JSON here, and a text that looks like it is a slip.
            Ok(_) if item.starts_with("json:") => {
                let why = "a list is written `a;b;c`, not as JSON".to_owned();
                return refuse(checker, attribute, port, (range, why));
            }
            Ok(value) => items.push(value.to_json()),
            Err(fault) => return refuse(checker, attribute, port, (range, fault.to_string())),
        }
    }
    if items.len() > ITEMS_MAX {
        let why = format!("a list has at most {ITEMS_MAX} items");
        return refuse(checker, attribute, port, (0..text.len(), why));
    }
    checker.shared.literal(Value::Json(Arc::new(Json::Array(items))))
}

fn refuse<'c>(
    checker: &mut Checker<'c>,
    attribute: Attribute<'c>,
    port: &PortManifest,
    (range, why): (std::ops::Range<usize>, String),
) -> DefBinding {
    checker.diagnostics.push(
        Diagnostic::new(Code::E0109, format!("port `{}` does not take this list", port.name))
            .at(checker.source, attribute.span_in_value(range), why)
            .help("Write the items with `;` between them, as in `1;2;3`, or a key in braces."),
    );
    DefBinding::Absent
}
