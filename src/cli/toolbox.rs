//! The built-in tools, put together for a repository and a vault, and the programs of manifests.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::backend::process::{self, ProcessTool, Reports, Surroundings};
use crate::call::ToolName;
use crate::catalog::Catalog;
use crate::cli::args::Programs;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::harness::Root;
use crate::manifest::Effects;
use crate::run::{catalog_of, unix_seconds};
use crate::text::system_words;
use crate::tool::{Registry, ToolError};
use crate::tools::code::{self, CodeIndex};
use crate::tools::vault::{self, Vault, rfc3339};
use crate::tree::Tree;

/// Where notes go when nobody says where: under the current folder, and out of the way.
pub(super) const VAULT_DEFAULT: &str = ".helve/vault";

/// The folders that the tools work on.
#[derive(Clone, Debug)]
pub(super) struct Folders {
    pub root: PathBuf,
    pub vault: PathBuf,
    /// Manifests of programs, and folders of them.
    pub programs: Vec<PathBuf>,
}

impl Default for Folders {
    fn default() -> Self {
        Self { root: ".".into(), vault: VAULT_DEFAULT.into(), programs: Vec::new() }
    }
}

/// The tools on these folders. Nothing is read or written yet, but a folder that cannot be opened
/// is told of.
pub(super) fn registry(folders: &Folders) -> Result<Registry, Diagnostics> {
    registry_heard_by(folders, None)
}

/// The same, and somebody hears of the end of every program.
pub(super) fn registry_heard_by(
    folders: &Folders,
    reports: Option<Arc<dyn Reports>>,
) -> Result<Registry, Diagnostics> {
    let index = CodeIndex::open(&folders.root).map_err(|fault| root_fault(&folders.root, &fault))?;
    let vault = Vault::open(&folders.vault).map_err(|fault| vault_fault(&folders.vault, &fault))?;
    let vault = vault.dated_by(|| rfc3339(unix_seconds()));
    let mut registry = Registry::new();
    for tool in code::tools(index).into_iter().chain(vault::tools(Arc::new(vault))) {
        registry.add(tool).map_err(|fault| Diagnostic::new(Code::E0501, fault.to_string()))?;
    }
    for tool in programs(folders, reports)? {
        registry.add(tool.clone()).map_err(|fault| {
            let clash = Diagnostic::new(Code::E0606, fault.to_string());
            match tool.file() {
                Some(file) => clash.note(format!("the other one is the manifest `{file}`")),
                None => clash,
            }
        })?;
    }
    Ok(registry)
}

/// The programs start in the repository.
fn programs(
    folders: &Folders,
    reports: Option<Arc<dyn Reports>>,
) -> Result<Vec<Arc<ProcessTool>>, Diagnostics> {
    if folders.programs.is_empty() {
        return Ok(Vec::new());
    }
    let root = Root::open(&folders.root).map_err(|fault| root_fault(&folders.root, &fault))?;
    let surroundings = Surroundings::new(root);
    let surroundings = match reports {
        Some(reports) => surroundings.with_reports(reports),
        None => surroundings,
    };
    process::load(&folders.programs, &surroundings)
}

/// The program that is the tool of this name; `None` for a built-in tool.
pub(super) fn program(named: &Programs, tool: &ToolName) -> Result<Option<Arc<ProcessTool>>, Diagnostics> {
    let folders = Folders { programs: named.tools.clone(), ..Folders::default() };
    Ok(programs(&folders, None)?.into_iter().find(|it| it.spec().manifest.name == *tool))
}

/// The built-in nodes and a node for every tool, for commands that run nothing.
pub(super) fn catalog(programs: &Programs) -> Result<Catalog, Diagnostics> {
    catalog_of(&registry(&Folders { programs: programs.tools.clone(), ..Folders::default() })?)
}

/// Looks before the run whether the folders that the tree will need are there: a repository that
/// holds something, a vault that can be written.
pub(super) fn check_folders(tree: &Tree, folders: &Folders) -> Result<(), Diagnostics> {
    let uses = |category: &str, writes: bool| {
        tree.tools_named()
            .any(|tool| *tool.category == *category && (!writes || tool.effects == Effects::Writes))
    };
    if uses("code", false) {
        check_root(&folders.root)?;
    }
    if uses("vault", true) {
        let vault = Vault::open(&folders.vault).and_then(|vault| vault.check_writable());
        vault.map_err(|fault| vault_fault(&folders.vault, &fault))?;
    }
    Ok(())
}

fn check_root(root: &Path) -> Result<(), Diagnostics> {
    let mut entries = std::fs::read_dir(root).map_err(|fault| root_fault(root, &fault))?;
    if entries.next().is_some() {
        return Ok(());
    }
    Err(Diagnostic::new(Code::E0404, format!("the repository `{}` is empty", root.display()))
        .note("the code tools of this tree would find nothing")
        .help("Name a folder with sources: `--root DIR`.")
        .into())
}

fn root_fault(root: &Path, fault: &dyn Error) -> Diagnostic {
    Diagnostic::new(Code::E0404, format!("the repository `{}` cannot be read", root.display()))
        .note(match fault.source().and_then(|cause| cause.downcast_ref()) {
            Some(cause) => system_words(cause),
            None => fault.to_string(),
        })
        .help("Name a folder with sources: `--root DIR`.")
}

fn vault_fault(vault: &Path, fault: &ToolError) -> Diagnostic {
    Diagnostic::new(Code::E0405, format!("the vault `{}` cannot be written", vault.display()))
        .note(fault.message())
        .help(fault.suggestion().unwrap_or("Name a folder that you may write to: `--vault DIR`."))
}
