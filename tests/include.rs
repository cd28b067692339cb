//! Trees of several files: what they become, and every fault with its place in the right file.
//!
//! A case is a folder under `tests/data/include` with a `main.xml`: `err/SLUG/faults.txt` holds all
//! diagnostics, `ok/SLUG/tree.txt` the drawn tree. `HELVE_UPDATE=1` writes them anew.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use helve::diag::{Code, Diagnostics};
use helve::harness::FolderLoader;
use helve::journal::Journal;
use helve::limits::INCLUDE_DEPTH_MAX;
use helve::loader::{LoadFault, Loader, Location};
use helve::node;
use helve::text::Source;
use helve::tree::{self, CompileOptions, IncludeLimits, Includes, Mark, MemoryLoader, Tree};
use proptest::bool::weighted;
use proptest::collection::{btree_set, vec};
use proptest::{prop_assert, prop_assert_eq, proptest};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

#[path = "rig/fuzz.rs"]
mod fuzz;

/// What a load answers.
type Loaded = (Option<Arc<Tree>>, Diagnostics);

fn cases(kind: &str) -> Vec<PathBuf> {
    // Relative, as people write paths, so that the faults show no folder of this machine.
    let folder = Path::new("tests/data/include").join(kind);
    let mut cases: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    assert!(!cases.is_empty());
    cases
}

fn load_including(source: &Arc<Source>, includes: &Includes<'_>) -> Loaded {
    tree::load_with_includes(source, includes, &node::catalog(), &CompileOptions::default())
}

/// Loads a file as `helve check` does.
fn load_file(main: &Path, roots: &[&Path]) -> Loaded {
    let (loader, from) = FolderLoader::beside(main).unwrap();
    let loader = roots.iter().fold(loader, |loader, root| loader.allow(root).unwrap());
    let source = Source::new(main.display().to_string(), fs::read_to_string(main).unwrap());
    load_including(&source, &Includes::new(&loader, from))
}

fn load_memory(loader: &MemoryLoader) -> Loaded {
    tree::load_from(loader, "main.xml", &node::catalog(), &CompileOptions::default())
}

/// All files of a folder.
fn memory(folder: &Path) -> MemoryLoader {
    let mut loader = MemoryLoader::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(here) = waiting.pop() {
        for entry in fs::read_dir(here).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
                loader = loader.with(name, fs::read(&path).unwrap());
            }
        }
    }
    loader
}

fn drawn(tree: &Tree) -> String {
    let places = tree.ids().map(|id| {
        let place = tree.place(id);
        format!("{} {}:{}\n", tree.path(id), place.source.name(), place.source.position(place.span.start))
    });
    format!("{}\n{}", tree::draw(tree, |_| (Mark::None, None)), places.collect::<String>())
}

fn codes(faults: &Diagnostics) -> Vec<String> {
    faults.iter().map(|fault| fault.code.to_string()).collect()
}

#[track_caller]
fn check_golden(golden: &Path, case: &Path, got: &str) {
    let got = got.replace(&format!("{}/", case.display()), "").replace(&case.display().to_string(), ".");
    if std::env::var_os("HELVE_UPDATE").is_some() {
        fs::write(golden, &got).unwrap();
    }
    let expected = fs::read_to_string(golden).unwrap_or_default();
    assert!(got == expected, "{}:\n--- expected\n{expected}\n--- got\n{got}", golden.display());
}

#[test]
fn a_broken_tree_gives_the_faults_of_all_its_files() {
    for case in cases("err") {
        let (tree, faults) = load_file(&case.join("main.xml"), &[]);
        assert_eq!(tree.is_some(), !faults.has_errors(), "{}", case.display());
        assert!(!faults.is_empty(), "{}", case.display());
        for fault in &faults {
            assert!(fault.primary.is_some() && fault.help.is_some(), "{}: {fault}", case.display());
        }
        check_golden(&case.join("faults.txt"), &case, &format!("{}\n", faults.render(false)));
    }
}

#[test]
fn good_files_are_one_tree_whose_nodes_know_their_file() {
    for case in cases("ok") {
        let (tree, faults) = load_file(&case.join("main.xml"), &[]);
        assert!(faults.is_empty(), "{}: {faults}", case.display());
        check_golden(&case.join("tree.txt"), &case, &drawn(&tree.unwrap()));
    }
}

/// Codes and places, file names without their folder.
fn places(faults: &Diagnostics, folder: &str) -> Vec<String> {
    let shown = |fault: &helve::diag::Diagnostic| {
        let place = fault.primary.as_ref().unwrap();
        format!("{} {}:{:?}", fault.code, place.source.name().replace(folder, ""), place.span)
    };
    faults.iter().map(shown).collect()
}

#[test]
fn texts_in_memory_have_the_faults_that_files_have() {
    for case in cases("err").into_iter().chain(cases("ok")) {
        let (_, on_disk) = load_file(&case.join("main.xml"), &[]);
        let (_, in_memory) = load_memory(&memory(&case));
        let folder = format!("{}/", case.display());
        // A folder is no text in memory, and a path through a file leads nowhere; both are E0128.
        assert_eq!(places(&on_disk, &folder), places(&in_memory, ""), "{}", case.display());
    }
}

#[test]
fn every_code_of_includes_has_a_case() {
    let seen: BTreeSet<Code> = (cases("err").iter())
        .flat_map(|case| {
            load_file(&case.join("main.xml"), &[]).1.iter().map(|it| it.code).collect::<Vec<_>>()
        })
        .collect();
    for code in [Code::E0125, Code::E0128, Code::E0129, Code::E0130] {
        assert!(seen.contains(&code), "{code}");
    }
}

/// A text that includes `paths` and has one tree.
fn text(id: &str, paths: &[&str]) -> String {
    let includes: String = paths.iter().map(|path| format!("<include path=\"{path}\"/>\n")).collect();
    format!(
        "<root BTCPP_format=\"4\" main_tree_to_execute=\"{id}\">\n{includes}\
         <BehaviorTree ID=\"{id}\"><AlwaysSuccess/></BehaviorTree>\n</root>\n"
    )
}

/// `main.xml` includes `1.xml`, which includes `2.xml`, and so on.
fn chain(length: usize) -> MemoryLoader {
    let link = |number: usize| match number {
        _ if number == length => text("Last", &[]),
        number => text(&format!("T{number}"), &[&format!("{}.xml", number + 1)]),
    };
    let first = MemoryLoader::new().with("main.xml", link(0));
    (1..=length).fold(first, |loader, number| loader.with(format!("{number}.xml"), link(number)))
}

#[test]
fn a_chain_ends_at_its_bound_and_says_where() {
    let (tree, faults) = load_memory(&chain(INCLUDE_DEPTH_MAX));
    assert!(tree.is_some(), "{faults}");
    let (tree, faults) = load_memory(&chain(INCLUDE_DEPTH_MAX + 1));
    assert!(tree.is_none());
    let text = faults.to_string();
    assert_eq!(codes(&faults), ["E0131"], "{text}");
    assert!(text.contains("includes are nested more than 64 deep"), "{text}");
    assert!(text.contains("--> 64.xml:2:16"), "{text}");
}

#[test]
fn each_bound_is_said_once_and_at_its_place() {
    let loader = MemoryLoader::new()
        .with("a.xml", text("A", &["b.xml", "c.xml"]))
        .with("b.xml", text("B", &[]))
        .with("c.xml", text("C", &["b.xml"]));
    let main = Source::new("main.xml", text("Main", &["a.xml", "b.xml", "c.xml"]));
    let check = |limits: IncludeLimits, expected: &[&str]| {
        let includes = Includes::new(&loader, Location::default()).limits(limits.clone());
        let (tree, faults) = load_including(&main, &includes);
        let said: Vec<_> = faults.iter().map(ToString::to_string).collect();
        let said: Vec<_> = said.iter().map(|it| it.split(" (").next().unwrap()).collect();
        assert_eq!(said, expected, "{limits:?}");
        assert_eq!(tree.is_some(), expected.is_empty(), "{limits:?}");
    };
    let all = main.text().len() + loader_bytes(&loader, &["a.xml", "b.xml", "c.xml"]);
    let enough = IncludeLimits { depth: 2, files: 4, elements: 6, bytes: all };
    check(enough.clone(), &[]);
    check(
        IncludeLimits { depth: 1, ..enough.clone() },
        &[
            "a.xml:2:16: E0131 includes are nested more than 1 deep",
            "a.xml:3:16: E0131 includes are nested more than 1 deep",
            "main.xml:4:16: E0131 includes are nested more than 1 deep",
        ][..2],
    );
    check(IncludeLimits { files: 3, ..enough.clone() }, &["a.xml:3:16: E0131 a tree has at most 3 files"]);
    check(
        IncludeLimits { elements: 5, ..enough.clone() },
        &["main.xml:4:16: E0131 the files of a tree have at most 5 includes together"],
    );
    let less = all - 1;
    check(
        IncludeLimits { bytes: less, ..enough },
        &[&format!("a.xml:3:16: E0131 the files of a tree have at most {less} bytes together")],
    );
}

fn loader_bytes(loader: &MemoryLoader, paths: &[&str]) -> usize {
    let bytes = |path: &&str| loader.read(&Location::plain(*path), usize::MAX).unwrap().len();
    paths.iter().map(bytes).sum()
}

#[test]
fn a_text_that_lies_nowhere_includes_nothing() {
    let main = Source::new("<inline>", text("Main", &["a.xml"]));
    let faults = tree::load(&main, &node::catalog(), &CompileOptions::default()).unwrap_err();
    let text = faults.to_string();
    assert!(text.contains("error[E0128]: the file `a.xml` cannot be looked for"), "{text}");
    assert!(text.contains("help: Load it from its file, or give it a loader."), "{text}");
}

#[test]
fn a_main_text_that_is_not_there_is_a_fault_without_a_place() {
    let loader = MemoryLoader::new().with("mian.xml", text("Main", &[]));
    let text = load_memory(&loader).1.to_string();
    assert!(text.contains("error[E0001]: the file `main.xml` cannot be read"), "{text}");
    assert!(text.contains("Did you mean `mian.xml`?"), "{text}");
}

/// Counts what is read.
#[derive(Debug)]
struct Counting<'l>(&'l MemoryLoader, AtomicUsize);

impl Loader for Counting<'_> {
    fn locate(&self, from: &Location, path: &str) -> Result<Location, LoadFault> {
        self.0.locate(from, path)
    }

    fn read(&self, at: &Location, bytes_max: usize) -> Result<Vec<u8>, LoadFault> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.read(at, bytes_max)
    }
}

#[test]
fn a_diamond_is_read_once() {
    let memory = memory(Path::new("tests/data/include/ok/diamond"));
    let counting = Counting(&memory, AtomicUsize::new(0));
    let (tree, faults) = tree::load_from(&counting, "main.xml", &node::catalog(), &CompileOptions::default());
    assert!(faults.is_empty(), "{faults}");
    assert_eq!(counting.1.into_inner(), 4);
    assert_eq!(tree.unwrap().texts().files().len(), 4);
}

#[test]
fn recorded_texts_make_the_same_tree_without_the_files() {
    for case in cases("ok") {
        let tree = load_file(&case.join("main.xml"), &[]).0.unwrap();
        let texts = tree.texts();
        let (again, faults) = load_including(texts.main(), &Includes::recorded(texts));
        let again = again.unwrap_or_else(|| panic!("{}: {faults}", case.display()));
        assert_eq!(drawn(&again), drawn(&tree), "{}", case.display());
        assert_eq!(again.texts(), texts, "{}", case.display());
    }
}

/// The trees that random files define.
const IDS: [&str; 3] = ["Main", "S", "T"];

/// A random file: what it includes, and which of [`IDS`] it defines.
type RandomFile = (Vec<usize>, BTreeSet<usize>);

/// Recursive and naive: the files in the order of loading, or `None` when there is a circle.
fn load_order(
    files: &[RandomFile],
    here: usize,
    open: &mut Vec<usize>,
    order: &mut Vec<usize>,
) -> Option<()> {
    if open.contains(&here) {
        return None;
    }
    if order.contains(&here) {
        return Some(());
    }
    open.push(here);
    for &next in &files[here].0 {
        load_order(files, next, open, order)?;
    }
    open.pop();
    order.push(here);
    Some(())
}

/// File `number`, whose trees say in their nodes' names where they come from.
fn random_text(number: usize, (includes, ids): &RandomFile) -> String {
    let includes = includes.iter().map(|next| format!("<include path=\"{next}.xml\"/>"));
    let uses = if number == 0 { "<SubTree ID=\"S\"/><SubTree ID=\"T\"/>" } else { "" };
    let trees = ids.iter().map(|&id| {
        format!(
            "<BehaviorTree ID=\"{}\"><Sequence name=\"{number}\"><AlwaysSuccess/>{uses}</Sequence></BehaviorTree>",
            IDS[id]
        )
    });
    let inside: String = includes.chain(trees).collect();
    format!("<root BTCPP_format=\"4\" main_tree_to_execute=\"Main\">{inside}</root>")
}

/// Cases when nobody asks for more.
const CASES: u32 = 256;

proptest! {
    #![proptest_config(fuzz::config(CASES))]

    #[test]
    fn of_trees_with_one_id_the_last_loaded_stands(
        mut files in vec((vec(0..5usize, 0..4), btree_set(0..IDS.len(), 1..4)), 5),
        may_circle in weighted(0.3),
    ) {
        files[0].1 = BTreeSet::from([0]);
        for (number, (includes, _)) in files.iter_mut().enumerate() {
            includes.retain(|&next| may_circle || next > number);
        }
        let mut loader = MemoryLoader::new();
        for (number, file) in files.iter().enumerate() {
            loader = loader.with(format!("{number}.xml"), random_text(number, file));
        }
        let options = CompileOptions::default();
        let (tree, faults) = tree::load_from(&loader, "0.xml", &node::catalog(), &options);
        let mut order = Vec::new();
        let Some(()) = load_order(&files, 0, &mut Vec::new(), &mut order) else {
            prop_assert!(tree.is_none());
            prop_assert!(faults.iter().any(|fault| fault.code == Code::E0130), "{faults}");
            return Ok(());
        };
        prop_assert!(!faults.iter().any(|fault| fault.code == Code::E0130), "{faults}");
        let stands = |id: usize| order.iter().rev().find(|&&number| files[number].1.contains(&id));
        let [Some(main), Some(s), Some(t)] = [stands(0), stands(1), stands(2)] else {
            prop_assert!(faults.iter().any(|fault| fault.code == Code::E0111), "{faults}");
            return Ok(());
        };
        let tree = tree.unwrap_or_else(|| panic!("{faults}"));
        let names: Vec<_> = tree.ids().filter_map(|id| tree.name_of(id)).collect();
        prop_assert_eq!(names, [main, s, t].map(|number| number.to_string()));
        let (again, _) = load_including(tree.texts().main(), &Includes::recorded(tree.texts()));
        prop_assert_eq!(again.map(|again| drawn(&again)), Some(drawn(&tree)));
    }
}

/// A folder with files, and outside of it another one.
struct Place(TempDir);

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for (path, text) in files {
            let path = place.at(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        place
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn load(&self, roots: &[&str]) -> Loaded {
        let roots: Vec<_> = roots.iter().map(|root| self.at(root)).collect();
        let roots: Vec<_> = roots.iter().map(PathBuf::as_path).collect();
        load_file(&self.at("trees/main.xml"), &roots)
    }
}

#[cfg(unix)]
#[test]
fn a_link_leads_out_of_no_folder() {
    use std::os::unix::fs::symlink;

    let paths = ["file.xml", "folder/x.xml", "in.xml", "chain.xml"];
    let place = Place::new(&[
        ("trees/main.xml", &text("Main", &paths)),
        ("trees/real.xml", &text("Real", &[])),
        ("other/x.xml", &text("X", &[])),
    ]);
    symlink("../other/x.xml", place.at("trees/file.xml")).unwrap();
    symlink(place.at("other"), place.at("trees/folder")).unwrap();
    symlink("real.xml", place.at("trees/in.xml")).unwrap();
    symlink("file.xml", place.at("trees/chain.xml")).unwrap();
    let (tree, faults) = place.load(&[]);
    assert!(tree.is_none());
    assert_eq!(codes(&faults), ["E0129"; 3], "{faults}");
    let said = faults.to_string();
    assert!(said.contains("a symbolic link on the way leads out of them"), "{said}");
    assert!(!said.contains("`in.xml`"), "{said}");
    // Where the folder around both is allowed, the way leads out of nothing, except for the
    // absolute link: below a root there is no absolute path.
    let (_, faults) = place.load(&["."]);
    assert_eq!(codes(&faults), ["E0129"], "{faults}");
    assert!(faults.to_string().contains("`folder/x.xml`"), "{faults}");
}

#[cfg(unix)]
#[test]
fn one_file_under_two_names_is_loaded_once_and_circles_by_links_are_seen() {
    use std::os::unix::fs::symlink;

    let place = Place::new(&[
        ("trees/main.xml", &text("Main", &["one.xml", "two.xml"])),
        ("trees/one.xml", &text("One", &["again/two.xml"])),
    ]);
    symlink("one.xml", place.at("trees/two.xml")).unwrap();
    symlink(".", place.at("trees/again")).unwrap();
    let (_, faults) = place.load(&[]);
    assert_eq!(codes(&faults), ["E0130"], "{faults}");
    fs::write(place.at("trees/one.xml"), text("One", &[])).unwrap();
    let (tree, faults) = place.load(&[]);
    assert_eq!(tree.unwrap().texts().files().len(), 2, "{faults}");
}

#[cfg(unix)]
#[test]
fn the_main_file_itself_may_be_a_link() {
    let place = Place::new(&[
        ("elsewhere/main.xml", &text("Main", &["part.xml"])),
        ("trees/part.xml", &text("Part", &[])),
    ]);
    std::os::unix::fs::symlink("../elsewhere/main.xml", place.at("trees/main.xml")).unwrap();
    let (tree, faults) = place.load(&[]);
    assert!(tree.is_some(), "{faults}");
}

#[test]
fn other_folders_are_allowed_by_name_and_nothing_beside_them() {
    let place = Place::new(&[
        ("trees/main.xml", &text("Main", &["../lib/a.xml"])),
        ("lib/a.xml", &text("A", &["sub/b.xml"])),
        ("lib/sub/b.xml", &text("B", &["../../trees/c.xml"])),
        ("trees/c.xml", &text("C", &[])),
        ("libs/d.xml", &text("D", &[])),
    ]);
    let check = |roots: &[&str], expected: &[&str]| {
        let (_, faults) = place.load(roots);
        assert_eq!(codes(&faults), expected, "{roots:?}: {faults}");
    };
    check(&[], &["E0129"]);
    check(&["libs"], &["E0129"]);
    check(&["libs", "lib"], &[]);
    check(&["trees/../lib"], &[]);
    check(&["."], &[]);
    check(&["lib/sub"], &["E0129"]);
    // An absolute path is as good as a relative one, where it may be read.
    let absolute = place.at("libs/d.xml").display().to_string();
    fs::write(place.at("trees/main.xml"), text("Main", &[&absolute])).unwrap();
    check(&["lib"], &["E0129"]);
    check(&["libs"], &[]);
}

#[test]
fn a_folder_that_is_not_there_cannot_be_allowed() {
    let place = Place::new(&[("trees/main.xml", &text("Main", &[]))]);
    let (loader, _) = FolderLoader::beside(&place.at("trees/main.xml")).unwrap();
    assert!(loader.clone().allow(&place.at("gone")).unwrap_err().is_not_found());
    assert!(loader.allow(&place.at("trees/main.xml")).is_err());
}

#[expect(clippy::disallowed_methods, reason = "the test is about the process itself")]
fn helve(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_helve"));
    command.current_dir(folder).args(arguments).stdin(Stdio::null()).env("NO_COLOR", "1").output().unwrap()
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes)).concat()
}

/// A tree of two files, of which the second lies outside of the first one's folder.
fn two_folders() -> Place {
    let main = text("Main", &["../lib/a.xml"]).replace("<AlwaysSuccess/>", "<SubTree ID=\"A\"/>");
    let place = Place::new(&[("trees/main.xml", &main), ("lib/a.xml", &text("A", &["b.xml"]))]);
    fs::write(place.at("lib/b.xml"), text("B", &[])).unwrap();
    place
}

#[test]
fn check_draw_and_run_take_more_folders() {
    let place = two_folders();
    for command in ["check", "draw", "run"] {
        let denied = helve(place.0.path(), &[command, "trees/main.xml"]);
        assert_eq!(denied.status.code(), Some(2), "{command}");
        let denied = said(&denied);
        assert!(denied.contains("error[E0129]: the file `../lib/a.xml` lies outside"), "{denied}");
        assert!(denied.contains("allowed is what lies in `trees`"), "{denied}");
        let allowed = helve(place.0.path(), &[command, "trees/main.xml", "--include-root", "lib"]);
        assert_eq!(allowed.status.code(), Some(0), "{command}: {}", said(&allowed));
    }
    let gone = said(&helve(place.0.path(), &["check", "trees/main.xml", "--include-root", "gone"]));
    assert!(gone.contains("error[E0404]: the folder `gone` cannot be included from"), "{gone}");
}

#[test]
fn json_names_the_file_of_each_fault_and_node() {
    let place = two_folders();
    fs::write(place.at("lib/b.xml"), text("B", &["a.xml"])).unwrap();
    let output = helve(place.0.path(), &["check", "--json", "trees/main.xml", "--include-root", "lib"]);
    let reports: Json = serde_json::from_slice(&output.stdout).unwrap();
    let fault = &reports[0]["faults"][0];
    assert_eq!((&fault["code"], &fault["place"]["file"]), (&json!("E0130"), &json!("lib/b.xml")));
    assert_eq!(fault["related"][0]["file"], "lib/a.xml");

    fs::write(place.at("lib/b.xml"), text("B", &[])).unwrap();
    let output = helve(place.0.path(), &["draw", "--json", "trees/main.xml", "--include-root", "."]);
    let tree: Json = serde_json::from_slice(&output.stdout).unwrap();
    let files: Vec<_> = tree["nodes"].as_array().unwrap().iter().map(|node| &node["file"]).collect();
    assert_eq!(files, ["trees/main.xml", "lib/a.xml"]);
}

#[test]
fn a_recording_replays_when_the_files_are_gone() {
    let place = two_folders();
    let arguments = ["run", "trees/main.xml", "--include-root", "lib", "--record", "run.helve"];
    let ran = helve(place.0.path(), &arguments);
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    fs::remove_dir_all(place.at("trees")).unwrap();
    fs::remove_dir_all(place.at("lib")).unwrap();
    let replayed = helve(place.0.path(), &["replay", "run.helve"]);
    assert_eq!(replayed.status.code(), Some(0), "{}", said(&replayed));
    assert!(said(&replayed).contains("events to the byte"), "{}", said(&replayed));

    let journal = Journal::open(&place.at("run.helve")).unwrap();
    let files = journal.head().texts.files();
    let names: Vec<_> = files.iter().map(|file| &**file.source.name()).collect();
    assert_eq!(names, ["trees/main.xml", "lib/a.xml", "lib/b.xml"], "no path of this machine");
    assert_eq!(files[0].includes, [("../lib/a.xml".into(), 1)]);
    assert!(journal.replay().unwrap().is_same());
}
