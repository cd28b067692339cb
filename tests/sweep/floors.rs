//! Which folder is on which floor, and what a floor must not name.

/// The folders and words of `src/`, from the bottom up.
const FLOORS: [(&str, &[&str]); 7] = [
    (
        "words",
        &[
            "call",
            "convert",
            "diag",
            "event",
            "id",
            "json_path",
            "json_place",
            "limits",
            "loader",
            "manifest",
            "moment",
            "outcome",
            "status",
            "text",
            "value",
        ],
    ),
    ("text", &["expr", "xml"]),
    ("tree", &["catalog", "migrate", "tree"]),
    ("engine", &["board", "engine", "node"]),
    ("tools", &["backend", "exec", "harness", "tool", "tools"]),
    ("run", &["journal", "run", "service"]),
    ("people", &["cli", "conformance", "debug", "explain"]),
];

/// The floor of the engine: below it and on it the world is absent.
pub const ENGINE: usize = 3;
/// The floor of the tools.
pub const TOOLS: usize = 4;

/// The floor of a module at the root of the crate.
pub fn floor_of(module: &str) -> Option<usize> {
    FLOORS.iter().position(|(_, modules)| modules.contains(&module))
}

/// The name of a floor.
pub fn name(floor: usize) -> &'static str {
    FLOORS[floor].0
}

/// The module at the root of the crate that a file belongs to; `None` for `lib.rs` and `main.rs`,
/// which stand above all floors, and for files outside of `src/`.
pub fn module_of(path: &str) -> Option<&str> {
    let inside = path.strip_prefix("src/")?;
    let module = inside.split('/').next()?.trim_end_matches(".rs");
    (!matches!(module, "lib" | "main")).then_some(module)
}
