//! Expands subtrees into one arena and turns keys into slots.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::catalog::{Direction, Kind, PortManifest};
use crate::convert;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::id::{NodeId, ScopeId, SlotId};
use crate::limits::{SUBTREE_DEPTH_MAX, TREE_NODES_MAX};
use crate::text::{Source, Span};
use crate::tree::arena::{LeafKind, ToolLeaf};
use crate::tree::definition::{DefBinding, DefNode, DefScript, Definition, Extra, RemapTarget, SubtreeUse};
use crate::tree::lanes::{self, LANE_PORTS, Writers};
use crate::tree::layout::{Declaration, Unfed};
use crate::tree::model::ModelPort;
use crate::tree::port_text::{self, PortText};
use crate::tree::readers::{self, Readers};
use crate::tree::substitution::Replacing;
use crate::tree::typing;
use crate::tree::{
    Binding, Guards, Layout, Node, NodeInfo, Part, Resolved, Script, ScriptName, Substitutions, Traits, Tree,
    TreeInput,
};
use crate::value::{Type, Value};

/// What the compiler takes besides the definitions.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// Most nodes, subtrees expanded.
    pub nodes_max: usize,
    /// Keys of the main tree that will have a value of this type before the first tick.
    pub initial: Vec<(Arc<str>, Type)>,
    /// What takes the place of which leaves, in a run without their tools.
    pub substitutions: Option<Substitutions>,
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self { nodes_max: TREE_NODES_MAX, initial: Vec::new(), substitutions: None }
    }
}

/// Compiles the main tree. There is no tree when the diagnostics have errors.
pub fn compile(resolved: &Resolved, options: &CompileOptions) -> (Option<Tree>, Diagnostics) {
    let mut compiler = Compiler::new(resolved, options);
    compiler.run();
    let Compiler { tree, diagnostics, .. } = compiler;
    ((!diagnostics.has_errors()).then_some(tree), diagnostics)
}

pub(super) struct Compiler<'r> {
    pub(super) resolved: &'r Resolved,
    options: &'r CompileOptions,
    pub(super) tree: Tree,
    pub(super) diagnostics: Diagnostics,
    /// Faults of a definition are said once, not once an instance.
    said: HashSet<(u32, Span)>,
    pub(super) writers: Writers,
    pub(super) replacing: Option<Replacing<'r>>,
    /// The number of the leaf behind each manifest, as far as nodes had it.
    leaf_kinds: Vec<Option<u32>>,
}

/// One instance that is being expanded.
pub(super) struct Frame<'r> {
    pub definition: &'r Definition,
    pub scope: ScopeId,
    /// The elements from the first to behind the last.
    pub range: Range<usize>,
    /// The next element.
    pub next: usize,
    /// Where the elements before it landed, from the first on.
    pub ids: Vec<u32>,
    /// The slots of the keys met so far.
    pub slots: Vec<Option<SlotId>>,
    pub parent: u32,
    /// The number of a lane that is not made yet.
    pub lane: Option<u32>,
}

impl<'r> Compiler<'r> {
    fn new(resolved: &'r Resolved, options: &'r CompileOptions) -> Self {
        let tree = Tree {
            name: resolved.main_id().clone(),
            nodes: Vec::new(),
            infos: Vec::new(),
            names: resolved.shared.names.clone(),
            manifests: resolved.shared.manifests.clone(),
            sources: Vec::new(),
            texts: resolved.sources.clone(),
            bindings: Vec::new(),
            literals: resolved.shared.literals.clone(),
            parts: Vec::new(),
            templates: Vec::new(),
            scripts: Vec::new(),
            guards: Vec::new(),
            tool_leaves: Vec::new(),
            leaf_kinds: Vec::new(),
            lanes: Vec::new(),
            readers: Readers::default(),
            layout: Layout::default(),
            inputs: Vec::new(),
            catalog: resolved.catalog.clone(),
            kinds: 0,
            catches: BTreeMap::new(),
            tests: Vec::new(),
            substituted: BTreeMap::new(),
            rules: options.substitutions.clone(),
        };
        let mut diagnostics = Diagnostics::new();
        let replacing = (options.substitutions.as_ref())
            .map(|rules| Replacing::new(rules, &resolved.catalog, &mut diagnostics));
        Self {
            resolved,
            options,
            tree,
            diagnostics,
            said: HashSet::new(),
            writers: Writers::default(),
            replacing,
            leaf_kinds: Vec::new(),
        }
    }

    fn run(&mut self) {
        let main = &self.resolved.definitions[self.resolved.main];
        let source = self.source(&main.source);
        let scope = self.tree.layout.add_scope((&main.id, source), None, None, false);
        self.declare_inputs(main, scope);
        let mut frames = vec![Self::frame(main, scope, 0)];
        self.tree.nodes.reserve(main.nodes.len());
        self.tree.infos.reserve(main.nodes.len());
        self.tree.bindings.reserve(main.bindings.len());
        loop {
            let depth = frames.len();
            let Some(frame) = frames.last_mut() else { break };
            if frame.next >= frame.range.end {
                frames.pop();
                continue;
            }
            if let Some(number) = frame.lane.take() {
                self.open_lane(frame, number);
            }
            let node = &frame.definition.nodes[frame.next];
            if self.tree.nodes.len() >= self.options.nodes_max {
                self.too_large(frame.definition, node);
                return;
            }
            let id = self.node(frame, node);
            frame.next += 1;
            if self.tree.nodes[id.index()].kind == Kind::SubTree && depth > SUBTREE_DEPTH_MAX {
                self.too_deep(&frames);
                return;
            }
            match frame.definition.extra(node) {
                Some(&Extra { lanes: Some(count), .. }) => {
                    let lanes = Self::lanes(frame, id, count);
                    frames.extend(lanes);
                }
                _ => {
                    let inside = self.enter_subtree(frame, node, id);
                    frames.extend(inside);
                }
            }
        }
        self.close();
        lanes::collect_slots(&mut self.tree);
        if let Some(replacing) = &self.replacing {
            replacing.tell_unused(&mut self.diagnostics);
        }
        readers::settle(&mut self.tree);
        typing::settle(&mut self.tree, &self.resolved.models, &mut self.diagnostics);
    }

    pub(super) fn frame(definition: &'r Definition, scope: ScopeId, parent: u32) -> Frame<'r> {
        Frame {
            definition,
            scope,
            range: 0..definition.nodes.len(),
            next: 0,
            ids: Vec::with_capacity(definition.nodes.len()),
            slots: vec![None; definition.keys.keys.len()],
            parent,
            lane: None,
        }
    }

    /// Ends and numbers of children: every node lies behind its parent, so one pass from the back does.
    fn close(&mut self) {
        for index in (1..self.tree.nodes.len()).rev() {
            let Node { end, parent, .. } = self.tree.nodes[index];
            let above = &mut self.tree.nodes[parent as usize];
            above.end = above.end.max(end);
            if !matches!(above.kind, Kind::SubTree | Kind::Lane) {
                above.data += 1;
            }
        }
    }

    fn source(&mut self, source: &Arc<Source>) -> u32 {
        let known = self.tree.sources.iter().position(|it| Arc::ptr_eq(it, source));
        known.unwrap_or_else(|| {
            self.tree.sources.push(source.clone());
            self.tree.sources.len() - 1
        }) as u32
    }

    /// Adds one node with its bindings, scripts and table entries.
    fn node(&mut self, frame: &mut Frame<'r>, def: &'r DefNode) -> NodeId {
        let id = NodeId::new(self.tree.nodes.len() as u32);
        let manifest = &self.resolved.shared.manifests[def.manifest as usize];
        let extra = frame.definition.extra(def);
        let parent = match frame.next == frame.range.start {
            true => frame.parent,
            false => frame.ids[def.parent as usize - frame.range.start],
        };
        frame.ids.push(id.get());
        let ports = self.tree.bindings.len() as u32;
        self.tree.nodes.push(Node {
            end: id.get() + 1,
            parent,
            ports,
            data: 0,
            kind: manifest.kind,
            traits: Traits::GUARDED.when(extra.is_some_and(|extra| extra.has_guards())),
        });
        self.tree.infos.push(NodeInfo {
            name: def.name,
            span: def.span,
            manifest: def.manifest,
            scope: frame.scope,
            guards: self.tree.guards.len() as u32,
        });
        let is_bound = self.replace(frame, def, id);
        self.tree.kinds |= 1 << self.tree.nodes[id.index()].kind as u8;
        if let Some(catch) = extra.and_then(|extra| extra.catch.as_ref()) {
            self.tree.catches.insert(id, catch.clone());
        }
        if !is_bound {
            self.bindings(frame, def, id);
        }
        if let Some(extra) = extra.filter(|extra| extra.has_guards()) {
            let scripts = extra.guards.each_ref().map(|it| it.as_ref().map(|it| self.script(frame, it)));
            self.tree.guards.push(Guards { scripts });
        }
        self.table_entry(frame, def, id);
        id
    }

    fn table_entry(&mut self, frame: &mut Frame<'r>, def: &'r DefNode, id: NodeId) {
        let data = match self.tree.nodes[id.index()].kind {
            Kind::Tool | Kind::DynamicTool => Some(self.tool_leaf(frame, def, id)),
            Kind::Leaf => self.leaf(id),
            _ => None,
        };
        if let Some(data) = data {
            self.tree.nodes[id.index()].data = data as u32;
        }
    }

    fn tool_leaf(&mut self, frame: &mut Frame<'r>, def: &'r DefNode, id: NodeId) -> usize {
        let knobs = frame.definition.extra(def).and_then(|extra| extra.tool.as_ref());
        let error = knobs.and_then(|knobs| knobs.error).map(|key| self.slot(frame, key));
        if let Some(slot) = error {
            self.tree.layout.slot_mut(slot).is_written = true;
        }
        self.tree.tool_leaves.push(ToolLeaf {
            tool: self.tree.manifest(id).tool.clone(),
            success: knobs.and_then(|knobs| knobs.success.clone()),
            timeout: knobs.and_then(|knobs| knobs.timeout),
            error,
            caller: OnceLock::new(),
        });
        self.tree.tool_leaves.len() - 1
    }

    fn leaf(&mut self, id: NodeId) -> Option<usize> {
        let manifest = self.tree.infos[id.index()].manifest as usize;
        let kind = match self.leaf_kinds.get(manifest) {
            Some(&Some(known)) => known,
            _ => self.leaf_kind(manifest)?,
        };
        Some(kind as usize)
    }

    /// The number of the leaf behind a manifest that no node had before.
    fn leaf_kind(&mut self, number: usize) -> Option<u32> {
        let manifest = &self.tree.manifests[number];
        let (leaf, types) = (manifest.leaf.clone()?, manifest.ports.iter().map(|port| port.ty).collect());
        self.tree.leaf_kinds.push(LeafKind { leaf, types });
        let kind = self.tree.leaf_kinds.len() as u32 - 1;
        self.leaf_kinds.resize(self.leaf_kinds.len().max(number + 1), None);
        self.leaf_kinds[number] = Some(kind);
        Some(kind)
    }

    fn bindings(&mut self, frame: &mut Frame<'r>, def: &'r DefNode, id: NodeId) {
        let manifest = &self.resolved.shared.manifests[def.manifest as usize];
        if manifest.kind == Kind::SubTree {
            return;
        }
        for (index, port) in manifest.ports.iter().enumerate() {
            let bound = match manifest.kind {
                Kind::ForEach if LANE_PORTS.contains(&index) => DefBinding::Absent,
                _ => frame.definition.bindings[def.ports as usize + index],
            };
            let binding = self.binding(frame, bound, id, (index, port));
            self.tree.bindings.push(binding);
        }
    }

    pub(super) fn binding(
        &mut self,
        frame: &mut Frame<'r>,
        bound: DefBinding,
        id: NodeId,
        (index, port): (usize, &PortManifest),
    ) -> Binding {
        match bound {
            DefBinding::Absent => Binding::Absent,
            DefBinding::Literal(literal) => Binding::Literal(literal),
            DefBinding::Key(key) => {
                let slot = self.slot(frame, key);
                self.note_use(id, slot, index, port);
                Binding::Slot(slot)
            }
            DefBinding::Part(part) => {
                let Part { key, path } = &frame.definition.parts[part as usize];
                let slot = self.slot(frame, *key);
                self.note_use(id, slot, index, port);
                self.tree.parts.push(Part { key: slot, path: path.clone() });
                Binding::Part(self.tree.parts.len() as u32 - 1)
            }
            DefBinding::Script(script) => {
                let script = self.script(frame, &frame.definition.scripts[script as usize]);
                self.tree.scripts.push(script);
                Binding::Script(self.tree.scripts.len() as u32 - 1)
            }
            DefBinding::Template(template) => {
                let template = &frame.definition.templates[template as usize];
                let mut used = Vec::new();
                let template = template.map(&mut |key| {
                    let slot = self.slot(frame, key);
                    used.push(slot);
                    slot
                });
                used.into_iter().for_each(|slot| self.note_need(id, slot, index));
                self.tree.templates.push(template);
                Binding::Template(self.tree.templates.len() as u32 - 1)
            }
        }
    }

    fn slot(&mut self, frame: &mut Frame<'r>, key: u32) -> SlotId {
        if let Some(slot) = frame.slots[key as usize] {
            return slot;
        }
        let name = &frame.definition.keys.keys[key as usize].name;
        let slot = self.tree.layout.resolve(frame.scope, name);
        frame.slots[key as usize] = Some(slot);
        slot
    }

    fn script(&mut self, frame: &mut Frame<'r>, def: &DefScript) -> Script {
        let names = def.program.names().iter().zip(def.keys.iter()).map(|(name, &key)| {
            let slot = self.slot(frame, key);
            self.tree.layout.slot_mut(slot).is_written |= name.assigns || name.creates;
            ScriptName { slot, number: self.tree.enum_value(&name.text) }
        });
        Script { names: names.collect(), program: def.program.clone() }
    }

    /// Remembers that a port writes a key, or needs it to have a value.
    fn note_use(&mut self, id: NodeId, slot: SlotId, index: usize, port: &PortManifest) {
        self.tree.layout.slot_mut(slot).is_written |= port.direction == Direction::Out;
        if port.direction.reads() && port.required {
            self.note_need(id, slot, index);
        }
    }

    fn note_need(&mut self, node: NodeId, slot: SlotId, index: usize) {
        // A test node reads nothing.
        if self.tree.nodes[node.index()].kind == Kind::TestNode {
            return;
        }
        let need = Unfed { slot, node, port: index as u32 };
        self.tree.layout.slot_mut(slot).needed.get_or_insert(need);
    }

    /// The scope and the frame of a subtree instance, when `node` is one.
    fn enter_subtree(&mut self, user: &Frame<'r>, def: &DefNode, id: NodeId) -> Option<Frame<'r>> {
        let used = user.definition.extra(def)?.subtree.as_ref()?;
        let definition = &self.resolved.definitions[*self.resolved.by_id.get(&used.id)?];
        let source = self.source(&definition.source);
        let (text, autoremap) = ((&used.id, source), used.autoremap);
        let scope = self.tree.layout.add_scope(text, Some(id), Some(user.scope), autoremap);
        self.tree.nodes[id.index()].data = scope.get();
        self.remap(user, used, scope);
        self.fill_model(user, def, used, scope);
        Some(Self::frame(definition, scope, id.get()))
    }

    fn remap(&mut self, user: &Frame<'r>, used: &SubtreeUse, scope: ScopeId) {
        for remap in &used.remaps {
            match &remap.target {
                RemapTarget::Key(key) => {
                    let name = &user.definition.keys.keys[*key as usize].name;
                    let slot = self.tree.layout.resolve(user.scope, name);
                    self.tree.layout.link(scope, &remap.name, slot);
                }
                RemapTarget::Value(value) => {
                    let slot = self.tree.layout.add_slot(scope, &remap.name);
                    self.tree.layout.slot_mut(slot).initial = Some(value.clone());
                }
            }
        }
    }

    /// Defaults and mandatory ports of the subtree's model.
    fn fill_model(&mut self, user: &Frame<'r>, def: &DefNode, used: &SubtreeUse, scope: ScopeId) {
        let Some(model) = self.resolved.models.get(&used.id) else { return };
        let open = model.ports.iter().filter(|port| !used.remaps.iter().any(|it| it.name == port.name));
        for port in open {
            match &port.default {
                Some(default) => self.fill_default(user.scope, scope, port, default),
                None if used.autoremap => {}
                None => {
                    if self.said.insert((self.tree.layout.scope(user.scope).source, def.span)) {
                        self.diagnostics.push(missing_subtree_port(user, used, port));
                    }
                }
            }
        }
    }

    fn fill_default(&mut self, outer: ScopeId, scope: ScopeId, port: &ModelPort, default: &str) {
        match port_text::parse(default, &port.name) {
            Ok(PortText::Pointer(pointer)) if pointer.path.is_empty() => {
                let slot = self.tree.layout.resolve(outer, &pointer.key.into());
                self.tree.layout.link(scope, &port.name, slot);
            }
            _ => {
                let slot = self.tree.layout.add_slot(scope, &port.name);
                self.tree.layout.slot_mut(slot).initial = Some(crate::tree::subtree_use::constant(default));
            }
        }
    }

    /// The main tree's own model declares what it is given from outside.
    fn declare_inputs(&mut self, main: &Definition, scope: ScopeId) {
        for (key, ty) in &self.options.initial {
            let slot = self.tree.layout.resolve(scope, key);
            let info = self.tree.layout.slot_mut(slot);
            info.ty = *ty;
            info.is_written = true;
            info.is_given = true;
        }
        let Some(model) = self.resolved.models.get(&main.id) else { return };
        for port in &model.ports {
            let slot = self.tree.layout.resolve(scope, &port.name);
            let source = self.source(&port.source);
            let info = self.tree.layout.slot_mut(slot);
            info.is_given |= port.direction.reads();
            if info.ty == Type::Any {
                info.ty = port.ty;
                info.declared =
                    Some(Declaration { source, span: port.span, is_input: port.direction.reads() });
            }
            if port.direction.reads() {
                let default = self.input_default(port);
                self.tree.layout.slot_mut(slot).initial = default.clone();
                self.tree.inputs.push(TreeInput {
                    key: port.name.clone(),
                    ty: port.ty,
                    default,
                    doc: port.doc.clone(),
                    place: crate::diag::Label {
                        source: port.source.clone(),
                        span: port.span,
                        text: String::new(),
                    },
                });
            }
        }
    }

    fn input_default(&mut self, port: &ModelPort) -> Option<Value> {
        let text = port.default.as_ref()?;
        let ty = if port.ty == Type::Any { Type::Text } else { port.ty };
        convert::from_text(text, ty)
            .map_err(|fault| {
                self.diagnostics.push(
                    Diagnostic::new(Code::E0109, format!("input `{}` does not take its default", port.name))
                        .at(&port.source, port.span, fault.to_string())
                        .help(format!("Write a default of type {}.", port.ty)),
                );
            })
            .ok()
    }

    fn too_large(&mut self, definition: &Definition, node: &DefNode) {
        let most = self.options.nodes_max;
        self.diagnostics.push(
            Diagnostic::new(Code::E0114, format!("the tree has more than {most} nodes, subtrees expanded"))
                .at(&definition.source, node.span, "the bound is reached here")
                .note("a subtree counts each time it is used; nested uses multiply")
                .help("Use subtrees less often, or raise `nodes_max`."),
        );
    }

    fn too_deep(&mut self, frames: &[Frame<'r>]) {
        let Some(frame) = frames.last() else { return };
        let node = &frame.definition.nodes[frame.next.saturating_sub(1)];
        let used = frame.definition.extra(node).and_then(|extra| extra.subtree.as_ref());
        let span = used.map_or(node.span, |used| used.id_span);
        self.diagnostics.push(
            Diagnostic::new(Code::E0113, format!("subtrees are nested more than {SUBTREE_DEPTH_MAX} deep"))
                .at(&frame.definition.source, span, "the bound is reached here")
                .help("Put the nodes of some subtrees where they are used."),
        );
    }
}

fn missing_subtree_port(user: &Frame<'_>, used: &SubtreeUse, port: &ModelPort) -> Diagnostic {
    Diagnostic::new(Code::E0108, format!("the subtree `{}` needs its port `{}`", used.id, port.name))
        .at(&user.definition.source, used.id_span, format!("`{}` is missing", port.name))
        .and_at(&port.source, port.span, "declared here, without a default")
        .help(format!("Add `{}=\"{{key}}\"`, a value, or a default in the model.", port.name))
}
