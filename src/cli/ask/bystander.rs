//! Who answers where nobody is asked.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;

use crate::exec::{Approval, Approver, DecidedBy, WriteRequest};
use crate::harness::real_path;

/// Says yes to what stays in a folder of Helve's own, unless a rule wants somebody to be asked, and
/// hands everything else on.
pub(in crate::cli) struct OwnFolder {
    pub folder: PathBuf,
    pub otherwise: Arc<dyn Approver>,
}

#[async_trait]
impl Approver for OwnFolder {
    async fn approve(&self, request: &WriteRequest) -> Approval {
        let files = request.changes.as_deref().unwrap_or_default();
        let is_default = matches!(request.asked_by, DecidedBy::Default(_));
        let inside = |file: PathBuf| real_path(&file).starts_with(&self.folder);
        if is_default && !files.is_empty() && files.iter().all(|change| inside(change.file())) {
            return Approval::Yes { by: "helve, in whose own folder it stays".into() };
        }
        self.otherwise.approve(request).await
    }
}

/// Nobody can be asked.
pub(in crate::cli) struct NobodyThere;

#[async_trait]
impl Approver for NobodyThere {
    async fn approve(&self, _: &WriteRequest) -> Approval {
        // What helps comes first: a summary cuts what is long.
        let details = "`--yes` or `--policy FILE` has to allow it, for there is no terminal at which to ask";
        let hint = Some("run it at a terminal, or with `--yes` or `--policy FILE`".to_owned());
        Approval::No { by: "helve".into(), details: details.to_owned(), hint }
    }
}
