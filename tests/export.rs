//! What editors are given: the model reads back, trees that carry it still check clean, and the schema
//! takes whatever Helve takes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use helve::backend::process::{self, Surroundings};
use helve::catalog::{
    Catalog, Class, Leaf, LeafContext, LeafError, NodeManifest, PortManifest, tool_manifest,
};
use helve::conformance::{self, Log, read_folder};
use helve::harness::Root;
use helve::manifest::ToolManifest;
use helve::node;
use helve::status::Status;
use helve::text::Source;
use helve::tool::Registry;
use helve::tools::{code, vault};
use helve::tree::{self, CompileOptions, export};
use helve::value::Type;
use helve::xml::{self, Document, Element, XmlLimits};
use serde_json::json;

mod xsd;

use xsd::Schema;

fn home(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Compares with a file of `tests/data/export`; `HELVE_UPDATE=1` writes it anew.
#[track_caller]
fn check_golden(name: &str, got: &str) {
    let path = home("tests/data/export").join(name);
    if std::env::var_os("HELVE_UPDATE").is_some() {
        fs::write(&path, got).expect("a golden file can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == got, "{name} is not what is written now; HELVE_UPDATE=1 writes it anew:\n{got}");
}

#[test]
fn the_built_in_nodes_are_exported_as_they_were() {
    check_golden("builtin.model.xml", &export::nodes_model(&node::catalog()));
    check_golden("builtin.xsd", &export::schema(&node::catalog()));
}

#[test]
fn enum_names_are_exported_where_a_port_takes_one() {
    let mut catalog = Catalog::default();
    let door = [
        PortManifest::input("colour", Type::Int, "How it is painted.").optional(),
        PortManifest::input("floor", Type::Uint, "").optional(),
        PortManifest::input("width", Type::Real, "").optional(),
        PortManifest::input("sign", Type::Text, "").optional(),
        PortManifest::output("opened", Type::Int, "How often.").or("{opened}"),
    ];
    catalog.add(NodeManifest::leaf("Paint", Class::Action, door.into(), Idle)).expect("a new name");
    let names = [("RED", 1), ("GREEN", 2), ("CELLAR", -1), ("ALSO_RED", 1), ("FAR", 1 << 40)];
    for (name, number) in names {
        catalog.define_enum(name, number).expect("a new name");
    }
    check_golden("enums.model.xml", &export::nodes_model(&catalog));
    let text = export::schema(&catalog);
    check_golden("enums.xsd", &text);
    let document = read("trees.xsd", &text);
    let schema = Schema::new(&document);
    for (attribute, is_taken) in [
        ("colour='GREEN'", true),
        ("colour='CELLAR'", true),
        ("colour='BLUE'", false),
        ("colour='green'", false),
        ("floor='RED'", true),
        ("floor='CELLAR'", false),
        ("width='ALSO_RED'", true),
        ("sign='BLUE'", true),
        ("opened='RED'", false),
    ] {
        let text = format!(
            "<root BTCPP_format=\"4\"><BehaviorTree ID=\"A\"><Paint {attribute}/></BehaviorTree></root>"
        );
        let source = Source::new("tree.xml", &*text);
        let (tree, faults) = tree::load_with_warnings(&source, &catalog, &CompileOptions::default());
        let fits = schema.faults(&read("tree.xml", &text)).is_empty();
        assert_eq!((tree.is_some(), fits), (is_taken, is_taken), "{attribute}: {faults}");
    }
}

/// A leaf that is there for its ports.
struct Idle;

impl Leaf for Idle {
    fn start(&self, _: &mut dyn LeafContext) -> Result<Status, LeafError> {
        Ok(Status::Success)
    }
}

/// Everything that a tree of this repository is made of: the dialect, the leaves of the cases and of the
/// lessons, the built-in tools; and a tool that makes it hard.
fn catalog() -> Catalog {
    let mut catalog = conformance::catalog(&Log::default()).expect("new names");
    let door = || vec![PortManifest::input("door", Type::Any, "").optional()];
    for (name, class) in [("IsOpen", Class::Condition), ("TryKey", Class::Action), ("Knock", Class::Action)] {
        catalog.add(NodeManifest::leaf(name, class, door(), Idle)).expect("a new name");
    }
    let properties = json!({
        "text": {"type": "string", "description": "a \"quoted\" <text>\nof two lines & more"},
        "min_length": {"type": "integer"},
        "name": {"type": "string"},
        "not a name": {"type": "boolean"},
    });
    let output = json!({"type": "object", "properties": {"longest": {"type": "string"}}});
    let input = json!({"type": "object", "properties": properties, "required": ["text"]});
    let hard = ToolManifest::new("word.count", "Counts & says \u{1}.", input).output_schema(output);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let index = code::CodeIndex::open(folder.path()).expect("the folder is there");
    let notes = vault::Vault::open(folder.path()).expect("the folder is there");
    let mut registry = Registry::new();
    for tool in code::tools(index).into_iter().chain(vault::tools(Arc::new(notes))) {
        registry.add(tool).expect("a new tool");
    }
    let root = Root::open(folder.path()).expect("the folder is there");
    for tool in process::load(&[home("trees/tools")], &Surroundings::new(root)).expect("good manifests") {
        registry.add(tool).expect("a new tool");
    }
    for manifest in registry.manifests().cloned().chain([Arc::new(hard)]) {
        catalog.add(tool_manifest(manifest).expect("a good manifest")).expect("a new name");
    }
    catalog
}

fn read(name: &str, text: &str) -> Document {
    let (document, faults) = xml::read(&Source::new(name, text), &XmlLimits::default());
    assert!(faults.is_empty(), "{faults}\n{text}");
    document.expect("a document")
}

/// The text inside an element, entities read.
fn text_of(element: Element<'_>, source: &str) -> String {
    let spans = element.texts().map(|span| source[span.range()].trim_end().to_owned());
    let text = spans.collect::<Vec<_>>().join(" ");
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

#[test]
fn the_model_reads_back_as_the_catalog() {
    let catalog = catalog();
    let text = export::nodes_model(&catalog);
    let document = read("model.xml", &text);
    let models = document.root().children().next().expect("a TreeNodesModel");
    let mut models = models.children();
    for manifest in catalog.iter().filter(|it| it.class != Class::SubTree) {
        let model = models.next().unwrap_or_else(|| panic!("no model of {}", manifest.name));
        let value =
            |element: Element<'_>, name: &str| element.attribute(name).map(|it| it.value().to_owned());
        assert_eq!(model.name(), manifest.class.as_str());
        assert_eq!(value(model, "ID").as_deref(), Some(&*manifest.name));
        let mut parts = model.children();
        for port in manifest.ports.iter().filter(|port| !port.name.starts_with('_')) {
            let part = parts.next().unwrap_or_else(|| panic!("no port {}", port.name));
            assert_eq!(part.name(), port.direction.as_str());
            assert_eq!(value(part, "name").as_deref(), Some(&*port.name));
            let ty = value(part, "type").map_or(Some(Type::Any), |name| Type::parse(&name));
            assert_eq!(ty, Some(port.ty), "{}", port.name);
            assert_eq!(value(part, "default").as_deref(), port.default.as_deref());
            assert_eq!(text_of(part, &text), *port.doc);
        }
        let doc = manifest.doc.replace('\u{1}', "\u{FFFD}");
        assert_eq!(parts.next().map(|it| text_of(it, &text)).unwrap_or_default(), doc);
    }
    assert!(models.next().is_none());
}

fn trees() -> Vec<(String, String)> {
    let folders = [home("trees"), home("trees/lessons")];
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("the trees"));
    let paths = files
        .map(|entry| entry.expect("an entry").path())
        .filter(|it| it.extension().is_some_and(|it| it == "xml"));
    let trees: Vec<_> =
        paths.map(|it| (it.display().to_string(), fs::read_to_string(it).expect("a tree"))).collect();
    assert!(trees.len() >= 3);
    trees
}

#[test]
fn a_tree_that_carries_the_model_checks_clean() {
    let catalog = catalog();
    let model = export::nodes_model(&catalog);
    let (_, models) = model.split_once("<TreeNodesModel>").expect("the model");
    let (models, _) = models.split_once("</TreeNodesModel>").expect("the model's end");
    for (name, text) in trees() {
        let with = match text.contains("<TreeNodesModel>") {
            true => text.replace("<TreeNodesModel>", &format!("<TreeNodesModel>{models}")),
            false => text.replace("</root>", &format!("<TreeNodesModel>{models}</TreeNodesModel></root>")),
        };
        assert!(with.len() > text.len(), "{name}");
        let (tree, faults) =
            tree::load_with_warnings(&Source::new(&*name, with), &catalog, &CompileOptions::default());
        assert!(tree.is_some() && faults.is_empty(), "{faults}");
    }
}

#[test]
fn a_port_is_described_by_an_attribute_or_by_its_text() {
    #[track_caller]
    fn check(port: &str, expected: &str) {
        let text = format!(
            "<root BTCPP_format=\"4\"><BehaviorTree ID=\"A\"><Script code=\"x := k\"/></BehaviorTree>\
             <TreeNodesModel><SubTree ID=\"A\">{port}</SubTree></TreeNodesModel></root>"
        );
        let tree = tree::load(&Source::new("a.xml", text), &node::catalog(), &CompileOptions::default());
        let tree = tree.unwrap_or_else(|faults| panic!("{faults}"));
        assert_eq!(tree.inputs().iter().map(|it| &*it.doc).collect::<Vec<_>>(), [expected]);
    }
    check("<input_port name=\"k\"/>", "");
    check("<input_port name=\"k\" description=\"a &lt; b\">not this</input_port>", "a < b");
    check("<input_port name=\"k\"> a &lt; b <!-- c --> and d </input_port>", "a < b and d");
}

#[test]
fn the_schema_takes_every_tree_that_loads() {
    let catalog = catalog();
    let text = export::schema(&catalog);
    let document = read("trees.xsd", &text);
    let schema = Schema::new(&document);
    let cases = read_folder(&home("tests/data/conformance")).expect("the cases");
    let cases = cases.into_iter().map(|case| (case.name(), case.xml));
    let mut taken = 0;
    for (name, text) in trees().into_iter().chain(cases) {
        let source = Source::new(&*name, text);
        let (tree, faults) = tree::load_with_warnings(&source, &catalog, &CompileOptions::default());
        if tree.is_none() || !faults.is_empty() {
            continue;
        }
        taken += 1;
        let (document, _) = xml::read(&source, &XmlLimits::default());
        let mut faults = schema.faults(&document.expect("it loaded"));
        // The dialect ignores attributes that begin with `_` and elements under the root that it does
        // not know. No schema can say the one without taking every slip, and the other is mostly one.
        faults.retain(|fault| !fault.contains(": _") && !fault.ends_with(" in root"));
        assert!(faults.is_empty(), "{name}: {faults:?}");
    }
    assert!(taken > 200, "only {taken} were looked at");
    let model = export::nodes_model(&catalog);
    assert_eq!(schema.faults(&read("model.xml", &model)), [""; 0]);
}

#[test]
fn the_schema_refuses_what_it_can_see() {
    let text = export::schema(&catalog());
    let document = read("trees.xsd", &text);
    let schema = Schema::new(&document);
    #[track_caller]
    fn check(schema: &Schema<'_>, body: &str, expected: &[&str]) {
        let text = format!("<root BTCPP_format=\"4\"><BehaviorTree ID=\"A\">{body}</BehaviorTree></root>");
        assert_eq!(schema.faults(&read("tree.xml", &text)), expected, "{body}");
    }
    check(&schema, "<AlwaysSuccess/>", &[]);
    check(&schema, "<AlwaysSuccess name='a' _skipIf='x' _uid='3'/>", &[]);
    check(&schema, "<Sequense/>", &["Sequense in BehaviorTree"]);
    check(&schema, "<AlwaysSuccess/><AlwaysSuccess/>", &["BehaviorTree: 2 children"]);
    check(&schema, "<Inverter/>", &["Inverter: 0 children"]);
    check(&schema, "<AlwaysSuccess speed='1'/>", &["AlwaysSuccess: speed"]);
    check(&schema, "<Delay><AlwaysSuccess/></Delay>", &["Delay: no delay_msec"]);
    check(&schema, "<Delay delay_msec='1s'><AlwaysSuccess/></Delay>", &["Delay: delay_msec=\"1s\""]);
    check(&schema, "<Delay delay_msec='-1'><AlwaysSuccess/></Delay>", &["Delay: delay_msec=\"-1\""]);
    check(&schema, "<Delay delay_msec='{ms}'><AlwaysSuccess/></Delay>", &[]);
    check(&schema, "<search_code result='hits'/>", &["search_code: result=\"hits\""]);
    check(&schema, "<search_code result='{hits}'/>", &[]);
    check(&schema, "<word_count text='a' arg_name='b'/>", &[]);
    check(&schema, "<SubTree/>", &["SubTree: no ID"]);
    check(&schema, "<SubTree ID='B' any='{k}'/>", &[]);
    check(&schema, "<Action ID='search_code' query='x'/>", &[]);
}

#[expect(clippy::disallowed_methods, reason = "the test is about the process itself")]
fn helve(arguments: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_helve"));
    let output = command.args(arguments).current_dir(folder.path()).output().expect("helve can be started");
    (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
}

#[test]
fn the_command_exports_the_tools_too() {
    for (format, tool) in
        [("groot", "<Action ID=\"vault_write\">"), ("xsd", "<xs:element name=\"vault_write\"")]
    {
        let (code, out) = helve(&["nodes", "--export", format]);
        assert_eq!(code, Some(0));
        assert!(out.contains(tool), "{out}");
        read(format, &out);
    }
    for also in ["--json", "Sequence"] {
        assert_eq!(helve(&["nodes", "--export", "xsd", also]), (Some(2), String::new()), "{also}");
    }
}
