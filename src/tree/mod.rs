//! From a document to a compiled tree: `Document -> Resolved -> Tree`, each made only by the stage
//! before.
//!
//! - `resolve` finds the trees of a document, checks every element against the catalog and
//!   reads ports, scripts and pointers once per definition;
//! - `graph` knows which tree uses which, and finds circles;
//! - `compile` expands subtrees into one flat arena and turns keys into slots;
//! - `draw` shows a tree as text or for Graphviz.

mod arena;
mod check;
mod compile;
mod definition;
mod draw;
mod graph;
mod layout;
mod model;
mod port_text;
mod resolve;
mod tool_leaf;

pub use arena::{
    Binding, GuardKind, Guards, Node, NodeInfo, Part, Piece, Script, Template, ToolLeaf, Tree, TreeInput,
};
pub use compile::{CompileOptions, compile};
pub use draw::{Drawing, Line, Mark, dot, draw};
pub use layout::{Layout, ScopeInfo, SlotInfo, Unfed};
pub use resolve::{Resolved, resolve};

use std::sync::Arc;

use crate::catalog::Catalog;
use crate::diag::Diagnostics;
use crate::text::Source;
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
