//! Hostile texts: nothing that a user can write makes the program panic or run without bound, and
//! every fault has its place. `HELVE_FUZZ=200000 cargo test --release --test fuzz` tries that many of
//! each; the loops of the XML reader, the expressions, the canonical form, recordings and tool
//! manifests stand with their tests and read the same variable.
//!
//! Ran without a fault: 50,000 of each, 200,000 in all, in 70 s of an unoptimised build.

#![expect(clippy::unwrap_used, reason = "what cannot be set up has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use helve::catalog::Catalog;
use helve::conformance::{self, Case, Directives, Log, Trace};
use helve::engine::Engine;
use helve::moment::Moment;
use helve::tree::{CompileOptions, draw, load_with_warnings};
use helve::xml::source_from_bytes;
use proptest::prelude::*;

#[path = "rig/faults.rs"]
mod faults;
#[path = "rig/fuzz.rs"]
mod fuzz;
#[path = "rig/mutate.rs"]
mod mutate;

use mutate::mutated;

/// Texts when nobody asks for more.
const CASES: u32 = 256;
/// Larger files only make it slower.
const FILE_BYTES_MAX: usize = 8_000;
/// Ticks of a broken tree that still loads.
const TICKS: usize = 3;

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<_> = (fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == ending))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no {ending}");
    files
}

fn texts(folders: &[&str], ending: &str) -> Vec<Vec<u8>> {
    let files = folders.iter().flat_map(|folder| files(folder, ending));
    files.map(|path| fs::read(path).unwrap()).filter(|bytes| bytes.len() < FILE_BYTES_MAX).collect()
}

/// Every tree of the tests and of the examples.
fn trees() -> Vec<Vec<u8>> {
    let data = ["tree/ok", "tree/err", "xml/ok", "fmt", "convert", "conformance/cases"];
    let folders: Vec<_> = data.iter().map(|it| format!("tests/data/{it}")).collect();
    let mut folders: Vec<_> = folders.iter().map(String::as_str).collect();
    folders.extend(["trees", "trees/lessons"]);
    texts(&folders, "xml")
}

/// What trees are made of, and what does not belong there.
fn tree_piece() -> impl Strategy<Value = Vec<u8>> + Clone {
    let name = prop::sample::select(catalog().iter().map(|it| it.name.to_string()).collect::<Vec<_>>());
    let known = [
        " ID=\"B\"",
        " name=\"x\"",
        " _skipIf=\"a == 1\"",
        " _while=\"\"",
        " _onHalted=\"k := \"",
        " _post=\"k := 'x'; k += 1\"",
        " _autoremap=\"true\"",
        " code=\"a ? b : 2\"",
        "{k}",
        "{=}",
        "{@k}",
        "{ k }",
        "{}",
        "-1",
        "0",
        "99999999999999999999",
        "2.5e308",
        "true",
        "\"",
        "<",
        "/>",
        ">",
        "</Sequence>",
        "<Sequence>",
        "<SubTree ID=\"A\"/>",
        "<BehaviorTree ID=\"A\">",
        "</BehaviorTree>",
        "<include path=\"a\"/>",
        "<TreeNodesModel>",
        " main_tree_to_execute=\"A\"",
        "BTCPP_format=\"4\"",
        "é",
        "成",
        "&#0;",
        "&lt;",
        "\u{FEFF}",
        "((((",
        "!",
        " msec=\"1e9\"",
        " if=\"true\"",
        " entry=\"{k}\"",
        " variable=\"{v}\" case_1=\"1\"",
    ];
    prop_oneof![
        3 => prop::sample::select(known.to_vec()).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => name.clone().prop_map(String::into_bytes),
        1 => name.prop_map(|name| format!("<{name}/>").into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ]
    .boxed()
}

/// The dialect with all nodes and the leaves of the cases.
fn catalog() -> &'static Catalog {
    static CATALOG: LazyLock<Catalog> = LazyLock::new(|| conformance::catalog(&Log::default()).unwrap());
    &CATALOG
}

fn try_tree(bytes: Vec<u8>) {
    let source = match source_from_bytes("fuzz.xml", bytes) {
        Ok(source) => source,
        Err(fault) => return faults::hold(&fault.into()),
    };
    let (tree, found) = load_with_warnings(&source, catalog(), &CompileOptions::default());
    faults::hold(&found);
    assert!(tree.is_some() || found.has_errors(), "no tree and no reason: {}", source.text());
    let Some(tree) = tree else { return };
    assert_eq!(draw(&tree, |_| Default::default()).lines.len(), tree.len());
    let mut engine = Engine::new(tree);
    for tick in 0..TICKS {
        if engine.tick(Moment::from_millis(tick as u64 * 50)).is_none() {
            break;
        }
    }
}

/// What directives and traces are made of.
fn case_piece() -> impl Strategy<Value = Vec<u8>> + Clone {
    let known = [
        "<!-- oracle\n",
        "-->",
        "\nruns 2\n",
        "\nmax_ticks 99999999999\n",
        "\nmax_ticks 7\n",
        "\ntick once\n",
        "\nsleep_ms 18446744073709551615\n",
        "\nsleep 1 18446744073709551615\n",
        "\nhalt 1\n",
        "\nset 1 k int 2\n",
        "\nset 2 k string\n",
        "\nunset 1 k\n",
        "\ninit k double nan\n",
        "\nimport 1 {\"a\":[1]}\n",
        "\nimport 1 {\n",
        "\nenum RED 1\n",
        "\nenum RED RED\n",
        "\nrules {}\n",
        "{\"tick\":1}",
        "\n",
        " ",
        "é",
        "init",
        "0",
        "-1",
        "uint64 ",
    ];
    prop_oneof![
        4 => prop::sample::select(known.to_vec()).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ]
    .boxed()
}

/// A case that reads runs for a few ticks, on a clock of its own.
fn try_case(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(directives) = Directives::read(&text) else { return };
    let mut case = Case::read("1-fuzz", text.into_owned(), "").unwrap();
    case.directives.max_ticks = directives.max_ticks.min(TICKS as u64);
    // A loop without end is bounded too, by 100,000 visits: too many to try so often.
    case.directives.tick_while_awake = false;
    // A broken name of an enum value is refused before anything runs.
    if let Err(fault) = conformance::run(&case) {
        assert!(!fault.to_string().is_empty());
    }
}

proptest! {
    #![proptest_config(fuzz::config(CASES))]

    #[test]
    fn no_broken_tree_crashes_the_loader_or_the_engine(bytes in mutated(trees(), tree_piece())) {
        try_tree(bytes);
    }

    #[test]
    fn no_row_of_pieces_crashes_the_loader(pieces in prop::collection::vec(tree_piece(), 0..30)) {
        let inside = pieces.concat();
        try_tree([&b"<root BTCPP_format=\"4\"><BehaviorTree ID=\"A\"><Sequence>"[..], &inside].concat());
        try_tree(inside);
    }

    #[test]
    fn no_broken_case_crashes_the_rig(bytes in mutated(texts(&["tests/data/conformance/cases"], "xml"), case_piece())) {
        try_case(&bytes);
    }

    #[test]
    fn no_broken_trace_crashes_its_reader(bytes in mutated(texts(&["tests/data/conformance/cases"], "jsonl"), case_piece())) {
        let text = String::from_utf8_lossy(&bytes);
        if let Err(why) = Trace::read(&text) {
            prop_assert!(!why.is_empty());
        }
    }
}
