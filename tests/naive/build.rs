//! From the text of a tree to the naive tree, subtrees copied in where they are used.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use helve::status::Status;
use helve::text::Source;
use helve::value::{Type, Value};
use helve::xml::{self, Element, XmlLimits};

use super::Fault;
use super::board::Scope;
use super::port::{declared, pointer};
use super::world::{Memory, Node, World};

/// An element with everything in it.
#[derive(Clone, Debug)]
struct Part {
    name: String,
    attributes: BTreeMap<String, String>,
    children: Vec<Part>,
}

impl Part {
    fn of(element: Element<'_>) -> Self {
        let pair = |it: xml::Attribute<'_>| (it.name().to_owned(), it.value().to_owned());
        Self {
            name: element.name().to_owned(),
            attributes: element.attributes().map(pair).collect(),
            children: element.children().map(Self::of).collect(),
        }
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }

    /// `<Action ID="Foo"/>` is a `Foo`.
    fn kind(&self) -> &str {
        match &*self.name {
            "Action" | "Condition" | "Control" | "Decorator" => self.get("ID").unwrap_or(&self.name),
            name => name,
        }
    }
}

/// What the files hold.
#[derive(Default)]
struct Library {
    trees: BTreeMap<String, Part>,
    /// The tree that comes first.
    main: Option<String>,
    /// The ports of subtrees, with their defaults.
    models: BTreeMap<String, Vec<(String, Option<String>)>>,
}

/// Builds the tree of a text in a world that holds its enums and initial keys; `path` is where the
/// text lies, for what it includes.
pub fn build(world: &mut World, text: &str, path: Option<&Path>) -> Result<(), Fault> {
    let mut library = Library::default();
    library.read(text, path)?;
    let main = library.main.clone().ok_or("no main tree")?;
    let root = library.trees.get(&main).ok_or("no such main tree")?;
    let child = root.children.first().ok_or("an empty tree")?;
    library.grow(world, child, 0)?;
    Ok(())
}

impl Library {
    fn read(&mut self, text: &str, path: Option<&Path>) -> Result<(), Fault> {
        let (document, faults) = xml::read(&Source::new("case", text), &XmlLimits::default());
        let root = Part::of(document.ok_or_else(|| faults.render(false))?.root());
        self.main = root.get("main_tree_to_execute").map(str::to_owned);
        let parts = |name: &'static str| root.children.iter().filter(move |it| it.name == name);
        for include in parts("include") {
            let main = self.main.take();
            let beside = path.and_then(Path::parent).ok_or("an include of nowhere")?;
            let path = beside.join(include.get("path").unwrap_or_default());
            let text = fs::read_to_string(&path).map_err(|fault| fault.to_string())?;
            self.read(&text, Some(&path))?;
            self.main = main;
        }
        for tree in parts("BehaviorTree") {
            let id = tree.get("ID").unwrap_or_default().to_owned();
            if self.main.is_none() {
                self.main = Some(id.clone());
            }
            self.trees.insert(id, tree.clone());
        }
        for model in parts("TreeNodesModel").flat_map(|it| &it.children).filter(|it| it.name == "SubTree") {
            let port = |it: &Part| Some((it.get("name")?.to_owned(), it.get("default").map(str::to_owned)));
            let ports = model.children.iter().filter_map(port).collect();
            self.models.insert(model.get("ID").unwrap_or_default().to_owned(), ports);
        }
        Ok(())
    }

    /// Adds a node and everything under it, numbered in the order of the document.
    fn grow(&self, world: &mut World, part: &Part, scope: usize) -> Result<usize, Fault> {
        let id = world.nodes.len();
        let kind = part.kind();
        let called = if kind == "SubTree" { part.get("ID").unwrap_or_default() } else { kind };
        let path = match part.get("name") {
            Some(name) if name != called => name.to_owned(),
            _ => format!("{called}::{}", id + 1),
        };
        let around = &world.board.scopes[scope];
        let path = if around.parent.is_some() { format!("{}/{path}", around.path) } else { path };
        world.nodes.push(Node {
            kind: kind.to_owned(),
            path: path.clone(),
            attributes: part.attributes.clone(),
            scope,
            children: Vec::new(),
            status: Status::Idle,
            memory: Memory::default(),
        });
        let children = if kind == "SubTree" {
            let tree = self.trees.get(called).ok_or("no such subtree")?;
            let inside = self.enter(world, part, scope, path)?;
            vec![self.grow(world, tree.children.first().ok_or("an empty tree")?, inside)?]
        } else {
            declare(world, part, scope);
            part.children.iter().map(|child| self.grow(world, child, scope)).collect::<Result<_, _>>()?
        };
        world.nodes[id].children = children;
        Ok(id)
    }

    /// The scope of a subtree: its remapped keys, and those it is given as literals.
    fn enter(&self, world: &mut World, part: &Part, scope: usize, path: String) -> Result<usize, Fault> {
        let inside = world.board.scopes.len();
        let autoremap = matches!(part.get("_autoremap"), Some("true" | "1" | "TRUE" | "True"));
        world.board.scopes.push(Scope { parent: Some(scope), autoremap, path, ..Scope::default() });
        let mut given = part.attributes.clone();
        given.retain(|name, _| !name.starts_with('_') && name != "ID" && name != "name");
        for (name, default) in self.models.get(part.get("ID").unwrap_or_default()).into_iter().flatten() {
            if let Some(default) = default {
                given.entry(name.clone()).or_insert_with(|| default.clone());
            }
        }
        for (name, text) in given {
            match pointer(&name, &text) {
                Some(key) => {
                    world.board.scopes[inside].remap.insert(name, key);
                }
                None => {
                    world.board.scopes[inside].constants.push(name.clone());
                    let (ty, value) = by_its_look(&text);
                    world.board.write(inside, &name, ty, value)?;
                }
            }
        }
        Ok(inside)
    }
}

/// Every key that a port names is there from the beginning.
fn declare(world: &mut World, part: &Part, scope: usize) {
    let is_port = |name: &str| !name.starts_with('_') && name != "ID" && name != "name";
    for (name, text) in part.attributes.iter().filter(|(name, _)| is_port(name)) {
        if let Some(key) = pointer(name, text) {
            world.board.declare(scope, &key, declared(part.kind(), name));
        }
    }
}

/// A literal that a subtree is given is an integer, a real or a text.
fn by_its_look(text: &str) -> (Type, Value) {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
    match (text.parse(), text.parse()) {
        (Ok(int), _) if is_number => (Type::Int, Value::Int(int)),
        (_, Ok(real)) if is_number => (Type::Real, Value::Real(real)),
        _ => (Type::Text, Value::text(text)),
    }
}
