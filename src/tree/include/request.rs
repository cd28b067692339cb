//! One `<include>` element.

use std::sync::Arc;

use crate::diag::Diagnostic;
use crate::text::{Source, Span};
use crate::tree::include::fault;
use crate::xml::Element;

/// What an element asks for.
pub(super) struct Request {
    pub path: Arc<str>,
    /// Where the path is written.
    pub source: Arc<Source>,
    pub span: Span,
}

impl Request {
    /// Reads the element, or says what is wrong with it.
    pub fn read(include: Element<'_>) -> Result<Self, Diagnostic> {
        let source = include.document().source();
        if let Some(package) = include.attribute("ros_pkg") {
            return Err(fault::package(source, package));
        }
        let Some(path) = include.attribute("path") else { return Err(fault::no_path(source, include)) };
        let text = path.value();
        if text.trim().is_empty() {
            return Err(fault::empty_path(source, path));
        }
        Ok(Self { path: Arc::from(text), source: source.clone(), span: path.value_span() })
    }
}
