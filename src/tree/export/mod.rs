//! The catalog for other programs: a `TreeNodesModel` for the editors of the dialect, an XML Schema
//! for editors of XML.
//!
//! Both are written from the manifests alone, so a node that is added is in both.

mod markup;
mod model;
mod port_type;
mod schema;

pub use model::nodes_model;
pub use schema::schema;
