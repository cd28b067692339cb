//! A small validator, independent of what writes the schema.

mod schema;

pub use schema::Schema;
