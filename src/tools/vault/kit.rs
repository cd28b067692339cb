//! The tools over one vault.

use std::sync::Arc;

use crate::tool::{Tool, Typed};
use crate::tools::vault::{Vault, VaultList, VaultRead, VaultSearch, VaultWrite};

/// Every vault tool, over `vault`.
pub fn tools(vault: Arc<Vault>) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(Typed::new(VaultRead::new(vault.clone()))),
        Arc::new(Typed::new(VaultWrite::new(vault.clone()))),
        Arc::new(Typed::new(VaultList::new(vault.clone()))),
        Arc::new(Typed::new(VaultSearch::new(vault))),
    ]
}
