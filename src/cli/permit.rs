//! What the calls of a run may do, put together from the command line.

use std::path::Path;
use std::sync::Arc;

use crate::cli::args::PermissionArgs;
use crate::cli::ask::{NobodyThere, OwnFolder, Person, Tty, is_there};
use crate::cli::out::Out;
use crate::cli::stage::Stage;
use crate::cli::toolbox::VAULT_DEFAULT;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::exec::checkpoint::FolderCheckpoints;
use crate::exec::policy::Policy;
use crate::exec::{Approver, Collaborators, SaysYes};
use crate::limits::POLICY_BYTES_MAX;
use crate::run::unix_seconds;
use crate::text::{Source, system_words};
use crate::tool::Registry;
use crate::tools::vault::rfc3339;

/// Where files are kept before they are written.
const CHECKPOINTS: &str = ".helve/checkpoints";

/// The folder of checkpoints, below the current folder.
pub(super) fn checkpoints() -> FolderCheckpoints {
    FolderCheckpoints::new(CHECKPOINTS).dated_by(|| rfc3339(unix_seconds()))
}

/// Who an executor works with, so that a run does nothing that nobody has allowed.
pub(super) fn collaborators(
    args: &PermissionArgs,
    registry: &Registry,
    stage: &Stage,
    out: &mut Out,
) -> Result<Collaborators, Diagnostics> {
    let mut policy = match &args.policy {
        Some(path) => Policy::read(&source(path)?)?,
        None => Policy::default(),
    };
    let folder = std::env::current_dir().and_then(|here| here.canonicalize());
    if let Ok(here) = &folder {
        policy = policy.from_folder(here);
    }
    out.faults(&policy.doubts(registry.manifests()));
    let otherwise: Arc<dyn Approver> = match tty(args) {
        _ if args.yes => Arc::new(SaysYes { by: "`--yes`".into() }),
        Some(tty) => Arc::new(Person::new(tty, stage.clone(), out.colour_of_faults())),
        None => Arc::new(NobodyThere),
    };
    let approver = match &folder {
        Ok(here) => Arc::new(OwnFolder { folder: here.join(VAULT_DEFAULT), otherwise }),
        Err(_) => otherwise,
    };
    let checkpoints = Arc::new(checkpoints());
    Ok(Collaborators { permissions: Arc::new(policy), approver, checkpoints, ..Collaborators::default() })
}

/// The terminal, where there is one and it is needed. One that cannot be opened is none.
fn tty(args: &PermissionArgs) -> Option<Tty> {
    if args.yes || !is_there() {
        return None;
    }
    Tty::open().ok()
}

fn source(path: &Path) -> Result<Arc<Source>, Diagnostic> {
    let unreadable = |why: String| {
        Diagnostic::new(Code::E0001, format!("the policy `{}` cannot be read", path.display()))
            .note(why)
            .help("Check the path; it is looked up from the current folder.")
    };
    let size = std::fs::metadata(path).map_err(|fault| unreadable(system_words(&fault)))?.len();
    if size > POLICY_BYTES_MAX as u64 {
        return Err(unreadable(format!("it has {size} bytes, and at most {POLICY_BYTES_MAX} are read")));
    }
    let text = std::fs::read_to_string(path).map_err(|fault| unreadable(system_words(&fault)))?;
    Ok(Source::new(path.display().to_string(), text))
}
