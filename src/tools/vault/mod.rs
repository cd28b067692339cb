//! A vault: a folder of markdown notes with YAML front matter, and the tools that read, write,
//! list and search it.
//!
//! | tool | does | writes to the blackboard |
//! |---|---|---|
//! | `vault_read` | one note: body, metadata, whether it changed since it was last read | `note_content`, `note_metadata` |
//! | `vault_write` | writes a note whole, keeping front matter that it was not given | `write_status` |
//! | `vault_list` | what notes there are | `vault_notes_list` |
//! | `vault_search` | full text, ranked, with snippets | `vault_search_results` |
//!
//! A `project_id` names a folder directly inside the vault, and paths are then relative to that
//! folder and cannot leave it. Without one (or with an empty one) the project is the vault itself,
//! project folders included. A `user_id` does not choose a folder; it tells apart who has read what.

mod date;
mod front_matter;
mod index;
mod kit;
mod list;
mod note;
mod note_path;
mod query;
mod read;
mod reads;
mod search;
mod service;
mod write;

pub use date::rfc3339;
pub use kit::tools;
pub use list::{ListArguments, ListOutput, ListedNote, VaultList};
pub use note::Metadata;
pub use note_path::NotePath;
pub use read::{ReadArguments, ReadOutput, Stale, VaultRead};
pub use search::{Hit, SearchArguments, SearchOutput, VaultSearch};
pub use service::Vault;
pub use write::{VaultWrite, WriteArguments, WriteOutput};
