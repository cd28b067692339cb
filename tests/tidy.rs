//! What must be absent, held by a test: it reads the sources of the repository and fails with the
//! file, the line and the sentence.

use std::fs;
use std::path::{Path, PathBuf};

mod sweep;

use sweep::breaches;

/// What is read: everything that people wrote and that is text.
const ENDINGS: [&str; 10] = ["rs", "md", "toml", "xml", "tsv", "jsonl", "txt", "yml", "sh", "json"];
/// What is not of the repository.
const FOREIGN: [&str; 3] = [".git", "target", ".helve"];

#[test]
fn the_sources_hold_nothing_that_must_be_absent() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(home, &mut files);
    assert!(
        files.iter().filter(|path| path.starts_with(home.join("src"))).count() > 100,
        "the sources are found"
    );
    let mut report = String::new();
    for file in files {
        let path = file.strip_prefix(home).expect("a file of the repository").to_string_lossy().into_owned();
        // A case may be about bytes that are no text.
        let Ok(text) = fs::read_to_string(&file) else { continue };
        for it in breaches(&path, &text) {
            report.push_str(&format!("{}:{}: {}\n", it.path, it.line, it.says));
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

/// The requirements of the executor (a), its outcomes (b) and its service (c): a test that shows one is
/// named after it, `a04_late_result_changes_nothing`.
const REQUIREMENTS: [(char, usize); 3] = [('a', 14), ('b', 6), ('c', 14)];

#[test]
fn every_requirement_has_a_test_that_is_named_after_it() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    ["src", "tests"].iter().for_each(|folder| collect(&home.join(folder), &mut files));
    let sources: String = files.iter().filter_map(|file| fs::read_to_string(file).ok()).collect();
    let all = REQUIREMENTS.iter().flat_map(|(group, last)| (1..=*last).map(move |row| (group, row)));
    let names = all.map(|(group, row)| format!("fn {group}{row:02}_"));
    let missing: Vec<_> = names.filter(|name| !sources.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "no test begins with {missing:?}");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() && !FOREIGN.contains(&&*name) {
            collect(&path, files);
        } else if path.extension().is_some_and(|it| ENDINGS.iter().any(|ending| it == *ending)) {
            files.push(path);
        }
    }
}

/// The breaches of a file of this text, as `line sentence`.
#[track_caller]
fn check(path: &str, text: &str, expected: &[&str]) {
    let got: Vec<_> = breaches(path, text).into_iter().map(|it| format!("{} {}", it.line, it.says)).collect();
    assert_eq!(got, expected, "{path}: {text}");
}

const NO_WORLD: &str =
    "words, text, tree and engine know no tokio, no clock, no files, no processes, no randomness";

#[test]
fn the_world_is_absent_below_the_tools() {
    let says = |line: usize| format!("{line} {NO_WORLD}");
    check("src/engine/x.rs", "fn f() {}\nuse tokio::sync;", &[&says(2)]);
    check("src/tree/x.rs", "use std::fs;", &[&says(1)]);
    check("src/xml/x.rs", "use std::{fs, fmt};", &[&says(1)]);
    check("src/value.rs", "use std::time::Instant;", &[&says(1)]);
    check("src/node/a/b.rs", "let x = rand::random();", &[&says(1)]);
    check("src/exec/x.rs", "use tokio::sync;", &[]);
    check(
        "src/engine/x.rs",
        "// tokio\nlet brand = \"tokio fs\"; let c = '\"'; let t = r#\"use std::fs\"#;",
        &[],
    );
    check("src/engine/x.rs", "fn f() {}\n#[cfg(test)]\nmod tests {\nuse std::fs;\n}", &[]);
    check("src/engine/x.rs", "/* tokio /* nested */ tokio */ fn f<'a>() {} // fs\nuse tokio;", &[&says(2)]);
}

#[test]
fn each_thing_has_its_one_door() {
    let status = "1 only engine/visit.rs writes a node's status";
    check("src/engine/halt.rs", "self.states[0].status = x;", &[status]);
    check("src/engine/halt.rs", "if self.states[0].status == x {}", &[]);
    check("src/engine/visit.rs", "self.states[0].status = x;", &[]);
    let board = "1 only engine/settle.rs writes the board for a tool; scripts, leaves and the outside have their own file";
    check("src/engine/call.rs", "self.run.board.write(slot, &value)", &[board]);
    check("src/engine/settle.rs", "self.run.board.write(slot, &value)", &[]);
    check("src/exec/x.rs", "let now = Instant::now();", &["1 only run/clock.rs reads a clock"]);
    check("src/run/clock.rs", "let now = Instant::now();", &[]);
    let process = "1 only harness/spawn.rs starts a process";
    check("src/tools/x.rs", "let mut it = Command::new(\"ls\");", &[process]);
    check("src/run/x.rs", "use crate::engine::Command;", &[]);
    check("benches/x.rs", "#[allow(dead_code)]", &["1 a lint is expected with a reason, never allowed"]);
    check("tests/x.rs", "std::thread::sleep(x);", &["1 nothing waits on the wall clock"]);
    check("src/tree/x.rs", "todo!()", &["1 nothing is left for later"]);
}

#[test]
fn imports_go_downward() {
    check("src/engine/x.rs", "use crate::tree::Tree;\nuse crate::board::Board;", &[]);
    let upward = "1 imports go downward: `words` may not use `engine` of `engine`";
    check("src/value.rs", "fn f(x: crate::engine::Engine) {}", &[upward]);
    let tools = "the tools know no tree, no engine, no board, no node";
    check("src/exec/x.rs", "use crate::tree::Tree;", &[&format!("1 {tools}")]);
    check(
        "src/tool/x.rs",
        "use crate::run::Driver;",
        &["1 imports go downward: `tools` may not use `run` of `run`"],
    );
    check("src/new/x.rs", "", &["1 `new` is on no floor; tests/sweep/floors.rs says which there are"]);
    check("src/main.rs", "use crate::engine::Engine;", &[]);
}

#[test]
fn shapes_are_bounded() {
    let long = format!("{}fn f() {{\n{}}}\nfn g() {{}}\n", "\n", "    a();\n".repeat(70));
    check("src/tree/x.rs", &long, &["2 a function has at most 70 lines"]);
    check("src/tree/x.rs", &"type F = fn (u8);\n".repeat(100), &[]);
    check("src/tree/x.rs", &"\n".repeat(601), &["601 a file has at most 600 lines"]);
    check("tests/exec.rs", &"\n".repeat(601), &[]);
    let logic = "2 a mod.rs is a table of contents and holds no logic";
    check("src/tree/mod.rs", "mod a;\nfn f() {}", &[logic]);
    check("src/tree/mod.rs", "//! fn f() {}\nmod a;", &[]);
    check("src/tree/mod.rs", &"mod a;\n".repeat(51), &["51 a mod.rs has at most 50 lines"]);
}

#[test]
fn no_file_names_somebodys_folder() {
    let folder = |name: &str| format!("see /{name}/me/notes");
    let says = "1 no file names a folder of somebody's own machine";
    check("README.md", &folder("home"), &[says]);
    check("src/text.rs", &format!("// {}", folder("Users")), &[says]);
    check("README.md", "see docs/work/notes and https://example.org/home/x", &[]);
}
