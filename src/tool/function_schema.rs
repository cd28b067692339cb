//! Tools as function-calling models are told of them.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use crate::manifest::ToolManifest;
use crate::tool::Registry;

/// One tool in function-calling form, with the category and the agents of its manifest.
pub fn function_schema(manifest: &ToolManifest) -> Json {
    let mut parameters = manifest.input_schema.clone();
    if let Some(parameters) = parameters.as_object_mut() {
        // Names of the schema itself, which some services refuse and none needs.
        parameters.remove("$schema");
        parameters.remove("title");
        parameters.entry("type").or_insert_with(|| "object".into());
        parameters.entry("properties").or_insert_with(|| json!({}));
    }
    let agents: Vec<&str> = manifest.agent_scope.iter().map(Arc::as_ref).collect();
    json!({
        "type": "function",
        "function": {
            "name": manifest.name,
            "description": &*manifest.description,
            "parameters": parameters,
        },
        "category": &*manifest.category,
        "agent_scope": agents,
    })
}

impl Registry {
    /// The tools that may be offered to `agent`, or all for `None`, in function-calling form.
    pub fn function_schemas(&self, agent: Option<&str>) -> Vec<Json> {
        (self.manifests())
            .filter(|manifest| agent.is_none_or(|agent| is_offered(manifest, agent)))
            .map(|manifest| function_schema(manifest))
            .collect()
    }
}

fn is_offered(manifest: &ToolManifest, agent: &str) -> bool {
    manifest.agent_scope.is_empty() || manifest.agent_scope.iter().any(|name| &**name == agent)
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::tool::{CallContext, ToolError, TypedTool};

    #[derive(Deserialize, JsonSchema)]
    struct Ask {
        /// What to look for.
        query: String,
        /// How many.
        limit: Option<u32>,
    }

    #[derive(Serialize, JsonSchema)]
    struct Answer {
        found: bool,
    }

    struct Finder(&'static [&'static str]);

    impl TypedTool for Finder {
        type Arguments = Ask;
        type Output = Answer;

        fn describe(&self) -> ToolManifest {
            let name = if self.0.is_empty() { "find" } else { "find_as_scout" };
            Self::manifest(name, "Finds things.").category("code").agent_scope(self.0)
        }

        async fn call(&self, ask: Ask, _: &CallContext) -> Result<Answer, ToolError> {
            Ok(Answer { found: ask.limit.is_some() && ask.query == "it" })
        }
    }

    fn registry() -> Registry {
        let mut registry = Registry::new();
        registry.add_typed(Finder(&[])).unwrap().add_typed(Finder(&["scout"])).unwrap();
        registry
    }

    #[test]
    fn a_typed_tool_is_exported_with_its_fields_category_and_scope() {
        let found = registry().function_schemas(Some("scout"));
        let expected = json!({
            "type": "function",
            "function": {
                "name": "find_as_scout",
                "description": "Finds things.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "query": {"type": "string", "description": "What to look for."},
                        "limit": {
                            "type": ["integer", "null"], "format": "uint32", "minimum": 0,
                            "description": "How many.",
                        },
                    },
                    "required": ["query"],
                },
            },
            "category": "code",
            "agent_scope": ["scout"],
        });
        assert_eq!(found[1], expected);
    }

    #[test]
    fn an_agent_is_offered_its_own_tools_and_everybodys() {
        let names = |agent| {
            let schemas = registry().function_schemas(agent);
            schemas.iter().map(|schema| schema["function"]["name"].to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names(Some("scout")), [r#""find""#, r#""find_as_scout""#]);
        assert_eq!(names(Some("writer")), [r#""find""#]);
        assert_eq!(names(None).len(), 2);
    }

    #[test]
    fn a_schema_that_says_nothing_is_still_an_object_of_properties() {
        let schema = function_schema(&ToolManifest::new("ping", "Pings.", json!({})));
        assert_eq!(schema["function"]["parameters"], json!({"type": "object", "properties": {}}));
    }
}
