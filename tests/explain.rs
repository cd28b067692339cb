//! The pages of `helve explain`: every code has one, every page has a code, and every example does
//! what its page says.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use helve::catalog::{Catalog, tool_manifest};
use helve::diag::{Code, Diagnostic};
use helve::exec::artifact::ArtifactId;
use helve::exec::policy::Policy;
use helve::explain::{Block, Example, Page, Verdict, find, page, pages};
use helve::expr::{self, Dialect};
use helve::limits::{XML_ELEMENTS_MAX, XML_VALUE_BYTES_MAX};
use helve::loader::Location;
use helve::manifest::ToolManifest;
use helve::migrate;
use helve::run::catalog_of;
use helve::text::Source;
use helve::tool::Registry;
use helve::tools::{code, vault};
use helve::tree::{self, CompileOptions, IncludeLimits, Includes, MemoryLoader, Substitutions};
use helve::xml::{self, XmlLimits};
use serde_json::Value as Json;
use tempfile::TempDir;

/// Widest line of a page, in characters: it is read on a terminal.
const LINE_CHARS_MAX: usize = 110;

/// The file that the page of a code belongs to.
fn file_of(code: Code) -> &'static str {
    match &code.id()[1..3] {
        "00" => "xml.md",
        "01" => "tree.md",
        "02" => "convert.md",
        "03" => "expression.md",
        "04" => "command.md",
        "05" | "06" => "tool.md",
        "07" => "permission.md",
        _ => "a new file, named in src/explain/page.rs and src/explain/mod.rs",
    }
}

/// What to write for a code that has no page.
fn template(code: Code) -> String {
    let kind = match &code.id()[1..3] {
        "02" => "convert",
        "04" => "sh",
        "06" => "toml",
        _ => "xml",
    };
    format!(
        "{code} has no page. Add this to src/docs/errors/{}:\n\n## {code} {}\n\nOne line that says what is wrong.\n\n\
         A paragraph that says why, and what else helps.\n\nWrong:\n\n```{kind} wrong\n...\n```\n\nRight:\n\n\
         ```{kind} right\n...\n```\n",
        file_of(code),
        code.slug()
    )
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for page in pages() {
        match Code::ALL.iter().find(|code| code.id() == page.id) {
            None => faults.push(format!("there is a page `{}`, but no such code in src/diag.rs", page.id)),
            Some(code) if code.slug() != page.slug => {
                faults.push(format!("the heading of {code} is to be `## {code} {}`", code.slug()));
            }
            Some(_) => {}
        }
        if !seen.insert(page.id) {
            faults.push(format!("{} has two pages", page.id));
        }
    }
    faults.extend(Code::ALL.iter().filter(|&&code| page(code).is_none()).map(|&code| template(code)));
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_page_has_a_summary_a_wrong_example_and_a_right_one() {
    for page in pages() {
        let id = page.id;
        let summary = page.summary();
        assert!(summary.ends_with('.') && summary.len() <= 90, "{id}: one short sentence first: {summary}");
        assert_eq!(page.body.lines().nth(1), Some(""), "{id}: a blank line behind the first sentence");
        let blocks = page.blocks();
        let shows =
            |verdict| blocks.iter().any(|it| matches!(it, Block::Example(it) if it.verdict == verdict));
        assert!(shows(Verdict::Wrong), "{id} has no wrong example: a fence such as ```xml wrong");
        assert!(shows(Verdict::Right), "{id} has no right example: a fence such as ```xml right");
        for line in page.body.lines() {
            assert!(line.chars().count() <= LINE_CHARS_MAX, "{id}: too wide: {line}");
        }
    }
}

/// The nodes and the tools of the binary, on empty folders.
fn catalog() -> Catalog {
    catalog_of(&registry()).expect("every tool makes a node")
}

fn registry() -> Registry {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let index = code::CodeIndex::open(folder.path()).expect("the folder is there");
    let vault = vault::Vault::open(folder.path()).expect("the folder is there");
    let mut registry = Registry::new();
    for tool in code::tools(index).into_iter().chain(vault::tools(Arc::new(vault))) {
        registry.add(tool).expect("a new tool");
    }
    registry
}

/// The codes that a text has.
fn codes<'d>(faults: impl IntoIterator<Item = &'d Diagnostic>) -> BTreeSet<String> {
    faults.into_iter().map(|fault| fault.code.to_string()).collect()
}

/// The file that lies beside each example.
const PART: &str =
    "<root BTCPP_format=\"4\"><BehaviorTree ID=\"Part\"><AlwaysSuccess/></BehaviorTree></root>";

/// A document, checked as `helve check` does.
fn of_xml(example: &Example, bytes: Vec<u8>, catalog: &Catalog) -> BTreeSet<String> {
    let mut catalog = catalog.clone();
    for (_, name) in example.options.iter().filter(|(option, _)| *option == "enum") {
        catalog.define_enum(name, 1).expect("a name that no node has");
    }
    let source = match xml::source_from_bytes("example.xml", bytes) {
        Ok(source) => source,
        Err(fault) => return codes([&fault]),
    };
    if let Some(elements) = example.number("elements") {
        assert!(elements < XML_ELEMENTS_MAX, "the bound is lowered");
        let (_, faults) = xml::read(&source, &XmlLimits { elements, ..XmlLimits::default() });
        return codes(&faults);
    }
    let mut options = CompileOptions::default();
    options.nodes_max = example.number("nodes").unwrap_or(options.nodes_max);
    let loader = MemoryLoader::new().with("example.xml", source.text().as_bytes()).with("part.xml", PART);
    let mut limits = IncludeLimits::default();
    limits.elements = example.number("includes").unwrap_or(limits.elements);
    let includes = Includes::new(&loader, Location::plain("example.xml")).limits(limits);
    codes(&tree::load_with_includes(&source, &includes, &catalog, &options).1)
}

/// A text in which `\xNN` is a byte.
fn bytes_of(text: &str) -> Vec<u8> {
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).expect("two digits"));
        bytes.extend(&part.as_bytes()[2..]);
    }
    bytes
}

fn of_expression(text: &str, dialect: Dialect) -> BTreeSet<String> {
    let faults = expr::parse(text, dialect).err().unwrap_or_default();
    faults.iter().map(|fault| fault.kind.code().to_string()).collect()
}

/// Rules for a tree with one leaf, `look`.
fn of_rules(text: &str, catalog: &Catalog) -> BTreeSet<String> {
    let rules = match Substitutions::parse(&Source::new("rules.json", text)) {
        Ok(rules) => rules,
        Err(faults) => return codes(&faults),
    };
    let tree = r#"<root BTCPP_format="4"><BehaviorTree><AlwaysFailure name="look"/></BehaviorTree></root>"#;
    let options = CompileOptions { substitutions: Some(rules), ..CompileOptions::default() };
    codes(&tree::load_with_warnings(&Source::new("t.xml", tree), catalog, &options).1)
}

fn of_manifest(text: &str) -> BTreeSet<String> {
    let json: Json = serde_json::from_str(text).expect("a manifest is JSON");
    let words = |name: &str| json[name].as_str().unwrap_or_default().to_owned();
    let manifest =
        ToolManifest::new(words("name").as_str(), words("description"), json["input_schema"].clone());
    codes(tool_manifest(Arc::new(manifest.success(&words("success")))).err().as_ref())
}

/// A policy, read for the tools of the binary.
fn of_policy(text: &str) -> BTreeSet<String> {
    let policy = Policy::read(&Source::new("policy.toml", text));
    let faults = policy.map_or_else(|faults| faults, |policy| policy.doubts(registry().manifests()));
    codes(&faults)
}

/// A text of version 3, converted.
fn of_convert(text: &str, catalog: &Catalog) -> BTreeSet<String> {
    let (document, faults) = xml::read(&Source::new("example.xml", text), &XmlLimits::default());
    let notes = migrate::to_v4(&document.expect("a document"), catalog).notes;
    codes(faults.iter().chain(&notes))
}

/// The folder in which the commands of the pages are run.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a temporary folder"));
        let home = Path::new(env!("CARGO_MANIFEST_DIR"));
        let explore = fs::read(home.join("trees/explore.xml")).expect("the tree");
        place.write("trees/explore.xml", &explore);
        let pause = "<root BTCPP_format=\"4\"><BehaviorTree ID=\"Pause\"><Sleep msec=\"{pause_ms}\"/></BehaviorTree></root>\n";
        place.write("trees/pause.xml", pause.as_bytes());
        let note = "<root BTCPP_format=\"4\"><BehaviorTree ID=\"Note\"><vault_write path=\"{path}\" body=\"later\"/></BehaviorTree></root>\n";
        place.write("trees/note.xml", note.as_bytes());
        place.write("repo/lib.rs", b"pub struct Wheel;\n");
        place.write("trees/locked.xml", pause.as_bytes());
        let locked = place.0.path().join("trees/locked.xml");
        let mut permissions = fs::metadata(&locked).expect("it is there").permissions();
        permissions.set_readonly(true);
        fs::set_permissions(locked, permissions).expect("it is ours");
        let raw = "&".repeat(XML_VALUE_BYTES_MAX - 1);
        place.write("trees/brim.xml", pause.replace("{pause_ms}", &raw).as_bytes());
        for name in ["count", "again"] {
            let manifest = "name = \"count\"\ndescription = \"Counts.\"\ncommand = \"sh\"\n";
            place.write(&format!("manifests/{name}.toml"), manifest.as_bytes());
        }
        for ending in ["xml", "trace.jsonl"] {
            let case = format!("003-sequence-resumes-at-running-child.{ending}");
            let text = fs::read(home.join("tests/data/conformance/cases").join(&case)).expect("a case");
            place.write(&format!("cases/{case}"), &text);
        }
        place.write("sealed/.helve/artifacts", b"a file where a folder would have to be");
        place.add_artifacts();
        place
    }

    /// Artifacts, one of them damaged, and a tool that makes more.
    fn add_artifacts(&self) {
        for line in [0, 22] {
            let content = format!(r#"{{"results":[{{"line":{line},"path":"repo/lib.rs"}}]}}"#);
            let id = ArtifactId::of(content.as_bytes());
            self.write(&format!(".helve/artifacts/3d/{id}"), content.as_bytes());
        }
        self.write(".helve/artifacts/de/deadbeefdeadbeefdeadbeefdeadbeef", b"{}");
        let tree = "<root BTCPP_format=\"4\"><BehaviorTree ID=\"A\"><large result=\"{all}\"/></BehaviorTree></root>\n";
        self.write("trees/large.xml", tree.as_bytes());
        self.write("tools/large.sh", b"awk 'BEGIN { for (n = 0; n < 5; n++) text = text sprintf(\"\\\"%2900s\\\",\", n); print \"[\" text \"0]\" }'\n");
        let manifest = "name = \"large\"\ndescription = \"Much.\"\ncommand = \"sh\"\nargs = [\"{here}/large.sh\"]\noutput = \"json\"\neffects = \"read-only\"\n";
        self.write("tools/large.toml", manifest.as_bytes());
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        let path: PathBuf = self.0.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders can be made");
        fs::write(path, bytes).expect("a file can be written");
    }

    fn helve(&self, arguments: &[&str]) -> Output {
        self.helve_in("", arguments)
    }

    #[expect(clippy::disallowed_methods, reason = "the test is about the process itself")]
    fn helve_in(&self, folder: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_helve"));
        command
            .args(arguments)
            .current_dir(self.0.path().join(folder))
            .stdin(Stdio::null())
            .env("NO_COLOR", "1");
        command.output().expect("helve can be started")
    }

    /// The faults of a program's manifest, told by the command that reads it.
    fn codes_of_manifest(&self, text: &str) -> BTreeSet<String> {
        self.write("manifest.toml", text.as_bytes());
        self.codes("helve tools --tools manifest.toml", "")
    }

    /// The codes that commands tell, one command a line.
    fn codes(&self, text: &str, folder: &str) -> BTreeSet<String> {
        let mut told = BTreeSet::new();
        for line in text.lines() {
            let mut words = line.split_whitespace();
            assert_eq!(words.next(), Some("helve"), "a command is one of helve: {line}");
            let output = self.helve_in(folder, &words.collect::<Vec<_>>());
            let faults = String::from_utf8(output.stderr).expect("UTF-8");
            let codes: Vec<_> = faults.split(['[', ']']).skip(1).step_by(2).map(str::to_owned).collect();
            let is_well = codes.iter().all(|code| code.starts_with('W'));
            assert_eq!(output.status.success(), is_well, "{line}: {faults}");
            told.extend(codes);
        }
        told
    }
}

fn outcome(example: &Example, catalog: &Catalog, place: &Place) -> BTreeSet<String> {
    let text = example.expanded();
    match example.language {
        "xml" => of_xml(example, text.into_bytes(), catalog),
        "bytes" => of_xml(example, bytes_of(&text), catalog),
        "script" => of_expression(&text, Dialect::Script),
        "predicate" => of_expression(&text, Dialect::Predicate),
        "manifest" => of_manifest(&text),
        "rules" => of_rules(&text, catalog),
        "policy" => of_policy(&text),
        "convert" => of_convert(&text, catalog),
        "toml" => place.codes_of_manifest(&text),
        "sh" => {
            let folder =
                example.options.iter().find(|(name, _)| *name == "in").map_or("", |(_, folder)| folder);
            Place::new().codes(&text, folder)
        }
        other => BTreeSet::from([format!("`{other}` texts, which this test cannot check")]),
    }
}

/// What an example must tell.
fn expected(page: &Page, example: &Example) -> BTreeSet<String> {
    if example.verdict == Verdict::Right {
        return BTreeSet::new();
    }
    let also = example.options.iter().filter(|(name, _)| *name == "also").map(|(_, code)| (*code).to_owned());
    also.chain([page.id.to_owned()]).collect()
}

#[test]
fn every_example_has_the_fault_of_its_page_and_no_other() {
    let (catalog, place) = (catalog(), Place::new());
    let mut faults = String::new();
    for page in pages() {
        for block in page.blocks() {
            let Block::Example(example) = block else { continue };
            if example.verdict == Verdict::Shown {
                continue;
            }
            let (expected, got) = (expected(page, &example), outcome(&example, &catalog, &place));
            if expected != got {
                let verdict = example.verdict.as_str();
                faults.push_str(&format!(
                    "{}: the {verdict} example has {got:?}, not {expected:?}:\n{}\n\n",
                    page.id, example.text
                ));
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
fn a_code_is_found_as_people_write_it() {
    #[track_caller]
    fn check(text: &str, expected: Option<Code>) {
        assert_eq!(find(text), expected, "{text}");
    }
    check("E0107", Some(Code::E0107));
    check("e0107", Some(Code::E0107));
    check("0107", Some(Code::E0107));
    check("w0101", Some(Code::W0101));
    check("port_unknown", Some(Code::E0107));
    check("Port_Unknown", Some(Code::E0107));
    check("107", None);
    check("", None);
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8").trim_end()
}

#[test]
fn the_command_shows_a_page_all_codes_and_what_is_near() {
    let place = Place::new();
    let page = place.helve(&["explain", "E0107"]);
    insta::assert_snapshot!(text(&page.stdout), @r#"
    E0107 port_unknown

    An attribute names no port of its node.

    A port that does not exist would be ignored, and the node would run with something else than was
    written. `helve nodes NAME` and `helve tools NAME` list the ports. Every node may have `name`, and
    attributes that begin with `_`, which say how the engine treats it.

    Wrong:

        <root BTCPP_format="4">
          <BehaviorTree ID="Main">
            <Delay delay_msec="100" speed="2"><AlwaysSuccess/></Delay>
          </BehaviorTree>
        </root>

    Right:

        <root BTCPP_format="4">
          <BehaviorTree ID="Main">
            <Delay delay_msec="100"><AlwaysSuccess/></Delay>
          </BehaviorTree>
        </root>
    "#);
    let list = place.helve(&["explain"]);
    let lines: Vec<_> = text(&list.stdout).lines().collect();
    assert_eq!(lines.len(), Code::ALL.len());
    insta::assert_snapshot!(lines[0], @"E0001  file_unreadable              The file cannot be opened or read.");
    let json: Json =
        serde_json::from_slice(&place.helve(&["explain", "W0106", "--json"]).stdout).expect("JSON");
    assert_eq!((&json["code"], &json["severity"]), (&"W0106".into(), &"warning".into()));
    assert_eq!(
        (&json["examples"][0]["shows"], &json["examples"][1]["shows"]),
        (&"wrong".into(), &"right".into())
    );
    let json: Json = serde_json::from_slice(&place.helve(&["explain", "--json"]).stdout).expect("JSON");
    assert_eq!(json.as_array().map(Vec::len), Some(Code::ALL.len()));
    let unknown = place.helve(&["explain", "port_unknwon"]);
    assert_eq!((unknown.status.code(), text(&unknown.stdout)), (Some(2), ""));
    insta::assert_snapshot!(text(&unknown.stderr), @r"
    error[E0410]: there is no diagnostic `port_unknwon`
     |
     = help: Did you mean `port_unknown`? `helve explain` lists all of them.
    ");
}

#[test]
fn faults_are_followed_by_one_line_that_names_a_page() {
    #[track_caller]
    fn check(place: &Place, arguments: &[&str], expected: Option<&str>) {
        let output = place.helve(arguments);
        let faults = text(&output.stderr);
        let lines: Vec<_> = faults.lines().filter(|line| line.starts_with("`helve explain ")).collect();
        assert_eq!(lines, Vec::from_iter(expected), "{faults}");
        assert_eq!(faults.lines().last(), expected, "it is the last line");
    }
    let place = Place::new();
    let tree = |body: &str| format!("<root><BehaviorTree ID=\"A\">{body}</BehaviorTree></root>");
    place.write("warned.xml", tree("<AlwaysSuccess/>").as_bytes());
    place.write("wrong.xml", tree("<AlwaysSuccess x=\"1\"/>").as_bytes());
    check(&place, &["check", "trees/explore.xml"], None);
    check(&place, &["check", "warned.xml"], Some("`helve explain W0102` tells more."));
    check(&place, &["check", "wrong.xml"], Some("`helve explain E0107` tells more."));
    check(
        &place,
        &["check", "warned.xml", "gone.xml", "wrong.xml"],
        Some("`helve explain E0001` tells more."),
    );
    check(&place, &["run", "wrong.xml"], Some("`helve explain E0107` tells more."));
    check(&place, &["check", "--json", "wrong.xml"], None);
}

#[test]
fn a_mistyped_path_is_told_its_neighbour() {
    #[track_caller]
    fn check(place: &Place, path: &str, expected: &str) {
        let output = place.helve(&["check", path]);
        assert!(text(&output.stderr).contains(&format!("= help: {expected}\n")), "{}", text(&output.stderr));
    }
    let place = Place::new();
    place.write("plan.xml", b"");
    check(&place, "trees/exlpore.xml", "Did you mean `trees/explore.xml`?");
    check(&place, "./plann.xml", "Did you mean `./plan.xml`?");
    check(&place, "paln.xml", "Did you mean `plan.xml`?");
    // A folder is no tree, and nothing is near in a folder that is not there.
    let look = "Check the path; it is looked up from the current folder.";
    check(&place, "tree", look);
    check(&place, "gone/plan.xml", look);
    check(&place, "something-else.xml", look);
}
