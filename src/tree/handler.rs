//! Reads `_catch`, which says what failures a handler of a `Catch` takes.

use std::sync::Arc;

use crate::catalog::Kind;
use crate::diag::{Code, Diagnostic};
use crate::expr::Program;
use crate::tree::check::Checker;
use crate::tree::tool_leaf::predicate;
use crate::xml::Element;

/// What a `_catch` may name.
const NAMES: [&str; 7] = ["kind", "category", "message", "tool", "attempt", "retryable", "node"];

/// The predicate of an element, when it is a handler and has one.
pub(super) fn read<'c>(checker: &mut Checker<'c>, element: Element<'c>, parent: u32) -> Option<Arc<Program>> {
    let attribute = element.attribute("_catch")?;
    let index = checker.def.nodes.len() as u32;
    let manifest = checker.def.nodes.get(parent as usize).map(|parent| parent.manifest as usize);
    let above = manifest.and_then(|manifest| checker.shared.manifests.get(manifest));
    let is_handler = above.is_some_and(|above| above.kind == Kind::Catch) && index > parent + 1;
    if is_handler {
        return predicate(checker, attribute, &NAMES, "a `_catch`");
    }
    checker.diagnostics.push(
        Diagnostic::new(Code::W0106, "`_catch` is ignored")
            .at(checker.source, attribute.name_span(), "this is no handler")
            .note("handlers are the children of a `Catch` after the first")
            .help("Move the element behind the first child of a `Catch`, or remove the attribute."),
    );
    None
}
