//! A tree and all that it includes, for the commands that need it compiled.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::catalog::Catalog;
use crate::cli::args::RulesArgs;
use crate::cli::input;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::harness::{FolderLoader, RootError};
use crate::loader::Location;
use crate::tree::{self, CompileOptions, Includes, Substitutions, Tree};

/// Reads and compiles a tree and all that it includes, from its own folder or one of `roots`; answers
/// its warnings too.
pub(super) fn without_faults(
    path: &Path,
    roots: &[PathBuf],
    catalog: &Catalog,
    options: &CompileOptions,
) -> Result<(Arc<Tree>, Diagnostics), Diagnostics> {
    match with_faults(path, roots, catalog, options) {
        (Some(tree), warnings) => Ok((tree, warnings)),
        (None, faults) => Err(faults),
    }
}

/// The same, with whatever faults there are.
pub(super) fn with_faults(
    path: &Path,
    roots: &[PathBuf],
    catalog: &Catalog,
    options: &CompileOptions,
) -> (Option<Arc<Tree>>, Diagnostics) {
    match input::read(path).and_then(|source| Ok((source, loader(path, roots)?))) {
        Ok((source, (loader, from))) => {
            let includes = Includes::new(&loader, from);
            tree::load_with_includes(&source, &includes, catalog, options)
        }
        Err(faults) => (None, faults),
    }
}

/// What trees are compiled with: the rules of a file, when one is named.
pub(super) fn options(rules: &RulesArgs) -> Result<CompileOptions, Diagnostics> {
    let rules = rules.rules.as_deref().map(|path| Substitutions::parse(&input::read(path)?));
    Ok(CompileOptions { substitutions: rules.transpose()?, ..CompileOptions::default() })
}

/// What a tree at `path` may include. One from standard input lies in the current folder.
fn loader(path: &Path, roots: &[PathBuf]) -> Result<(FolderLoader, Location), Diagnostic> {
    let (loader, from) =
        FolderLoader::beside(path).map_err(|fault| root_fault(path.parent().unwrap_or(path), &fault))?;
    let loader = roots
        .iter()
        .try_fold(loader, |loader, root| loader.allow(root).map_err(|fault| root_fault(root, &fault)))?;
    Ok((loader, from))
}

fn root_fault(root: &Path, fault: &RootError) -> Diagnostic {
    Diagnostic::new(Code::E0404, format!("the folder `{}` cannot be included from", root.display()))
        .note(fault.to_string())
        .help("Name a folder with trees: `--include-root DIR`.")
}
