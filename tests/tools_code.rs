//! The code tools, called as the executor calls them: JSON in, JSON out.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use helve::call::{Arguments, Call};
use helve::harness::Lease;
use helve::id::CallId;
use helve::manifest::Effects;
use helve::moment::{Clock, Moment};
use helve::outcome::ErrorCategory;
use helve::tool::{CallContext, Notice, Notices, Tool, ToolError};
use helve::tools::code::{self, CodeIndex};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

#[path = "rig/fuzz.rs"]
mod fuzz;

/// A clock that stands still, or goes on by a step whenever somebody looks.
#[derive(Default)]
struct Steps {
    now: AtomicU64,
    step: u64,
}

impl Clock for Steps {
    fn now(&self) -> Moment {
        Moment::from_nanos(self.now.fetch_add(self.step, Ordering::Relaxed))
    }
}

fn context(tool: &str, clock: Steps) -> CallContext {
    let call = Call::new(
        serde_json::from_value::<CallId>(json!(1)).expect("a call id is a number"),
        tool,
        Arguments::new(),
    );
    let deadline = Moment::ZERO + Duration::from_secs(30);
    CallContext::new(Arc::new(call), Lease::new(), deadline, Arc::new(clock))
}

fn tool(index: &Arc<CodeIndex>, name: &str) -> Arc<dyn Tool> {
    let tools = code::tools(Arc::clone(index));
    tools.into_iter().find(|tool| tool.manifest().name.as_str() == name).expect("the tool is there")
}

fn run(index: &Arc<CodeIndex>, name: &str, arguments: Json, cx: &CallContext) -> Result<Json, ToolError> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime starts");
    let arguments = arguments.as_object().expect("arguments are an object").clone();
    runtime.block_on(tool(index, name).call(&arguments, cx))
}

fn try_call(index: &Arc<CodeIndex>, name: &str, arguments: Json) -> Result<Json, ToolError> {
    run(index, name, arguments, &context(name, Steps::default()))
}

fn call(index: &Arc<CodeIndex>, name: &str, arguments: Json) -> Json {
    try_call(index, name, arguments).expect("the call succeeds")
}

fn data(repository: &str) -> Arc<CodeIndex> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/code").join(repository);
    CodeIndex::open(&root).expect("the fixture is there")
}

/// A repository of its own, with these files.
fn repository(files: &[(&str, &str)]) -> (tempfile::TempDir, Arc<CodeIndex>) {
    let root = tempfile::tempdir().expect("a folder for the test");
    files.iter().for_each(|(path, text)| write(root.path(), path, text));
    let index = CodeIndex::open(root.path()).expect("it can be opened");
    (root, index)
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("it has a folder")).expect("folders are made");
    fs::write(path, text).expect("the file is written");
}

/// `path:line` of a result.
fn place(json: &Json) -> String {
    let text = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
    if json["line"].is_null() { "nowhere".to_owned() } else { format!("{}:{}", text("path"), json["line"]) }
}

fn places(list: &Json) -> Vec<String> {
    let kind = |each: &Json| each["kind"].as_str().map(|kind| format!(" {kind}")).unwrap_or_default();
    let list = list.as_array().expect("a list");
    list.iter().map(|each| format!("{}{}", place(each), kind(each))).collect()
}

#[test]
fn definitions_are_found() {
    // repository, symbol, place, kind
    for (repository, symbol, expected, kind) in [
        ("rust", "Ring", "src/ring.rs:7", "struct"),
        ("rust", "Ring::new", "src/ring.rs:13", "method"),
        ("rust", "push", "src/ring.rs:17", "method"),
        ("rust", "fill", "src/lib.rs:29", "function"),
        ("rust", "RING_MAX", "src/lib.rs:8", "constant"),
        ("rust", "items!", "src/lib.rs:10", "macro"),
        ("rust", "Gauge", "src/lib.rs:17", "struct"),
        ("rust", "Gauge::read", "src/lib.rs:22", "method"),
        ("rust", "Order", "src/ring.rs:29", "enum"),
        ("rust", "Newest", "src/ring.rs:31", "variant"),
        ("rust", "Drain", "src/ring.rs:34", "trait"),
        ("rust", "is_empty", "tests/ring.rs:6", "function"),
        ("python", "Cart", "shop/cart.py:8", "class"),
        ("python", "Cart.total", "shop/cart.py:21", "method"),
        ("python", "Price.__init__", "shop/price.py:2", "method"),
        ("python", "price.__init__", "shop/price.py:2", "method"),
        ("python", "sum_up", "shop/cart.py:27", "function"),
        ("python", "LIMIT", "shop/cart.py:5", "constant"),
        ("python", "size", "shop/cart.py:14", "field"),
        ("javascript", "Queue", "queue.js:6", "class"),
        ("javascript", "enqueue", "queue.js:12", "method"),
        ("javascript", "run", "queue.js:17", "function"),
        ("javascript", "later", "queue.js:21", "function"),
        ("javascript", "DEFAULT_SIZE", "queue.js:1", "constant"),
        ("typescript", "Entry", "src/store.ts:2", "interface"),
        ("typescript", "Key", "src/store.ts:7", "type"),
        ("typescript", "Mode", "src/store.ts:9", "enum"),
        ("typescript", "Write", "src/store.ts:11", "variant"),
        ("typescript", "Store", "src/store.ts:18", "class"),
        ("typescript", "Store.put", "src/store.ts:23", "method"),
        ("typescript", "open", "src/store.ts:30", "function"),
        ("typescript", "View", "src/view.tsx:3", "function"),
        ("typescript", "App", "src/view.tsx:7", "function"),
        ("go", "Ring", "ring/ring.go:14", "struct"),
        ("go", "Pusher", "ring/ring.go:19", "interface"),
        ("go", "New", "ring/ring.go:24", "function"),
        ("go", "Ring.Push", "ring/ring.go:30", "method"),
        ("go", "Max", "ring/ring.go:7", "constant"),
        ("go", "count", "ring/ring.go:10", "variable"),
        ("c", "ring_push", "ring.c:9", "function"),
        ("c", "ring", "ring.h:8", "struct"),
        ("c", "ring_t", "ring.h:13", "type"),
        ("c", "order", "ring.h:15", "enum"),
        ("c", "OLDEST", "ring.h:15", "variant"),
        ("c", "RING_AT", "ring.h:5", "macro"),
        ("c", "cursor", "ring.h:21", "type"),
        ("c", "span", "ring.h:23", "struct"),
        ("c", "pushes", "ring.c:3", "variable"),
        ("cpp", "Ring", "ring.hpp:9", "class"),
        ("cpp", "Ring::push", "ring.cpp:6", "method"),
        ("cpp", "size", "ring.hpp:13", "method"),
        ("cpp", "IntRing", "ring.hpp:19", "type"),
        ("cpp", "Order", "ring.hpp:21", "enum"),
        ("cpp", "rings::find", "ring.cpp:10", "function"),
        ("cpp", "rings", "ring.cpp:3", "module"),
    ] {
        let found = call(&data(repository), "find_definition", json!({ "symbol": symbol }));
        let is = (place(&found), found["kind"].as_str().unwrap_or_default());
        assert_eq!(is, (expected.to_owned(), kind), "{repository} {symbol}: {found:#}");
    }
}

#[test]
fn definitions_come_with_signature_doc_and_container() {
    for (repository, symbol, key, expected) in [
        ("rust", "push", "signature", json!("pub fn push(&mut self, item: T) -> usize where T: Sized")),
        ("rust", "push", "container", json!("Ring")),
        ("rust", "push", "column", json!(12)),
        ("rust", "Ring", "doc", json!("A ring of items.\n\nIt drops the oldest.")),
        ("rust", "Gauge", "doc", json!("Made inside a macro.")),
        ("rust", "RING_MAX", "signature", json!("pub const RING_MAX: usize = 16;")),
        ("rust", "push", "doc", Json::Null),
        ("python", "Cart", "doc", json!("Holds what someone may buy.\n\nNever more than LIMIT things.")),
        ("python", "sum_up", "doc", json!("Adds prices.")),
        ("python", "sum_up", "signature", json!("def sum_up(prices, start=0):")),
        ("javascript", "Queue", "doc", json!("A queue of jobs.")),
        ("javascript", "Queue", "signature", json!("export class Queue")),
        ("typescript", "Entry", "doc", json!("What a store holds.")),
        ("go", "Push", "doc", json!("Push adds an item.")),
        ("go", "Ring", "signature", json!("type Ring struct")),
        ("c", "ring_push", "doc", json!("Adds an item.\nReturns the head.")),
        ("c", "ring_push", "signature", json!("int ring_push(struct ring *r, int item)")),
        ("c", "cursor", "signature", json!("typedef struct … cursor")),
        ("cpp", "Ring", "doc", json!("A ring.")),
    ] {
        let found = call(&data(repository), "find_definition", json!({ "symbol": symbol }));
        assert_eq!(found[key], expected, "{repository} {symbol} {key}");
    }
}

#[test]
fn kind_and_scope_choose() {
    let rust = data("rust");
    for (arguments, expected) in [
        (json!({"symbol": "Ring"}), "src/ring.rs:7"),
        (json!({"symbol": "Ring", "scope": "tests"}), "tests/ring.rs:1"),
        (json!({"symbol": "Ring", "scope": "./src/ring.rs"}), "src/ring.rs:7"),
        (json!({"symbol": "Ring", "kind": "class"}), "src/ring.rs:7"),
        (json!({"symbol": "Ring", "kind": "Type"}), "src/ring.rs:7"),
        (json!({"symbol": "Ring", "kind": "function"}), "nowhere"),
        (json!({"symbol": "Gauge", "scope": "tests"}), "nowhere"),
    ] {
        let found = call(&rust, "find_definition", arguments.clone());
        assert_eq!(place(&found), expected, "{arguments}");
        let is_lost = expected == "nowhere";
        assert_eq!(found.get("path").is_none(), is_lost, "{arguments}");
        assert_eq!(found.get("message").is_some(), is_lost, "{arguments}");
        assert!(!is_lost || found["others"].as_array().is_some_and(|others| !others.is_empty()), "{found:#}");
    }
}

#[test]
fn a_wrong_name_is_answered_with_near_ones() {
    let rust = data("rust");
    for (symbol, near) in [("Rign", Some("Ring")), ("RING_MX", Some("RING_MAX")), ("Zebra", None)] {
        let found = call(&rust, "find_definition", json!({ "symbol": symbol }));
        assert_eq!((found.get("path"), found.get("line")), (None, None), "{symbol}");
        assert_eq!(found["suggestions"][0].as_str(), near, "{symbol}");
        let used = call(&rust, "find_references", json!({ "symbol": symbol }));
        assert_eq!((&used["total"], used["suggestions"][0].as_str()), (&json!(0), near), "{symbol}");
        assert_eq!(used["references"], json!([]), "{symbol}");
    }
}

#[test]
fn references_are_code_and_never_comments_or_strings() {
    for (repository, symbol, expected) in [
        (
            "rust",
            "Ring",
            &[
                "src/ring.rs:7 definition",
                "src/ring.rs:11 implementation",
                "src/ring.rs:39 type",
                "src/ring.rs:47 type",
                "src/lib.rs:5 import",
                "src/lib.rs:29 type",
                "tests/ring.rs:1 definition",
                "tests/ring.rs:7 name",
            ][..],
        ),
        ("rust", "push", &["src/ring.rs:17 definition", "src/ring.rs:24 call", "src/lib.rs:32 call"]),
        (
            "python",
            "Price",
            &[
                "shop/price.py:1 definition",
                "shop/price.py:6 implementation",
                "shop/cart.py:3 import",
                "shop/cart.py:21 type",
            ],
        ),
        ("python", "sum_up", &["shop/cart.py:27 definition", "shop/cart.py:23 call"]),
        ("javascript", "Queue", &["queue.js:6 definition", "main.js:1 import", "main.js:4 call"]),
        (
            "javascript",
            "run",
            &[
                "queue.js:13 call",
                "queue.js:17 definition",
                "queue.js:21 call",
                "main.js:1 import",
                "main.js:5 call",
            ],
        ),
        (
            "go",
            "Push",
            &["ring/ring.go:20 definition", "ring/ring.go:30 definition", "ring/ring_test.go:5 call"],
        ),
        ("c", "ring_push", &["ring.c:9 definition", "ring.c:19 call", "ring.h:17 definition"]),
    ] {
        let found = call(&data(repository), "find_references", json!({ "symbol": symbol }));
        let mut is = places(&found["references"]);
        let mut expected: Vec<_> = expected.iter().map(|&place| place.to_owned()).collect();
        if symbol == "sum_up" {
            is.sort();
            expected.sort();
        }
        assert_eq!(is, expected, "{repository} {symbol}");
        assert_eq!(found["total"], json!(expected.len()), "{repository} {symbol}");
        assert_eq!(found["truncated"], json!(false), "{repository} {symbol}");
    }
}

#[test]
fn references_have_text_and_are_bounded() {
    let found = call(&data("rust"), "find_references", json!({"symbol": "Ring", "limit": 2}));
    assert_eq!(found["references"][0]["text"], json!("pub struct Ring<T> {"));
    assert_eq!(found["references"][0]["is_definition"], json!(true));
    assert_eq!((&found["total"], &found["truncated"]), (&json!(8), &json!(true)));
    assert_eq!(found["references"].as_array().map(Vec::len), Some(2));
    assert_eq!(found["files"][1], json!({"path": "src/lib.rs", "count": 2}));
    let found = call(&data("rust"), "find_references", json!({"symbol": "push"}));
    assert_eq!(found["references"][2]["enclosing"], json!("fill"));
    assert_eq!(found["references"][0]["enclosing"], json!("Ring"));
}

#[test]
fn text_search_ranks_definitions_then_words() {
    let rust = data("rust");
    for (arguments, total, expected) in [
        (
            json!({"query": "fill"}),
            4,
            &["src/lib.rs:29", "tests/ring.rs:3", "tests/ring.rs:8", "src/lib.rs:28"][..],
        ),
        (json!({"query": "RING_MAX"}), 2, &["src/lib.rs:8", "src/lib.rs:31"]),
        (json!({"query": "ring_max"}), 2, &["src/lib.rs:8", "src/lib.rs:31"]),
        (json!({"query": "Ring_max"}), 0, &[]),
        (
            json!({"query": "fn (push|drain)", "regex": true}),
            3,
            &["src/ring.rs:17", "src/ring.rs:36", "src/ring.rs:42"],
        ),
        (json!({"query": "fn (push|drain)"}), 0, &[]),
        (json!({"query": "is_empty()", "language": "rust"}), 1, &["tests/ring.rs:6"]),
        (json!({"query": "is_empty", "language": "python"}), 0, &[]),
    ] {
        let found = call(&rust, "search_code", arguments.clone());
        assert_eq!(places(&found["results"]), expected, "{arguments}");
        assert_eq!(found["total"], json!(total), "{arguments}");
    }
    let found = call(&rust, "search_code", json!({"query": "RING_MAX", "limit": 1}));
    let expected = json!({
        "path": "src/lib.rs", "line": 8, "column": 11, "language": "rust",
        "text": "pub const RING_MAX: usize = 16;", "is_definition": true,
    });
    assert_eq!((&found["results"][0], &found["truncated"]), (&expected, &json!(true)));
    let found = call(&rust, "search_code", json!({"query": "self.items.len"}));
    assert_eq!(found["results"][0]["enclosing"], json!("push"));
}

#[test]
fn files_of_other_languages_are_searched_as_text() {
    let (_root, index) =
        repository(&[("notes/a.md", "# Needle\n"), ("Makefile", "needle:\n"), ("x.weird", "a needle")]);
    let found = call(&index, "search_code", json!({"query": "needle"}));
    assert_eq!(places(&found["results"]), ["Makefile:1", "notes/a.md:1", "x.weird:1"]);
    let found = call(&index, "search_code", json!({"query": "needle", "language": "md"}));
    assert_eq!((&found["results"][0]["language"], &found["total"]), (&json!("markdown"), &json!(1)));
    let map = call(&index, "get_repo_map", json!({}));
    assert_eq!(map["map_text"], json!("Makefile\nnotes/a.md\nx.weird\n"));
}

#[test]
fn the_map_shows_what_is_used_most() {
    let rust = data("rust");
    let map = call(&rust, "get_repo_map", json!({}));
    insta::assert_snapshot!(map["map_text"].as_str().unwrap_or_default(), @r"
    src/ring.rs
        7 pub struct Ring<T>
       13     pub fn new() -> Self
       17     pub fn push(&mut self, item: T) -> usize where T: Sized
       29 pub enum Order
       34 pub trait Drain
       36     fn drain(&mut self) -> Vec<Self::Item>;
          Ring:
       42     fn drain(&mut self) -> Vec<T>
       48     fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result
    src/lib.rs
        8 pub const RING_MAX: usize = 16;
       10 macro_rules! items
       17 pub struct Gauge<T>
       22     pub fn read(&self) -> &T
       29 pub fn fill(ring: &mut Ring<u8>)
    tests/ring.rs
        1 struct Ring;
        3 fn fill()
        6 fn is_empty()
    ");
    assert_eq!((&map["files"], &map["languages"]), (&json!(3), &json!({"rust": 3})));
    assert_eq!((&map["symbols"], &map["symbols_shown"]), (&json!(16), &json!(16)));
    assert_eq!(map["truncated"], json!(false));
    let small = call(&rust, "get_repo_map", json!({"max_tokens": 30}));
    insta::assert_snapshot!(small["map_text"].as_str().unwrap_or_default(), @r"
    src/ring.rs
        7 pub struct Ring<T>
    src/lib.rs
       29 pub fn fill(ring: &mut Ring<u8>)
    ");
    assert_eq!(small["truncated"], json!(true));
    let header = call(&data("c"), "get_repo_map", json!({"scope": "ring.h"}));
    insta::assert_snapshot!(header["map_text"].as_str().unwrap_or_default(), @r"
    ring.h
        2 #define RING_H
        4 #define RING_MAX 16
        5 #define RING_AT(r, i) ((r)->items[(i) % RING_MAX])
        8 struct ring
       13 typedef struct ring ring_t;
       15 enum order
       21 typedef struct … cursor
       23 typedef struct span
    ");
    let scoped = call(&rust, "get_repo_map", json!({"scope": "tests"}));
    insta::assert_snapshot!(scoped["map_text"].as_str().unwrap_or_default(), @r"
    tests/ring.rs
        1 struct Ring;
        3 fn fill()
        6 fn is_empty()
    ");
}

proptest! {
    #![proptest_config(fuzz::config(64))]
    #[test]
    fn a_map_never_exceeds_its_tokens(tokens in 1..700_usize, at in 0..7_usize) {
        let repository = ["rust", "python", "javascript", "typescript", "go", "c", "cpp"][at];
        let map = call(&data(repository), "get_repo_map", json!({ "max_tokens": tokens }));
        let text = map["map_text"].as_str().unwrap_or_default();
        prop_assert!(!text.is_empty());
        prop_assert!(text.chars().count().div_ceil(4) <= tokens, "{text}");
        prop_assert_eq!(&map["tokens"], &json!(text.chars().count().div_ceil(4)));
    }
}

#[test]
fn ignored_hidden_binary_and_large_files_are_left_out() {
    let large = format!("fn needle() {{}}\n{}", "// padding\n".repeat(100_000));
    let (_root, index) = repository(&[
        (".gitignore", "built/\n*.gen.rs\n"),
        (".ignore", "private.rs\n"),
        ("src/a.rs", "fn needle() {}\n"),
        ("src/.hidden.rs", "fn needle() {}\n"),
        (".secret/a.rs", "fn needle() {}\n"),
        ("built/a.rs", "fn needle() {}\n"),
        ("src/b.gen.rs", "fn needle() {}\n"),
        ("private.rs", "fn needle() {}\n"),
        ("large.rs", &large),
        ("data.bin", "needle\0"),
    ]);
    let found = call(&index, "search_code", json!({"query": "needle"}));
    assert_eq!(places(&found["results"]), ["src/a.rs:1"]);
    assert_eq!((&found["skipped"]["binary"], &found["skipped"]["too_large"]), (&json!(1), &json!(1)));
    let found = call(&index, "find_definition", json!({"symbol": "needle"}));
    assert_eq!((place(&found), &found["total"]), ("src/a.rs:1".to_owned(), &json!(1)));
}

#[cfg(unix)]
#[test]
fn nothing_outside_the_root_is_read() {
    let (outside, _) = repository(&[("secret/a.rs", "pub fn needle() {}\n")]);
    let (root, index) = repository(&[("src/a.rs", "pub fn other() {}\n")]);
    let link =
        |to: &Path, name: &str| std::os::unix::fs::symlink(to, root.path().join(name)).expect("a link");
    link(&outside.path().join("secret"), "folder");
    link(&outside.path().join("secret/a.rs"), "file.rs");
    link(Path::new("src"), "inside");
    let found = call(&index, "search_code", json!({"query": "needle"}));
    assert_eq!(found["total"], json!(0));
    let found = call(&index, "search_code", json!({"query": "other"}));
    assert_eq!(places(&found["results"]), ["src/a.rs:1"]);
    let absolute = outside.path().to_str().expect("a path");
    for scope in ["..", "src/../..", "src/..", absolute, "/", "folder", "folder/a.rs", "file.rs", "inside"] {
        for (tool, arguments) in [
            ("find_definition", json!({"symbol": "needle", "scope": scope})),
            ("get_repo_map", json!({"scope": scope})),
        ] {
            let error = try_call(&index, tool, arguments).expect_err(scope);
            assert_eq!(error.category(), ErrorCategory::Permission, "{tool} {scope}");
            assert!(error.suggestion().is_some(), "{tool} {scope}");
        }
    }
}

#[test]
fn arguments_without_sense_are_refused_in_words() {
    let rust = data("rust");
    for (tool, arguments, words) in [
        ("search_code", json!({"query": "  "}), "the query is empty"),
        ("search_code", json!({"query": "a\nb"}), "more than one line"),
        ("search_code", json!({"query": "a(", "regex": true}), "not a regular expression"),
        ("search_code", json!({"query": "x".repeat(5_000)}), "longer than 1000"),
        ("search_code", json!({"query": "a", "language": "rusty"}), "unknown language `rusty`"),
        ("find_definition", json!({"symbol": ""}), "has no name"),
        ("find_definition", json!({"symbol": "a", "kind": "strukt"}), "unknown kind of definition"),
        ("find_definition", json!({"symbol": "a", "scope": "sorce"}), "does not exist"),
        ("find_references", json!({"symbol": "a b"}), "no single name"),
        ("get_repo_map", json!({"max_tokens": 0}), "max_tokens is 0"),
        ("get_repo_map", json!({"scope": "nowhere"}), "does not exist"),
    ] {
        let error = try_call(&rust, tool, arguments.clone()).expect_err(words);
        assert!(error.message().contains(words), "{arguments}: {error}");
        assert_eq!(error.category(), ErrorCategory::UserInput, "{arguments}");
        assert!(error.suggestion().is_some(), "{arguments}");
    }
    let error =
        try_call(&rust, "search_code", json!({"query": "a", "language": "rusty"})).expect_err("unknown");
    assert_eq!(error.suggestion(), Some("Did you mean `rust`?"));
}

#[test]
fn a_root_that_cannot_be_used_is_an_error() {
    let (root, index) = repository(&[("a.rs", "fn a() {}\n")]);
    let words = |path: PathBuf| CodeIndex::open(&path).expect_err("no root").to_string();
    assert!(words(root.path().join("missing")).contains("give the path of an existing folder"));
    assert!(words(root.path().join("a.rs")).contains("give the folder, not a file in it"));
    let calls = [
        ("search_code", json!({"query": "a"})),
        ("find_definition", json!({"symbol": "a"})),
        ("find_references", json!({"symbol": "a"})),
        ("get_repo_map", json!({})),
    ];
    let check = || {
        for (tool, arguments) in &calls {
            let error = try_call(&index, tool, arguments.clone()).expect_err(tool);
            assert_eq!(error.category(), ErrorCategory::Resource, "{tool}: {error}");
            assert!(error.suggestion().is_some(), "{tool}");
        }
    };
    fs::remove_file(root.path().join("a.rs")).expect("it is removed");
    check();
    root.close().expect("the folder is removed");
    check();
}

#[test]
fn a_changed_file_is_parsed_again() {
    let (root, index) = repository(&[("a.rs", "fn first() {}\n"), ("b.rs", "fn other() { first() }\n")]);
    let definition = |symbol: &str| place(&call(&index, "find_definition", json!({ "symbol": symbol })));
    assert_eq!((definition("first"), definition("second")), ("a.rs:1".to_owned(), "nowhere".to_owned()));
    write(root.path(), "a.rs", "// moved down\nfn second() {}\n");
    assert_eq!((definition("first"), definition("second")), ("nowhere".to_owned(), "a.rs:2".to_owned()));
    // The same length, another time.
    write(root.path(), "a.rs", "// moved down\nfn twelve() {}\n");
    let file = fs::File::options().write(true).open(root.path().join("a.rs")).expect("it opens");
    file.set_modified(std::time::UNIX_EPOCH + Duration::from_secs(1_000)).expect("the time is set");
    assert_eq!((definition("second"), definition("twelve")), ("nowhere".to_owned(), "a.rs:2".to_owned()));
    fs::remove_file(root.path().join("a.rs")).expect("it is removed");
    assert_eq!(definition("twelve"), "nowhere");
    write(root.path(), "new/c.rs", "\n\nfn twelve() {}\n");
    assert_eq!(definition("twelve"), "new/c.rs:3");
}

/// Cancels the call at the first word of progress, and counts the words.
struct CancelAtProgress {
    cx: Mutex<Option<CallContext>>,
    words: Mutex<Vec<String>>,
}

impl Notices for CancelAtProgress {
    fn notice(&self, _: CallId, notice: Notice) {
        if let Notice::Progress(words) = notice {
            self.words.lock().expect("no panic").push(words);
            self.cx.lock().expect("no panic").iter().for_each(|cx| cx.token().cancel());
        }
    }
}

#[test]
fn a_cancelled_call_ends_soon() {
    let files: Vec<_> =
        (0..700).map(|at| (format!("f{at}.rs"), format!("pub fn name_{at}() {{ helper() }}\n"))).collect();
    let files: Vec<_> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let (_root, index) = repository(&files);
    for (tool, arguments) in [
        ("search_code", json!({"query": "helper"})),
        ("find_references", json!({"symbol": "helper"})),
        ("get_repo_map", json!({})),
    ] {
        let notices = Arc::new(CancelAtProgress { cx: Mutex::default(), words: Mutex::default() });
        let cx = context(tool, Steps::default()).with_notices(Arc::clone(&notices) as Arc<dyn Notices>);
        *notices.cx.lock().expect("no panic") = Some(cx.clone());
        let error = run(&index, tool, arguments, &cx).expect_err(tool);
        assert_eq!(error.category(), ErrorCategory::Cancelled, "{tool}");
        let words = notices.words.lock().expect("no panic");
        assert!(words[0].ends_with("of 700 files"), "{tool}: {words:?}");
        assert!(words.len() <= 2, "{tool} went on: {words:?}");
        *notices.cx.lock().expect("no panic") = None;
    }
}

#[test]
fn a_file_that_takes_too_long_to_parse_is_given_up() {
    // The clock goes on by 10 ms whenever it is asked, so that parsing this file takes minutes.
    let slow = "fn a() { ".to_owned() + &"f(".repeat(60_000) + "\n";
    let (_root, index) = repository(&[("slow.rs", &*slow), ("fine.rs", "fn fine() { a() }\n")]);
    let clock = Steps { now: AtomicU64::new(0), step: 10_000_000 };
    let cx = context("find_definition", clock);
    let found = run(&index, "find_definition", json!({"symbol": "a"}), &cx).expect("the other file is read");
    assert_eq!(found["skipped"]["too_slow"], json!(1), "{found:#}");
}

#[test]
fn strange_files_do_no_harm() {
    let deep = "(".repeat(50_000);
    let wide = format!("const x = [{}];\n", "aé,".repeat(50_000));
    let (_root, index) = repository(&[
        ("deep.py", &deep),
        ("wide.js", &wide),
        ("empty.rs", ""),
        ("crlf.rs", "fn a() {}\r\nfn needle() {}\r\n"),
        ("broken.go", "func func func ((( type {\n"),
        ("macros.rs", &"m! { ".repeat(200)),
    ]);
    let map = call(&index, "get_repo_map", json!({}));
    assert!(map["map_text"].as_str().is_some_and(|text| text.contains("crlf.rs")));
    let found = call(&index, "find_definition", json!({"symbol": "needle"}));
    assert_eq!((place(&found), &found["signature"]), ("crlf.rs:2".to_owned(), &json!("fn needle()")));
    let found = call(&index, "search_code", json!({"query": "aé,aé"}));
    assert!(found["results"][0]["text"].as_str().is_some_and(|text| text.chars().count() <= 240));
}

#[test]
fn manifests_say_what_the_tools_are() {
    let tools = code::tools(data("rust"));
    for (tool, (name, seconds, scope, success, reads, key)) in tools.iter().zip([
        (
            "search_code",
            30,
            &["oracle", "librarian"][..],
            "size(result.results) > 0",
            "query limit language user_id",
            "code_search_results",
        ),
        (
            "find_definition",
            30,
            &["oracle"],
            "has(result.path) && has(result.line)",
            "symbol scope kind user_id",
            "definition_result",
        ),
        (
            "find_references",
            30,
            &["oracle"],
            "has(result.references)",
            "symbol limit user_id",
            "references_result",
        ),
        (
            "get_repo_map",
            45,
            &["oracle"],
            "size(result.map_text) > 0",
            "scope max_tokens user_id",
            "repo_map",
        ),
    ]) {
        let manifest = tool.manifest();
        assert_eq!(manifest.name.as_str(), name);
        assert_eq!(manifest.timeout, Duration::from_secs(seconds), "{name}");
        assert_eq!(manifest.agent_scope.iter().map(|scope| &**scope).collect::<Vec<_>>(), scope, "{name}");
        assert_eq!(manifest.success.as_deref(), Some(success), "{name}");
        assert_eq!(manifest.contract.reads.join(" "), reads, "{name}");
        let writes: Vec<_> =
            manifest.contract.writes.iter().map(|write| (&*write.port, &*write.key)).collect();
        assert_eq!(writes, [("result", key)], "{name}");
        assert_eq!(
            (&*manifest.category, manifest.effects, manifest.idempotent),
            ("code", Effects::ReadOnly, true)
        );
        let inputs = manifest.input_schema["properties"].as_object().expect("properties");
        assert!(reads.split(' ').all(|key| inputs.contains_key(key)), "{name}: {inputs:?}");
        assert!(inputs.values().all(|port| port["description"].is_string()), "{name}: {inputs:?}");
        let required = manifest.input_schema["required"].as_array().cloned().unwrap_or_default();
        assert!(!required.contains(&json!("user_id")), "{name}");
    }
    let output = tools[1].manifest().output_schema.clone().expect("a schema");
    assert!(output["properties"]["path"].is_object(), "the candidate's fields are ports: {output:#}");
    assert!(
        !output["required"].as_array().is_some_and(|required| required.contains(&json!("path"))),
        "{output:#}"
    );
}

#[test]
fn results_fit_the_declared_schemas() {
    let rust = data("rust");
    for (name, arguments) in [
        ("search_code", json!({"query": "Ring"})),
        ("find_definition", json!({"symbol": "Ring"})),
        ("find_definition", json!({"symbol": "Zebra"})),
        ("find_references", json!({"symbol": "Ring"})),
        ("get_repo_map", json!({})),
    ] {
        let schema = tool(&rust, name).manifest().output_schema.clone().expect("a schema");
        let found = call(&rust, name, arguments);
        jsonschema::validate(&schema, &found).unwrap_or_else(|fault| panic!("{name}: {fault}"));
    }
}
