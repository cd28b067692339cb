//! Results against the schema that a manifest gives.

use jsonschema::Validator;
use serde_json::Value as Json;

use crate::exec::schema::SchemaFault;
use crate::limits::RESULT_FAULTS_MAX;

/// A compiled schema of results.
pub struct ResultSchema(Validator);

impl ResultSchema {
    /// Compiles a schema. Nothing is fetched: a reference leads into the schema itself.
    ///
    /// # Errors
    /// Why it is none.
    pub fn new(schema: &Json) -> Result<Self, SchemaFault> {
        jsonschema::options().build(schema).map(Self).map_err(|error| SchemaFault::of(&error))
    }

    /// Whether a result fits.
    ///
    /// # Errors
    /// A sentence that names each fault with its path.
    pub fn check(&self, result: &Json) -> Result<(), String> {
        let mut faults = self.0.iter_errors(result).map(|error| {
            let path = error.instance_path().to_string();
            if path.is_empty() { error.to_string() } else { format!("at {path}: {error}") }
        });
        let named: Vec<_> = faults.by_ref().take(RESULT_FAULTS_MAX).collect();
        let more = faults.count();
        if named.is_empty() {
            return Ok(());
        }
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        Err(format!("the result does not fit its schema: {}{more}", named.join("; ")))
    }
}
