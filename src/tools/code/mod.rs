//! The code tools: `search_code`, `find_definition`, `find_references` and `get_repo_map`, on any
//! repository.
//!
//! | tool | how it answers |
//! |---|---|
//! | `search_code` | text search over every file; files that matter are parsed to rank definitions first |
//! | `find_definition` | files that hold the symbol as a word are parsed, their definitions ranked |
//! | `find_references` | the same files; identifier nodes, so never a comment or a string |
//! | `get_repo_map` | every file is parsed; a rank over the graph of who names whose definitions |
//!
//! All four share one [`CodeIndex`]: a root, and a bounded cache of parsed files. There is no
//! index to build or to go stale: each call lists the files anew, and a file whose time or length
//! changed is parsed again. Nothing outside the root is read and no symbolic link is followed.

mod budget;
mod cache;
mod container;
mod definition;
mod doc;
mod extract;
mod grammar;
mod graph;
mod index;
mod kind;
mod language;
mod line;
mod listing;
mod map_text;
mod matcher;
mod pool;
mod rank;
mod references;
mod repo_map;
mod scope;
mod search;
mod symbol;
mod tags;
mod toolset;

pub use definition::{Candidate, DefinitionArguments, DefinitionOutput, FindDefinition};
pub use index::{CodeIndex, OpenError};
pub use listing::Skipped;
pub use references::{FileCount, FindReferences, Reference, ReferencesArguments, ReferencesOutput};
pub use repo_map::{GetRepoMap, MapArguments, MapOutput};
pub use search::{SearchArguments, SearchCode, SearchHit, SearchOutput};
pub use toolset::tools;
