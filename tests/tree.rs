//! From text to a compiled tree: every fault of a file with its place, and what good files become.
//!
//! A case is a pair of files under `tests/data/tree`: `err/NNNN_slug.{xml,txt}` holds all
//! diagnostics, `ok/NNNN_slug.{xml,txt}` the drawn tree and its keys. `HELVE_UPDATE=1` writes them anew.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use helve::catalog::{Catalog, tool_manifest};
use helve::diag::{Code, Diagnostics};
use helve::manifest::ToolManifest;
use helve::node;
use helve::text::Source;
use helve::tree::{self, CompileOptions, Mark, Tree};
use serde_json::json;

fn folder(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tree").join(kind)
}

/// The dialect and two tools.
fn catalog() -> Catalog {
    let search = ToolManifest::new(
        "search",
        "Searches.",
        json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "what to look for"},
                "limit": {"type": "integer"},
                "deep": {"type": "boolean"},
            },
            "required": ["query"],
        }),
    )
    .output_schema(
        json!({"type": "object", "properties": {"hits": {"type": "array"}, "total": {"type": "integer"}}}),
    );
    let read = ToolManifest::new(
        "read",
        "Reads.",
        json!({
            "type": "object",
            "properties": {"path": {"type": "string"}, "user_id": {"type": "string"}},
            "required": ["path"],
        }),
    )
    .output_schema(json!({"type": "object", "properties": {"content": {"type": "string"}}}))
    .reads(&["path", "user_id"])
    .writes("content", "note_content");
    let mut catalog = node::catalog();
    for manifest in [search, read] {
        catalog.add(tool_manifest(Arc::new(manifest)).expect("a good manifest")).expect("a new name");
    }
    catalog
}

fn load(path: &Path) -> (Option<Arc<Tree>>, Diagnostics) {
    let text = fs::read_to_string(path).expect("a case can be read");
    let name = path.file_name().expect("a case is a file").to_string_lossy();
    // Expansion is bounded low, so that the case that reaches the bound is quick.
    let options = CompileOptions { nodes_max: 20_000, ..CompileOptions::default() };
    tree::load_with_warnings(&Source::new(&*name, text), &catalog(), &options)
}

fn cases(kind: &str) -> Vec<PathBuf> {
    let files =
        fs::read_dir(folder(kind)).expect("the folder of cases").map(|entry| entry.expect("an entry").path());
    let mut cases: Vec<_> = files.filter(|path| path.extension().is_some_and(|it| it == "xml")).collect();
    cases.sort();
    assert!(!cases.is_empty());
    cases
}

#[track_caller]
fn check(case: &Path, got: &str) {
    let golden = case.with_extension("txt");
    if std::env::var_os("HELVE_UPDATE").is_some() {
        fs::write(&golden, got).expect("a golden file can be written");
    }
    let expected = fs::read_to_string(&golden).unwrap_or_default();
    assert!(got == expected, "{}:\n--- expected\n{expected}\n--- got\n{got}", case.display());
}

#[test]
fn a_broken_file_gives_all_its_diagnostics() {
    for case in cases("err") {
        let (tree, diagnostics) = load(&case);
        assert_eq!(tree.is_some(), !diagnostics.has_errors(), "{}", case.display());
        assert!(!diagnostics.is_empty(), "{}", case.display());
        check(&case, &format!("{}\n", diagnostics.render(false)));
    }
}

#[test]
fn every_fault_has_a_place_and_a_next_step() {
    for case in cases("err") {
        for diagnostic in &load(&case).1 {
            assert!(diagnostic.primary.is_some(), "{}: {diagnostic}", case.display());
            assert!(diagnostic.help.is_some(), "{}: {diagnostic}", case.display());
        }
    }
}

/// The codes of trees of several files, whose cases are those of `tests/include.rs`.
const OF_SEVERAL_FILES: [Code; 3] = [Code::E0129, Code::E0130, Code::E0131];

#[test]
fn every_code_of_trees_has_a_case() {
    let seen: BTreeSet<Code> = cases("err")
        .iter()
        .flat_map(|case| load(case).1.iter().map(|it| it.code).collect::<Vec<_>>())
        .collect();
    let missing: Vec<_> = (Code::ALL.iter())
        .filter(|code| code.id().starts_with("E01") || code.id().starts_with("W01"))
        .filter(|code| !seen.contains(code) && !OF_SEVERAL_FILES.contains(code))
        .collect();
    assert!(missing.is_empty(), "no case under tests/data/tree/err for {missing:?}");
}

#[test]
fn a_good_file_becomes_a_tree() {
    for case in cases("ok") {
        let (tree, diagnostics) = load(&case);
        assert!(diagnostics.is_empty(), "{}: {diagnostics}", case.display());
        check(&case, &describe(&tree.expect("no fault, so a tree")));
    }
}

/// The drawing, then the keys: scope, name, type, initial value, whether something must give them.
fn describe(tree: &Tree) -> String {
    let mut text = tree::draw(tree, |_| (Mark::None, None)).to_string();
    text.push('\n');
    let layout = tree.layout();
    for (id, slot) in layout.slots() {
        let scope =
            layout.scope(slot.scope).node.map_or_else(String::new, |node| format!("{}/", tree.path(node)));
        let _ = write!(text, "{scope}{}: {}", slot.key, slot.ty);
        if let Some(initial) = &slot.initial {
            let _ = write!(text, " = {initial:?}");
        }
        if let Some(unfed) = layout.unfed().find(|unfed| unfed.slot == id) {
            let port = &tree.manifest(unfed.node).ports[unfed.port as usize].name;
            let _ = write!(text, ", needed by `{port}` of {}", tree.path(unfed.node));
        }
        text.push('\n');
    }
    text
}

#[test]
fn both_spellings_are_one_node() {
    let (tree, _) = load(&folder("ok").join("0001_both_spellings.xml"));
    let tree = tree.expect("a good file");
    let leaves: Vec<_> = tree.ids().skip(1).take(3).collect();
    for &leaf in &leaves[1..] {
        assert_eq!(tree.node(leaf).kind, tree.node(leaves[0]).kind);
        assert_eq!(tree.manifest(leaf).name, tree.manifest(leaves[0]).name);
        for port in 0..tree.manifest(leaf).ports.len() {
            let text = |node| format!("{:?}", tree.binding(node, port)).replace(char::is_numeric, "_");
            assert_eq!(text(leaf), text(leaves[0]), "port {port}");
        }
    }
}
