//! What nodes there are: names, ports, numbers of children, documentation.
//!
//! One manifest serves the checks, the compiler, the help pages and the editor's palette.

mod enums;
mod kind;
mod leaf;
mod manifest;
mod tool_node;

pub use kind::Kind;
pub use leaf::{Leaf, LeafContext, LeafError, LeafState};
pub use manifest::{Catalog, CatalogError, Children, Class, Direction, NodeManifest, PortManifest, Role};
pub use tool_node::{ToolNode, tool_manifest, xml_name};
