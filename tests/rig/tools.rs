//! The catalog of the rig: the dialect, a few tools of which only the manifests exist, the leaves of
//! the conformance cases, and two enum names.

use std::sync::Arc;

use helve::catalog::{Catalog, tool_manifest};
use helve::manifest::ToolManifest;
use helve::text::Source;
use helve::tree::{self, CompileOptions, Tree};
use serde_json::json;

use helve::conformance::{self, Log};

fn tools() -> [ToolManifest; 3] {
    let object = |properties, required: &[&str]| json!({"type": "object", "properties": properties, "required": required});
    [
        ToolManifest::new(
            "search",
            "Searches.",
            object(json!({"query": {"type": "string"}, "limit": {"type": "integer"}}), &["query"]),
        )
        .output_schema(object(json!({"hits": {"type": "array"}, "total": {"type": "integer"}}), &[]))
        .success("size(result.hits) > 0"),
        ToolManifest::new(
            "read",
            "Reads.",
            object(json!({"path": {"type": "string"}, "user": {"type": "string"}}), &["path"]),
        )
        .output_schema(object(json!({"content": {"type": "string"}}), &[]))
        .reads(&["path", "user"])
        .writes("content", "note"),
        ToolManifest::new("ping", "Answers.", object(json!({}), &[])),
    ]
}

fn catalog(log: &Log) -> Catalog {
    let mut catalog = conformance::catalog(log).expect("the names are new");
    for manifest in tools() {
        catalog.add(tool_manifest(Arc::new(manifest)).expect("a good manifest")).expect("a new name");
    }
    catalog.define_enum("LOW", 1).and_then(|it| it.define_enum("HIGH", 3)).expect("new names");
    catalog
}

/// Loads a tree: a whole file, or what stands inside a `BehaviorTree`.
pub fn load(xml: &str) -> Result<Arc<Tree>, String> {
    let xml = match xml.contains("<root") {
        true => xml.to_owned(),
        false => format!(r#"<root BTCPP_format="4"><BehaviorTree>{xml}</BehaviorTree></root>"#),
    };
    let catalog = catalog(&Log::default());
    tree::load(&Source::new("case", xml), &catalog, &CompileOptions::default())
        .map_err(|faults| faults.to_string())
}
