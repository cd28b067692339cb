//! From a document to a compiled tree: `Documents -> Resolved -> Tree`, each made only by the stage
//! before.
//!
//! - [`gather`] reads a text and the texts that it includes;
//! - `resolve` finds the trees of these documents, checks every element against the catalog and
//!   reads ports, scripts and pointers once per definition;
//! - `graph` knows which tree uses which, and finds circles;
//! - `compile` expands subtrees into one flat arena and turns keys into slots;
//! - `typing` settles the type of every key, and checks scripts with them;
//! - `draw` shows a tree as text or for Graphviz;
//! - [`export`] tells editors what nodes there are.
#![doc = include_str!("../docs/blackboard.md")]

mod arena;
mod check;
mod compile;
mod contradiction;
mod definition;
mod draw;
pub mod export;
mod graph;
mod handler;
pub mod include;
mod items;
mod lanes;
mod layout;
mod load;
mod model;
mod names;
mod port_text;
mod readers;
mod reserved;
mod resolve;
mod script;
mod substitution;
mod subtree_use;
mod template;
mod threshold;
mod tool_leaf;
mod traits;
mod typing;

pub use arena::{Binding, GuardKind, Guards, LeafKind, Node, NodeInfo, ToolLeaf, Tree, TreeInput};
pub use compile::{CompileOptions, compile};
pub use draw::{Drawing, Line, Mark, dot, draw};
pub use include::{Documents, IncludeLimits, Includes, MemoryLoader, SourceFile, Sources, gather};
pub(crate) use lanes::{FOR_EACH_PORTS, Lane};
pub use layout::{Layout, ScopeInfo, SlotInfo, Unfed};
pub use load::{load, load_from, load_with_includes, load_with_warnings};
pub(crate) use readers::{Reader, Readers};
pub use resolve::{Resolved, resolve};
pub use script::{Script, ScriptName};
pub use substitution::{Substituted, Substitutions, TestNode};
pub use template::{Part, Piece, Template};
pub use traits::Traits;
