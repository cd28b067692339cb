//! An XML Schema of tree files: what editors complete, and what they underline.

use crate::catalog::{Catalog, Children, Class, Direction, NodeManifest, PortManifest};
use crate::tree::check::KNOBS;
use crate::tree::export::markup::{Markup, is_name};
use crate::tree::export::port_type::{definitions, type_of};

/// Attributes without a meaning that other writers of the dialect leave on nodes.
const FOREIGN_KNOBS: [&str; 2] = ["_fullpath", "_uid"];
/// The elements of the explicit form, `<Action ID="search_code"/>`.
const EXPLICIT: [Class; 4] = [Class::Action, Class::Condition, Class::Control, Class::Decorator];
/// The group of everything that a node may be.
const NODE: &str = "node";
/// The group of attributes that every node may have.
const COMMON: &str = "commonAttributes";
/// The type of the explicit form, whose ports depend on its `ID`.
const EXPLICIT_TYPE: &str = "explicitNode";
/// What stands before a node's name in the name of its type, so that none is one of those above.
const TYPE_PREFIX: &str = "node_";

/// An XML Schema 1.0 of the files whose trees are made of a catalog's nodes.
///
/// It says less than `helve check`, which knows types, keys and expressions; and it knows no other
/// nodes than the catalog's.
pub fn schema(catalog: &Catalog) -> String {
    let is_element = |name: &str| is_name(name) && !EXPLICIT.iter().any(|class| class.as_str() == name);
    let nodes: Vec<_> = catalog.iter().filter(|it| is_element(&it.name)).map(|it| &**it).collect();
    Markup::new("xs:schema")
        .with("xmlns:xs", "http://www.w3.org/2001/XMLSchema")
        .children([root(), tree(), include(), models(), model("portModel")])
        .children(definitions(catalog))
        .children([common(), group(&nodes), explicit()])
        .children(nodes.iter().map(|manifest| node(manifest)))
        .document()
}

fn element(name: impl Into<String>) -> Markup {
    Markup::new("xs:element").with("name", name)
}

fn attribute(name: impl Into<String>, ty: &str, is_required: bool) -> Markup {
    let attribute = Markup::new("xs:attribute").with("name", name).with("type", ty);
    if is_required { attribute.with("use", "required") } else { attribute }
}

fn reference(kind: &'static str, name: &str) -> Markup {
    Markup::new(kind).with("ref", name)
}

/// Attributes that are not looked at.
fn any_attribute() -> Markup {
    Markup::new("xs:anyAttribute").with("processContents", "skip")
}

/// Any number of these.
fn many(of: impl IntoIterator<Item = Markup>) -> Markup {
    Markup::new("xs:choice").with("minOccurs", "0").with("maxOccurs", "unbounded").children(of)
}

fn documentation(text: &str) -> Option<Markup> {
    let documentation = Markup::new("xs:documentation").text(text);
    (!text.is_empty()).then(|| Markup::new("xs:annotation").child(documentation))
}

fn root() -> Markup {
    let inside = ["include", "BehaviorTree", "TreeNodesModel"];
    let content = Markup::new("xs:complexType")
        .child(many(inside.map(|name| reference("xs:element", name))))
        .child(attribute("BTCPP_format", "xs:string", true))
        .child(attribute("main_tree_to_execute", "xs:string", false))
        .child(any_attribute());
    element("root").child(content)
}

fn tree() -> Markup {
    let content = Markup::new("xs:complexType")
        .child(reference("xs:group", NODE))
        .child(attribute("ID", "xs:string", false))
        .child(any_attribute());
    element("BehaviorTree").child(content)
}

fn include() -> Markup {
    let path = attribute("path", "xs:string", true);
    let package = attribute("ros_pkg", "xs:string", false);
    element("include").child(Markup::new("xs:complexType").child(path).child(package))
}

/// `TreeNodesModel`, by the form that editors of the dialect write.
fn models() -> Markup {
    let ports = [Direction::In, Direction::Out, Direction::InOut];
    let ports = ports.map(|direction| element(direction.as_str()).with("type", "portModel"));
    let metadata =
        Markup::new("xs:complexType").child(many([Markup::new("xs:any").with("processContents", "skip")]));
    let inside = (ports.into_iter())
        .chain([element("description").with("type", "xs:string"), element("MetadataFields").child(metadata)]);
    let model = Markup::new("xs:complexType")
        .child(many(inside))
        .child(attribute("ID", "xs:string", true))
        .child(any_attribute());
    let classes = EXPLICIT.iter().chain([&Class::SubTree]);
    let models = classes.map(|class| element(class.as_str()).child(model.clone()));
    element("TreeNodesModel").child(Markup::new("xs:complexType").child(many(models)))
}

/// A port of a model: its description is its text, or an attribute.
fn model(name: &str) -> Markup {
    let attributes = ["type", "default", "description"].map(|name| attribute(name, "xs:string", false));
    let extension = Markup::new("xs:extension")
        .with("base", "xs:string")
        .child(attribute("name", "xs:string", true))
        .children(attributes);
    let content = Markup::new("xs:simpleContent").child(extension);
    Markup::new("xs:complexType").with("name", name).child(content)
}

fn common() -> Markup {
    let names = ["name"].into_iter().chain(KNOBS).chain(FOREIGN_KNOBS);
    Markup::new("xs:attributeGroup")
        .with("name", COMMON)
        .children(names.map(|name| attribute(name, "xs:string", false)))
}

fn group(nodes: &[&NodeManifest]) -> Markup {
    let compact = nodes.iter().map(|it| element(&*it.name).with("type", format!("{TYPE_PREFIX}{}", it.name)));
    let explicit = EXPLICIT.iter().map(|class| element(class.as_str()).with("type", EXPLICIT_TYPE));
    let choice = Markup::new("xs:choice").children(compact.chain(explicit));
    Markup::new("xs:group").with("name", NODE).child(choice)
}

/// The explicit form: which ports and children it has depends on its `ID`, which no schema can say.
fn explicit() -> Markup {
    Markup::new("xs:complexType")
        .with("name", EXPLICIT_TYPE)
        .child(many([reference("xs:group", NODE)]))
        .child(attribute("ID", "xs:string", true))
        .child(any_attribute())
}

fn node(manifest: &NodeManifest) -> Markup {
    let is_subtree = manifest.class == Class::SubTree;
    // A port whose name no attribute can have is given by `args` alone.
    let ports = manifest.ports.iter().filter(|port| is_name(&port.name));
    Markup::new("xs:complexType")
        .with("name", format!("{TYPE_PREFIX}{}", manifest.name))
        .children(documentation(&manifest.doc))
        .children(children(manifest.children))
        .child(reference("xs:attributeGroup", COMMON))
        .children(ports.map(port))
        .children(is_subtree.then(|| attribute("ID", "xs:string", true)))
        // The keys of the other tree.
        .children(is_subtree.then(any_attribute))
}

fn children(children: Children) -> Option<Markup> {
    let (least, most) = match children {
        Children::Exactly(0) => return None,
        Children::Exactly(count) => (count, count.to_string()),
        Children::AtLeast(least) => (least, "unbounded".to_owned()),
        Children::Between(least, most) => (least, most.to_string()),
    };
    Some(reference("xs:group", NODE).with("minOccurs", least.to_string()).with("maxOccurs", most))
}

fn port(port: &PortManifest) -> Markup {
    let is_required = port.required && port.default.is_none();
    attribute(&*port.name, type_of(port), is_required)
        .with_some("default", port.default.as_deref())
        .children(documentation(&port.doc))
}
