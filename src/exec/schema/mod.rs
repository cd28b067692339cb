//! Arguments and results against a JSON Schema. Of arguments, what does not fit is made to fit where nothing is lost by it,
//! and otherwise named, with its place and what was wanted.

mod compiled;
mod convert;
mod fault;
mod fit;
mod result_schema;
mod shape;
mod view;

pub use compiled::{ArgumentSchema, Fitted, SchemaFault};
pub use fault::ArgumentFault;
pub use result_schema::ResultSchema;
