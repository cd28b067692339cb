//! Puts other leaves in place while a tree is compiled.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::catalog::{Catalog, Class, Direction, Kind, NodeManifest, PortManifest, Role};
use crate::convert;
use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::expr::Program;
use crate::id::{NodeId, ScopeId};
use crate::status::Status;
use crate::tree::compile::{Compiler, Frame};
use crate::tree::definition::{DefBinding, DefNode};
use crate::tree::port_text::{self, PortText};
use crate::tree::substitution::rules::{Rule, SCRIPTS, TestConfig};
use crate::tree::{Binding, Script, ScriptName, Substitutions};
use crate::value::Type;

/// A leaf in whose place another runs.
#[derive(Clone, Debug)]
pub struct Substituted {
    /// What the tree says there is.
    pub original: Arc<NodeManifest>,
    /// What runs instead: `AlwaysSuccess`, `TestNode: found`.
    pub by: Arc<str>,
}

/// A test node: it calls nothing, answers as it was told to, and runs scripts.
#[derive(Clone, Debug)]
pub struct TestNode {
    /// The name of its configuration.
    pub name: Arc<str>,
    /// What it answers, unless a script says.
    pub status: Status,
    /// How long it runs before it answers.
    pub delay: Duration,
    scripts: [Option<Script>; SCRIPTS.len()],
}

impl TestNode {
    /// The script that says what it answers.
    pub fn status_script(&self) -> Option<&Script> {
        self.scripts[0].as_ref()
    }

    /// The scripts that run with an answer, each with the name of its field.
    pub fn scripts_after(&self, status: Status) -> impl Iterator<Item = (&'static str, &Script)> {
        let own = match status {
            Status::Success => Some(1),
            Status::Failure => Some(2),
            _ => None,
        };
        own.into_iter().chain([3]).filter_map(|which| Some((SCRIPTS[which], self.scripts[which].as_ref()?)))
    }

    /// All of its scripts.
    pub fn scripts(&self) -> impl Iterator<Item = &Script> {
        self.scripts.iter().flatten()
    }
}

/// The rules while a tree is compiled with them.
pub(in crate::tree) struct Replacing<'r> {
    rules: &'r Substitutions,
    targets: Vec<Option<Target<'r>>>,
    used: Vec<bool>,
    /// The numbers of manifests that no element of the tree has.
    numbers: HashMap<usize, u32>,
}

/// What a rule puts in place.
#[derive(Clone, Copy)]
enum Target<'r> {
    Test(&'r TestConfig),
    Node(&'r Arc<NodeManifest>),
}

impl<'r> Replacing<'r> {
    pub fn new(rules: &'r Substitutions, catalog: &'r Catalog, faults: &mut Diagnostics) -> Self {
        let targets: Vec<_> = (rules.rules.iter())
            .map(|rule| target(rules, rule, catalog).map_err(|fault| faults.push(fault)).ok())
            .collect();
        Self { rules, used: vec![false; targets.len()], targets, numbers: HashMap::new() }
    }

    /// Tells of patterns that no leaf fits: most likely a slip, or a rule for another tree.
    pub fn tell_unused(&self, faults: &mut Diagnostics) {
        let unused = self.rules.rules.iter().zip(&self.used).filter(|(_, used)| !**used);
        for (rule, _) in unused {
            faults.push(
                Diagnostic::new(Code::W0111, format!("the rule `{}` replaces nothing", rule.pattern))
                    .at(&self.rules.source, rule.pattern_span, "no leaf of the tree fits")
                    .note("it is compared with the name, the type and the full path of every leaf, after the rules before it")
                    .help("Correct the pattern, or remove the rule; `helve draw` shows the leaves."),
            );
        }
    }
}

fn target<'r>(rules: &'r Substitutions, rule: &Rule, catalog: &'r Catalog) -> Result<Target<'r>, Diagnostic> {
    if let Some(config) = rules.configs.iter().find(|config| config.name == rule.target) {
        return Ok(Target::Test(config));
    }
    let fault = |message: String, help: String| {
        Diagnostic::new(Code::E0143, message).at(&rules.source, rule.target_span, "").help(help)
    };
    let Some(node) = catalog.get(&rule.target) else {
        let known = rules.configs.iter().map(|config| &*config.name).chain(catalog.names());
        let help = match did_you_mean(&rule.target, known) {
            Some(near) => format!("Did you mean `{near}`?"),
            None => "Add a test node of this name to `TestNodeConfigs`.".to_owned(),
        };
        return Err(fault(format!("there is neither a test node nor a node named `{}`", rule.target), help));
    };
    if matches!(node.class, Class::Action | Class::Condition) {
        return Ok(Target::Node(node));
    }
    Err(fault(
        format!("`{}` has children, and only leaves are replaced", node.name),
        "Name a leaf, such as `AlwaysSuccess`, or a test node.".to_owned(),
    ))
}

impl<'r> Compiler<'r> {
    /// Puts another leaf in the place of `id`, which has no ports yet, when a rule says so; answers
    /// whether its ports are bound already.
    pub(in crate::tree) fn replace(&mut self, frame: &mut Frame<'r>, def: &'r DefNode, id: NodeId) -> bool {
        let Some(replacing) = &mut self.replacing else { return false };
        let original = &self.resolved.shared.manifests[def.manifest as usize];
        if !matches!(original.class, Class::Action | Class::Condition) {
            return false;
        }
        let tool = original.tool.as_ref().map(|tool| tool.manifest.name.as_str());
        let name = self.tree.name_of(id);
        let is_called = |text: &str| name == Some(text) || original.name == text || tool == Some(text);
        let Some(rule) = replacing.rules.find(is_called, || self.tree.path(id)) else { return false };
        replacing.used[rule] = true;
        let Some(target) = replacing.targets[rule] else { return false };
        let by = match target {
            Target::Test(config) => format!("TestNode: {}", config.name),
            Target::Node(node) => node.name.to_string(),
        };
        let substituted = Substituted { original: original.clone(), by: by.into() };
        self.tree.substituted.insert(id, substituted);
        match target {
            Target::Test(config) => {
                self.tree.nodes[id.index()].kind = Kind::TestNode;
                self.tree.nodes[id.index()].data = self.tree.tests.len() as u32;
                let scripts =
                    config.scripts.each_ref().map(|it| Some(self.test_script(frame.scope, it.as_ref()?)));
                let TestConfig { name, status, delay, .. } = config.clone();
                self.tree.tests.push(TestNode { name, status, delay, scripts });
                false
            }
            Target::Node(node) => {
                self.put(node, id);
                self.rebind((frame, def), (id, rule), node);
                true
            }
        }
    }

    /// A script of a test node, with the keys as the replaced element sees them.
    fn test_script(&mut self, scope: ScopeId, program: &Arc<Program>) -> Script {
        let names = program.names().iter().map(|name| {
            let slot = self.tree.layout.resolve(scope, &name.text);
            self.tree.layout.slot_mut(slot).is_written |= name.assigns || name.creates;
            ScriptName { slot, number: self.tree.enum_value(&name.text) }
        });
        Script { names: names.collect(), program: program.clone() }
    }

    fn put(&mut self, node: &Arc<NodeManifest>, id: NodeId) {
        let manifests = &mut self.tree.manifests;
        let Some(replacing) = &mut self.replacing else { return };
        let number = *replacing.numbers.entry(Arc::as_ptr(node) as usize).or_insert_with(|| {
            manifests.push(node.clone());
            manifests.len() as u32 - 1
        });
        self.tree.nodes[id.index()].kind = node.kind;
        self.tree.infos[id.index()].manifest = number;
    }

    /// Binds the ports of the new leaf to what the replaced one has under the same name.
    fn rebind(
        &mut self,
        (frame, def): (&mut Frame<'r>, &'r DefNode),
        (id, rule): (NodeId, usize),
        node: &Arc<NodeManifest>,
    ) {
        let original = &self.resolved.shared.manifests[def.manifest as usize];
        for (index, port) in node.ports.iter().enumerate() {
            let bound = original.port(&port.name).map_or(DefBinding::Absent, |(place, _)| {
                frame.definition.bindings[def.ports as usize + place]
            });
            let binding = match bound {
                DefBinding::Absent => self.default_binding(frame.scope, port),
                bound if fits(bound, port) => self.binding(frame, bound, id, (index, port)),
                _ => Binding::Absent,
            };
            let needs = port.required || port.direction.writes() && node.kind == Kind::Leaf;
            if binding == Binding::Absent && needs {
                self.misfit(frame, def, (rule, node), port);
            }
            self.tree.bindings.push(binding);
        }
    }

    fn default_binding(&mut self, scope: ScopeId, port: &PortManifest) -> Binding {
        let Some(default) = &port.default else { return Binding::Absent };
        match port_text::parse(default, &port.name) {
            Ok(PortText::Pointer(pointer)) if pointer.path.is_empty() => {
                let slot = self.tree.layout.resolve(scope, &pointer.key.into());
                self.tree.layout.slot_mut(slot).is_written |= port.direction == Direction::Out;
                Binding::Slot(slot)
            }
            _ => match convert::from_text(default, port.ty) {
                Ok(value) => {
                    self.tree.literals.push(value);
                    Binding::Literal(self.tree.literals.len() as u32 - 1)
                }
                Err(_) => Binding::Absent,
            },
        }
    }

    fn misfit(
        &mut self,
        frame: &Frame<'r>,
        def: &DefNode,
        (rule, node): (usize, &NodeManifest),
        port: &PortManifest,
    ) {
        let Some(replacing) = &self.replacing else { return };
        let (rules, rule) = (replacing.rules, &replacing.rules.rules[rule]);
        self.diagnostics.push(
            Diagnostic::new(
                Code::E0144,
                format!("`{}` cannot take this place: it needs its port `{}`", node.name, port.name),
            )
            .at(&rules.source, rule.target_span, "put in place here")
            .and_at(&frame.definition.source, def.span, "this leaf has no such port that would do")
            .note("ports are bound by name to what the replaced leaf has under that name")
            .help("Use a node whose ports have the same names, or a test node with scripts."),
        );
    }
}

/// Whether what a port was bound to makes sense for another one of its name.
fn fits(bound: DefBinding, port: &PortManifest) -> bool {
    match bound {
        DefBinding::Key(_) => true,
        DefBinding::Script(_) => port.role == Role::Script || port.ty == Type::Text,
        _ => !port.direction.writes() && port.role == Role::Value,
    }
}
