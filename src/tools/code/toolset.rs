//! The code tools together.

use std::sync::Arc;

use crate::tool::{Tool, Typed};
use crate::tools::code::definition::FindDefinition;
use crate::tools::code::index::CodeIndex;
use crate::tools::code::references::FindReferences;
use crate::tools::code::repo_map::GetRepoMap;
use crate::tools::code::search::SearchCode;

/// The four code tools on one repository.
pub fn tools(index: Arc<CodeIndex>) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(Typed::new(SearchCode::new(Arc::clone(&index)))),
        Arc::new(Typed::new(FindDefinition::new(Arc::clone(&index)))),
        Arc::new(Typed::new(FindReferences::new(Arc::clone(&index)))),
        Arc::new(Typed::new(GetRepoMap::new(index))),
    ]
}
