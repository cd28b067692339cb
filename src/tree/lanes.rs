//! The lanes of a `ForEach`: its child is compiled once for each item that may be under way, with keys
//! of its own.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use crate::catalog::{Class, Kind, NodeManifest};
use crate::diag::{Code, Diagnostic};
use crate::id::{NodeId, ScopeId, SlotId};
use crate::limits::FOR_EACH_LANES_MAX;
use crate::tree::check::Checker;
use crate::tree::compile::{Compiler, Frame};
use crate::tree::definition::{DefBinding, DefNode, DefScript, Definition, RemapTarget, SubtreeUse};
use crate::tree::{Node, NodeInfo, Resolved, Traits, Tree};
use crate::xml::Element;

/// The ports of `ForEach`, in order.
pub(crate) const FOR_EACH_PORTS: [&str; 7] =
    ["items", "item", "index", "result", "results", "parallel", "max_failures"];

/// Ports that name keys of the lanes and not of the tree that the element is written in.
pub(super) const LANE_PORTS: std::ops::Range<usize> = 1..4;

/// One lane.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    /// Its scope.
    pub scope: ScopeId,
    /// The keys that take the item and its place.
    pub item: SlotId,
    pub index: Option<SlotId>,
    /// The key that holds what came of the item.
    pub result: Option<SlotId>,
    /// All keys of the lane and of the subtrees below it: what begins anew with every item.
    pub slots: Vec<SlotId>,
}

/// The node that stands for a lane. It is in no catalog, for nobody writes it.
fn manifest() -> NodeManifest {
    NodeManifest::builtin(
        "Lane",
        Kind::Lane,
        Class::Decorator,
        "One of the items of a ForEach that are under way.",
    )
}

/// How many lanes a `ForEach` has. They are made when the tree is loaded, so the number is a literal.
pub(super) fn count<'c>(checker: &mut Checker<'c>, element: Element<'c>) -> u32 {
    let Some(attribute) = element.attribute("parallel") else { return 1 };
    match attribute.value().parse() {
        Ok(count) if (1..=FOR_EACH_LANES_MAX).contains(&count) => count,
        _ => {
            checker.diagnostics.push(
                Diagnostic::new(Code::E0109, "port `parallel` does not take this")
                    .at(checker.source, attribute.value_span(), "not such a number")
                    .note("the child is made ready for every item that may be under way when the tree is loaded")
                    .help(format!("Write a number from 1 to {FOR_EACH_LANES_MAX}.")),
            );
            1
        }
    }
}

impl<'r> Compiler<'r> {
    /// The frames of a ForEach's lanes, the first lane's last: it is the next to be done.
    pub(super) fn lanes(frame: &mut Frame<'r>, id: NodeId, count: u32) -> Vec<Frame<'r>> {
        let range = frame.next..frame.definition.end_of(frame.next - 1);
        let lane = |number| Frame {
            range: range.clone(),
            next: range.start,
            lane: Some(number),
            ids: Vec::with_capacity(range.len()),
            ..Self::frame(frame.definition, frame.scope, id.get())
        };
        let lanes = (1..=count).rev().map(lane).collect();
        // In the frame itself nothing of the child lands anywhere.
        frame.ids.resize(range.end - frame.range.start, id.get());
        frame.next = range.end;
        lanes
    }

    /// Makes the node and the scope of a lane, and the keys that are its own.
    pub(super) fn open_lane(&mut self, frame: &mut Frame<'r>, number: u32) {
        let definition = frame.definition;
        let for_each = &definition.nodes[frame.range.start - 1];
        let id = self.lane_node(frame, for_each, number);
        let outer = std::mem::replace(&mut frame.scope, ScopeId::new(0));
        let text = (&definition.id, self.tree.layout.scope(outer).source);
        let scope = self.tree.layout.add_scope(text, Some(id), Some(outer), true);
        frame.scope = scope;
        frame.parent = id.get();
        let keys = self.writers.of(self.resolved, definition, frame.range.clone());
        for key in &keys {
            self.tree.layout.add_slot(scope, key);
        }
        let ports = &definition.bindings[for_each.ports as usize..];
        let [item, index, result] = [1, 2, 3].map(|port| match ports[port] {
            DefBinding::Key(key) => Some(definition.keys.keys[key as usize].name.clone()),
            _ => None,
        });
        let layout = &mut self.tree.layout;
        let mut own = |key: Arc<str>| {
            let slot = match layout.find(scope, &key).filter(|&slot| layout.slot(slot).scope == scope) {
                Some(slot) => slot,
                None => layout.add_slot(scope, &key),
            };
            layout.slot_mut(slot).is_written = true;
            slot
        };
        let Some(item) = item.map(&mut own) else { return };
        let lane =
            Lane { scope, item, index: index.map(&mut own), result: result.map(own), slots: Vec::new() };
        self.tree.nodes[id.index()].data = self.tree.lanes.len() as u32;
        self.tree.lanes.push(lane);
    }

    fn lane_node(&mut self, frame: &Frame<'r>, for_each: &DefNode, number: u32) -> NodeId {
        let id = NodeId::new(self.tree.nodes.len() as u32);
        let ports = self.tree.bindings.len() as u32;
        let above = NodeId::new(frame.parent);
        let name = format!("{}[{number}]", self.tree.label(above));
        let name = self.tree.names.keep(&name);
        let manifest = self.lane_manifest();
        self.tree.kinds |= 1 << Kind::Lane as u8;
        self.tree.nodes.push(Node {
            end: id.get() + 1,
            parent: frame.parent,
            ports,
            data: 0,
            kind: Kind::Lane,
            traits: Traits::NONE,
        });
        self.tree.infos.push(NodeInfo { name, span: for_each.span, manifest, scope: frame.scope, guards: 0 });
        id
    }

    fn lane_manifest(&mut self) -> u32 {
        let known = self.tree.manifests.iter().position(|manifest| manifest.kind == Kind::Lane);
        known.unwrap_or_else(|| {
            self.tree.manifests.push(Arc::new(manifest()));
            self.tree.manifests.len() - 1
        }) as u32
    }
}

/// Fills in the keys of all lanes, when the layout is whole.
pub(super) fn collect_slots(tree: &mut Tree) {
    let lanes: HashMap<_, _> = tree.lanes.iter().enumerate().map(|(at, lane)| (lane.scope, at)).collect();
    if lanes.is_empty() {
        return;
    }
    for (slot, info) in tree.layout.slots() {
        let scopes = std::iter::successors(Some(info.scope), |&scope| tree.layout.parent(scope));
        for at in scopes.filter_map(|scope| lanes.get(&scope)) {
            tree.lanes[*at].slots.push(slot);
        }
    }
}

/// Which keys a part of a definition writes: of those every lane has its own.
#[derive(Default)]
pub(super) struct Writers {
    /// The keys that a whole definition writes, by its place.
    known: HashMap<usize, Rc<BTreeSet<Arc<str>>>>,
}

impl Writers {
    /// The keys that the nodes of `range` write, but not those of the root of all trees.
    pub fn of(
        &mut self,
        resolved: &Resolved,
        definition: &Definition,
        range: std::ops::Range<usize>,
    ) -> BTreeSet<Arc<str>> {
        let mut keys = BTreeSet::new();
        let name = |key: u32| definition.keys.keys[key as usize].name.clone();
        let mut at = range.start;
        while at < range.end {
            let node = &definition.nodes[at];
            let manifest = &resolved.shared.manifests[node.manifest as usize];
            let is_for_each = manifest.kind == Kind::ForEach;
            if manifest.kind != Kind::SubTree {
                let bound = &definition.bindings[node.ports as usize..][..manifest.ports.len()];
                for (index, (port, binding)) in manifest.ports.iter().zip(bound).enumerate() {
                    match binding {
                        DefBinding::Key(key)
                            if port.direction.writes() && !(is_for_each && LANE_PORTS.contains(&index)) =>
                        {
                            keys.insert(name(*key));
                        }
                        DefBinding::Script(script) => {
                            keys.extend(assigned(definition, &definition.scripts[*script as usize]));
                        }
                        _ => {}
                    }
                }
            }
            if let Some(extra) = definition.extra(node) {
                keys.extend(extra.guards.iter().flatten().flat_map(|script| assigned(definition, script)));
                keys.extend(extra.tool.as_ref().and_then(|tool| tool.error).map(name));
                if let Some(used) = &extra.subtree {
                    keys.extend(self.of_subtree(resolved, definition, used));
                }
            }
            // What the child of another ForEach writes stays in its lanes.
            at = if is_for_each { definition.end_of(at) } else { at + 1 };
        }
        keys.retain(|key| !key.starts_with('@'));
        keys
    }

    /// The keys of the user that a subtree writes through its ports. Recursive: subtrees go in no
    /// circles, and their depth is bounded.
    fn of_subtree(&mut self, resolved: &Resolved, user: &Definition, used: &SubtreeUse) -> Vec<Arc<str>> {
        let Some(&place) = resolved.by_id.get(&used.id) else { return Vec::new() };
        let written = match self.known.get(&place) {
            Some(known) => known.clone(),
            None => {
                let definition = &resolved.definitions[place];
                let written = Rc::new(self.of(resolved, definition, 0..definition.nodes.len()));
                self.known.insert(place, written.clone());
                written
            }
        };
        let remapped = used.remaps.iter().filter(|remap| written.contains(&remap.name));
        let mut keys: Vec<_> = remapped
            .filter_map(|remap| match remap.target {
                RemapTarget::Key(key) => Some(user.keys.keys[key as usize].name.clone()),
                RemapTarget::Value(_) => None,
            })
            .collect();
        if used.autoremap {
            let is_own =
                |key: &str| key.starts_with('_') || used.remaps.iter().any(|remap| *remap.name == *key);
            keys.extend(written.iter().filter(|key| !is_own(key)).cloned());
        }
        keys
    }
}

fn assigned<'d>(definition: &'d Definition, script: &'d DefScript) -> impl Iterator<Item = Arc<str>> + 'd {
    (script.program.names().iter().zip(&script.keys))
        .filter(|(name, _)| name.assigns || name.creates)
        .map(|(_, &key)| definition.keys.keys[key as usize].name.clone())
}
