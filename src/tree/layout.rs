//! Keys become slots: which names of which scope share one slot, and what type it has.

use std::sync::Arc;

use ahash::AHashMap;

use crate::id::{NodeId, ScopeId, SlotId};
use crate::text::Span;
use crate::value::{Type, Value};

/// All slots and scopes of a tree.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    slots: Vec<SlotInfo>,
    scopes: Vec<ScopeInfo>,
}

/// What is known of a slot before anything runs.
#[derive(Clone, Debug)]
pub struct SlotInfo {
    /// The key, in the scope that owns the slot.
    pub key: Arc<str>,
    /// The scope that owns it.
    pub scope: ScopeId,
    /// The type, when a port or an input declares one.
    pub ty: Type,
    /// The value that it begins with: a constant given to a subtree.
    pub initial: Option<Value>,
    pub(super) declared: Option<Declaration>,
    pub(super) is_written: bool,
    /// Whether it may have a value before the first tick.
    pub(super) is_given: bool,
    pub(super) needed: Option<Unfed>,
}

/// Where the main tree's model declares a key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declaration {
    pub source: u32,
    pub span: Span,
    /// Whether values come in by it.
    pub is_input: bool,
}

/// A use of a key that must have a value, and that nothing in the tree gives one.
#[derive(Clone, Copy, Debug)]
pub struct Unfed {
    /// The key's slot.
    pub slot: SlotId,
    /// The node that needs it.
    pub node: NodeId,
    /// The number of the port that reads it.
    pub port: u32,
}

/// The keys of one subtree instance.
#[derive(Clone, Debug)]
pub struct ScopeInfo {
    /// The SubTree node; `None` for the main tree.
    pub node: Option<NodeId>,
    /// The tree's ID.
    pub tree: Arc<str>,
    /// Which of the sources the tree stands in.
    pub(super) source: u32,
    parent: Option<ScopeId>,
    autoremap: bool,
    /// Keys of its own and keys that are another scope's, by name.
    keys: AHashMap<Arc<str>, SlotId>,
}

impl Layout {
    pub(super) fn add_scope(
        &mut self,
        (tree, source): (&Arc<str>, u32),
        node: Option<NodeId>,
        parent: Option<ScopeId>,
        autoremap: bool,
    ) -> ScopeId {
        let id = ScopeId::new(self.scopes.len() as u32);
        let tree = tree.clone();
        self.scopes.push(ScopeInfo { node, tree, source, parent, autoremap, keys: AHashMap::new() });
        id
    }

    /// Makes `key` of `scope` another name of `slot`.
    pub(super) fn link(&mut self, scope: ScopeId, key: &Arc<str>, slot: SlotId) {
        self.scopes[scope.index()].keys.insert(key.clone(), slot);
    }

    pub(super) fn add_slot(&mut self, scope: ScopeId, key: &Arc<str>) -> SlotId {
        let slot = SlotId::new(self.slots.len() as u32);
        self.slots.push(SlotInfo {
            key: key.clone(),
            scope,
            ty: Type::Any,
            initial: None,
            declared: None,
            is_written: false,
            is_given: false,
            needed: None,
        });
        self.link(scope, key, slot);
        slot
    }

    /// The slot of a key as `scope` sees it, made when there is none.
    pub(super) fn resolve(&mut self, scope: ScopeId, key: &Arc<str>) -> SlotId {
        let (owner, name) = match self.search(scope, key) {
            Ok(slot) => return slot,
            Err(owner) => owner,
        };
        if name.len() == key.len() { self.add_slot(owner, key) } else { self.add_slot(owner, &name.into()) }
    }

    /// The slot of a key as `scope` sees it.
    pub fn find(&self, scope: ScopeId, key: &str) -> Option<SlotId> {
        self.search(scope, key).ok()
    }

    /// The slot, or the scope and the name that it would have to be made with. A key that begins
    /// with `@` is the main tree's; one that begins with `_` is private and never remapped of
    /// itself.
    fn search<'k>(&self, scope: ScopeId, key: &'k str) -> Result<SlotId, (ScopeId, &'k str)> {
        let (mut scope, key) = match key.strip_prefix('@') {
            Some(rest) => (ScopeId::new(0), rest),
            None => (scope, key),
        };
        loop {
            let info = &self.scopes[scope.index()];
            if let Some(&slot) = info.keys.get(key) {
                return Ok(slot);
            }
            match info.parent {
                Some(parent) if info.autoremap && !key.starts_with('_') => scope = parent,
                _ => return Err((scope, key)),
            }
        }
    }

    /// What is known of a slot.
    pub fn slot(&self, id: SlotId) -> &SlotInfo {
        &self.slots[id.index()]
    }

    pub(super) fn slot_mut(&mut self, id: SlotId) -> &mut SlotInfo {
        &mut self.slots[id.index()]
    }

    /// All slots, in the order that they were first named.
    pub fn slots(&self) -> impl ExactSizeIterator<Item = (SlotId, &SlotInfo)> {
        self.slots.iter().enumerate().map(|(index, slot)| (SlotId::new(index as u32), slot))
    }

    /// The scope of the tree that a scope's tree is used in.
    pub fn parent(&self, id: ScopeId) -> Option<ScopeId> {
        self.scope(id).parent
    }

    /// What is known of a scope.
    pub fn scope(&self, id: ScopeId) -> &ScopeInfo {
        &self.scopes[id.index()]
    }

    /// All scopes, the main tree's first.
    pub fn scopes(&self) -> impl ExactSizeIterator<Item = (ScopeId, &ScopeInfo)> {
        self.scopes.iter().enumerate().map(|(index, scope)| (ScopeId::new(index as u32), scope))
    }

    /// The keys that `scope` itself owns, sorted by name.
    pub fn own_keys(&self, scope: ScopeId) -> Vec<(&Arc<str>, SlotId)> {
        let own = self.slots().filter(|(_, slot)| slot.scope == scope);
        let mut keys: Vec<_> = own.map(|(id, slot)| (&slot.key, id)).collect();
        keys.sort();
        keys
    }

    /// Uses that need a value which nothing in the tree gives, and no constant either.
    pub fn unfed(&self) -> impl Iterator<Item = Unfed> + '_ {
        (self.slots.iter())
            .filter(|slot| !slot.is_written && slot.initial.is_none())
            .filter_map(|slot| slot.needed)
    }
}
