//! All stages in one go.

use std::sync::Arc;

use crate::catalog::Catalog;
use crate::diag::{Diagnostic, Diagnostics};
use crate::limits::XML_BYTES_MAX;
use crate::loader::{LoadFault, Loader, Location};
use crate::text::Source;
use crate::tree::{CompileOptions, Includes, Tree, compile, gather, include, resolve};
use crate::xml;

/// Reads, resolves and compiles a text in one go.
///
/// # Errors
/// All faults of the text. Warnings alone do not keep a tree from being made; ask
/// [`load_with_warnings`] for them. A text that includes others needs [`load_with_includes`].
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
    load_with_includes(source, &Includes::none(), catalog, options)
}

/// The tree of a text and of all that it includes, with the faults of all of them.
pub fn load_with_includes(
    source: &Arc<Source>,
    includes: &Includes<'_>,
    catalog: &Catalog,
    options: &CompileOptions,
) -> (Option<Arc<Tree>>, Diagnostics) {
    let (documents, mut diagnostics) = gather(source, includes);
    let Some(documents) = documents else {
        return (None, diagnostics);
    };
    let (resolved, faults) = resolve(&documents, catalog);
    // The definitions hold all that is wanted of them.
    drop(documents);
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

/// The tree of the text that `loader` has at `path`, seen from its top, and of all that it includes.
pub fn load_from(
    loader: &dyn Loader,
    path: &str,
    catalog: &Catalog,
    options: &CompileOptions,
) -> (Option<Arc<Tree>>, Diagnostics) {
    let unreadable = |fault: LoadFault| include::unreadable(path, &fault);
    let read = || -> Result<_, Diagnostic> {
        let from = loader.locate(&Location::default(), path).map_err(unreadable)?;
        let bytes = loader.read(&from, XML_BYTES_MAX).map_err(unreadable)?;
        Ok((xml::source_from_bytes(&from.name, bytes)?, from))
    };
    match read() {
        Ok((source, from)) => load_with_includes(&source, &Includes::new(loader, from), catalog, options),
        Err(fault) => (None, Diagnostics::from(fault)),
    }
}
