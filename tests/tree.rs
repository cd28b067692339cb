//! From text to a compiled tree: every fault of a file with its place, and what good files become.
//!
//! A case is a pair of files under `tests/data/tree`: `err/NNNN_slug.{xml,txt}` holds all
//! diagnostics, `ok/NNNN_slug.{xml,txt}` the drawn tree and its keys. `HELVE_UPDATE=1` writes them anew.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use helve::catalog::{
    Catalog, Class, Leaf, LeafContext, LeafError, NodeManifest, PortManifest, tool_manifest,
};
use helve::diag::{Code, Diagnostics};
use helve::manifest::ToolManifest;
use helve::node;
use helve::status::Status;
use helve::text::Source;
use helve::tree::{self, CompileOptions, Mark, Tree};
use helve::value::Type;
use serde_json::json;

fn folder(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tree").join(kind)
}

/// The dialect, two tools, two leaves and an enum.
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
    let count = vec![PortManifest::inout("n", Type::Int, "what is counted")];
    let greet = vec![
        PortManifest::input("who", Type::Text, "who is greeted"),
        PortManifest::output("greeting", Type::Text, "what is said"),
    ];
    for (name, ports) in [("Count", count), ("Greet", greet)] {
        catalog.add(NodeManifest::leaf(name, Class::Action, ports, Idle)).expect("a new name");
    }
    catalog.define_enum("RED", 1).and_then(|it| it.define_enum("GREEN", 2)).expect("new names");
    catalog
}

/// A leaf that is only ever loaded.
struct Idle;

impl Leaf for Idle {
    fn start(&self, _: &mut dyn LeafContext) -> Result<Status, LeafError> {
        Ok(Status::Success)
    }
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
/// The codes of substitution rules, whose cases stand beside their reader and on their pages.
const OF_RULES: [Code; 5] = [Code::E0141, Code::E0142, Code::E0143, Code::E0144, Code::W0111];

#[test]
fn every_code_of_trees_has_a_case() {
    let seen: BTreeSet<Code> = cases("err")
        .iter()
        .flat_map(|case| load(case).1.iter().map(|it| it.code).collect::<Vec<_>>())
        .collect();
    let missing: Vec<_> = (Code::ALL.iter())
        .filter(|code| code.id().starts_with("E01") || code.id().starts_with("W01"))
        .filter(|code| !seen.contains(code) && !OF_SEVERAL_FILES.contains(code))
        .filter(|code| !OF_RULES.contains(code))
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

/// One element for each way in which a port uses the key `k`.
const USES: [&str; 12] = [
    "<Count n='{k}'/>",
    "<Greet who='{k}' greeting='{said}'/>",
    "<Greet who='x' greeting='{k}'/>",
    "<Repeat num_cycles='{k}'><AlwaysSuccess/></Repeat>",
    "<Delay delay_msec='{k}'><AlwaysSuccess/></Delay>",
    "<Switch2 variable='{k}' case_1='1' case_2='2'><AlwaysSuccess/><AlwaysSuccess/><AlwaysSuccess/></Switch2>",
    "<search query='{k}'/>",
    "<search query='x' limit='{k}'/>",
    "<search query='x' deep='{k}'/>",
    "<search query='x' total='{k}'/>",
    "<search query='x' hits='{k}'/>",
    "<SetBlackboard value='1' output_key='k'/>",
];

/// Whether a tree is fine, and the type that the key then has.
fn typed(body: &str) -> Result<Type, BTreeSet<Code>> {
    let text = format!(
        r#"<root BTCPP_format="4" main_tree_to_execute="A"><BehaviorTree ID="A"><Sequence>{body}</Sequence>
        </BehaviorTree>{}</root>"#,
        (USES.iter().enumerate())
            .map(|(place, it)| format!("<BehaviorTree ID='T{place}'>{it}</BehaviorTree>"))
            .collect::<String>(),
    );
    match tree::load(&Source::new("t.xml", text), &catalog(), &CompileOptions::default()) {
        Ok(tree) => Ok(tree.layout().slot(tree.slot("k").expect("it is named")).ty),
        Err(faults) => {
            let errors = faults.iter().map(|it| it.code).filter(|code| !code.is_warning());
            Err(errors.collect())
        }
    }
}

/// Every way next to every other, in both orders, and with either of them in a subtree.
#[test]
fn the_type_of_a_key_does_not_depend_on_the_order_of_the_document() {
    let mut refused = 0;
    for (one, first) in USES.iter().enumerate() {
        for (other, second) in USES.iter().enumerate() {
            let told = typed(&format!("{first}{second}"));
            let ways = [
                format!("{second}{first}"),
                format!("{second}<SubTree ID='T{one}' k='{{k}}'/>"),
                format!("<SubTree ID='T{one}' _autoremap='true'/>{second}"),
                format!("<SubTree ID='T{one}' k='{{@k}}'/><SubTree ID='T{other}' k='{{=}}'/>"),
            ];
            for way in ways {
                assert_eq!(typed(&way), told, "{first} and {second}, as {way}");
            }
            if let Err(codes) = told {
                assert_eq!(codes, BTreeSet::from([Code::E0117]), "{first} and {second}");
                refused += 1;
            }
        }
    }
    assert!(refused > 20, "only {refused} pairs were refused");
}

/// A key that comes from outside may hold a text, and so may one that a script from a key writes.
#[test]
fn what_comes_from_outside_without_a_type_may_be_anything() {
    let load = |initial: &[(&str, Type)], more: &str, models: &str| {
        let text = format!(
            r#"<root BTCPP_format="4" main_tree_to_execute="A"><BehaviorTree ID="A"><Sequence>
            <Script code="k := 1; j := k .. 2"/>{more}</Sequence></BehaviorTree>{models}</root>"#
        );
        let initial = initial.iter().map(|&(key, ty)| (key.into(), ty)).collect();
        let options = CompileOptions { initial, ..CompileOptions::default() };
        let faults = tree::load(&Source::new("t.xml", text), &catalog(), &options).err();
        faults.map(|faults| faults.iter().map(|it| it.code.id()).collect::<String>())
    };
    let model = |ty| {
        format!(r#"<TreeNodesModel><SubTree ID="A"><input_port name="k" {ty}/></SubTree></TreeNodesModel>"#)
    };
    assert_eq!(load(&[], "", "").as_deref(), Some("E0304"));
    assert_eq!(load(&[], r#"<Script code="{other}"/>"#, ""), None);
    assert_eq!(load(&[("k", Type::Any)], "", ""), None);
    assert_eq!(load(&[("k", Type::Text)], "", ""), None);
    assert_eq!(load(&[("k", Type::Int)], "", "").as_deref(), Some("E0304"));
    assert_eq!(load(&[], "", &model("")), None);
    assert_eq!(load(&[], "", &model(r#"type="int""#)).as_deref(), Some("E0304"));
}
