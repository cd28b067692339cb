//! All stages in one go.

use std::sync::Arc;

use crate::catalog::Catalog;
use crate::diag::Diagnostics;
use crate::text::Source;
use crate::tree::{CompileOptions, Tree, compile, resolve};
use crate::xml::{self, XmlLimits};

/// Reads, resolves and compiles a text in one go.
///
/// # Errors
/// All faults of the text. Warnings alone do not keep a tree from being made; ask [`resolve`] for
/// them.
pub fn load(
    source: &Arc<Source>,
    catalog: &Catalog,
    options: &CompileOptions,
) -> Result<Arc<Tree>, Diagnostics> {
    let (tree, diagnostics) = load_with_warnings(source, catalog, options);
    tree.ok_or(diagnostics)
}

/// The same, with the warnings of a text that loads.
pub fn load_with_warnings(
    source: &Arc<Source>,
    catalog: &Catalog,
    options: &CompileOptions,
) -> (Option<Arc<Tree>>, Diagnostics) {
    let (document, mut diagnostics) = xml::read(source, &XmlLimits::default());
    let Some(document) = document else {
        return (None, diagnostics);
    };
    let (resolved, faults) = resolve(&document, catalog);
    diagnostics.extend(faults);
    let (Some(resolved), false) = (resolved, diagnostics.has_errors()) else {
        diagnostics.sort();
        return (None, diagnostics);
    };
    let (tree, faults) = compile(&resolved, options);
    diagnostics.extend(faults);
    diagnostics.sort();
    let tree = tree.filter(|_| !diagnostics.has_errors());
    (tree.map(Arc::new), diagnostics)
}
