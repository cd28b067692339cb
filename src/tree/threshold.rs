//! Thresholds of parallel nodes against the number of children.

use crate::catalog::{Kind, NodeManifest};
use crate::diag::{Code, Diagnostic};
use crate::tree::check::Checker;
use crate::xml::{Attribute, Element};

/// Refuses a literal threshold that no number of children's verdicts can reach. A threshold in a
/// key is looked at when the node runs.
pub(super) fn check<'c>(checker: &mut Checker<'c>, element: Element<'c>, manifest: &NodeManifest) {
    let names: &[&str] = match manifest.kind {
        Kind::Parallel => &["success_count", "failure_count"],
        Kind::ParallelAll => &["max_failures"],
        _ => return,
    };
    for attribute in names.iter().filter_map(|name| element.attribute(name)) {
        let text = attribute.value();
        let number = checker.catalog.enum_value(text).or_else(|| text.parse::<i32>().ok().map(i64::from));
        // Without children there is another fault already.
        let children = element.children().count();
        if children > 0 && number.is_some_and(|number| number > children as i64) {
            too_large(checker, attribute, children);
        }
    }
}

fn too_large<'c>(checker: &mut Checker<'c>, attribute: Attribute<'c>, children: usize) {
    let (name, text) = (attribute.name(), attribute.value());
    let has = match children {
        1 => "the node has one child".to_owned(),
        children => format!("the node has {children} children"),
    };
    checker.diagnostics.push(
        Diagnostic::new(Code::E0127, format!("`{name}` is {text}, which is never reached"))
            .at(checker.source, attribute.value_span(), has)
            .note("the threshold counts children; -1 stands for all of them")
            .help(format!("Write {children} or less, or -1.")),
    );
}
