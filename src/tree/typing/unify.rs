//! One type for each key, or the two places that want different ones.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::id::{NodeId, SlotId};
use crate::text::{Source, Span};
use crate::tree::Tree;
use crate::tree::model::TreeModels;
use crate::tree::typing::uses::{Origin, Use, Uses, bound_slots, of_tree};
use crate::tree::typing::{given, place, script};
use crate::value::Type;

/// Settles the types of all keys and checks everything that depends on them.
pub(in crate::tree) fn settle(tree: &mut Tree, models: &TreeModels, diagnostics: &mut Diagnostics) {
    let uses = of_tree(tree);
    let clashing: HashSet<SlotId> =
        (tree.layout.slots()).map(|(slot, _)| slot).filter(|slot| clash(&uses[slot.index()])).collect();
    if !clashing.is_empty() {
        Teller { tree, diagnostics, said: HashSet::new() }.tell(&clashing);
    }
    for (index, uses) in uses.iter().enumerate() {
        if let Some(ty) = common_type(uses) {
            tree.layout.slot_mut(SlotId::new(index as u32)).ty = ty;
        }
    }
    let tree = &*tree;
    script::check(tree, &uses, diagnostics);
    given::check(tree, &uses, models, diagnostics);
}

/// Whether two ports may share a key. Text converts into whatever a port of the dialect reads; what
/// is not text converts into nothing, but for the numbers of tools.
pub(super) fn agree(one: &Use, other: &Use) -> bool {
    if one.ty == other.ty {
        return true;
    }
    let (text, other) = match (one.ty, other.ty) {
        (Type::Text, _) => (one, other),
        (_, Type::Text) => (other, one),
        _ => return (one.by_tool || other.by_tool) && one.ty.is_number() && other.ty.is_number(),
    };
    let text_is_read_as_other = !other.writes && !other.by_tool;
    text_is_read_as_other || is_number_of_tool(other) && !text.writes && !text.by_tool
}

const fn is_number_of_tool(it: &Use) -> bool {
    it.by_tool && it.writes && it.ty.is_number()
}

fn clash(uses: &Uses) -> bool {
    uses.are_mixed()
        && uses
            .iter()
            .enumerate()
            .any(|(place, it)| uses.iter().take(place).any(|earlier| !agree(earlier, it)))
}

/// The type of a key: that of what writes it, and text when what only reads it differs, because
/// text holds every value. Of numbers it is the widest.
fn common_type(uses: &Uses) -> Option<Type> {
    if !uses.are_mixed() {
        return uses.iter().next().map(|it| it.ty);
    }
    let widest = |uses: &mut dyn Iterator<Item = &Use>| uses.map(|it| it.ty).max_by_key(|&ty| width(ty));
    widest(&mut uses.iter().filter(|it| it.writes)).or_else(|| widest(&mut uses.iter()))
}

/// How much a type holds next to others that a key may share with it.
const fn width(ty: Type) -> u8 {
    match ty {
        Type::Uint => 0,
        Type::Int => 1,
        Type::Uint64 => 2,
        Type::Int64 => 3,
        Type::Real => 4,
        Type::Any | Type::Bool | Type::Json | Type::Status => 5,
        Type::Text => 6,
    }
}

/// Why a text and something else do not go together.
fn why(one: &Use, other: &Use) -> Option<&'static str> {
    let other = match (one.ty, other.ty) {
        (Type::Text, _) => other,
        (_, Type::Text) => one,
        _ => return None,
    };
    Some(match other.writes {
        true => "a node may read a text as something else, but what nodes write is of the key's type",
        false => "a tool takes its arguments as they are: no text is read as something else",
    })
}

/// Tells every use that an earlier one does not agree with.
struct Teller<'t> {
    tree: &'t Tree,
    diagnostics: &'t mut Diagnostics,
    /// A port is told once, however often its tree is used.
    said: HashSet<(u32, Span, usize)>,
}

impl Teller<'_> {
    fn tell(&mut self, clashing: &HashSet<SlotId>) {
        let mut earlier: HashMap<SlotId, Uses> =
            (clashing.iter()).map(|&slot| (slot, Uses::of_beginning(self.tree, slot))).collect();
        for node in self.tree.ids() {
            for (index, slot) in bound_slots(self.tree, node) {
                let (Some(before), Some(here)) =
                    (earlier.get_mut(&slot), Use::of_port(self.tree, node, index))
                else {
                    continue;
                };
                if let Some(there) = before.iter().find(|there| !agree(there, &here)).copied() {
                    self.clash(slot, (node, index), &here, &there);
                }
                before.add(here);
            }
        }
    }

    fn clash(&mut self, slot: SlotId, (node, index): (NodeId, usize), here: &Use, there: &Use) {
        let port = &*self.tree.manifest(node).ports[index].name;
        if !self.said.insert((self.tree.source(node), self.tree.info(node).span, index)) {
            return;
        }
        let (source, span) = place::of_attribute(self.tree, node, port);
        let key = &self.tree.layout.slot(slot).key;
        let message = format!("the key `{key}` cannot be {} here and {} elsewhere", here.ty, there.ty);
        let clash = Diagnostic::new(Code::E0117, message).at(&source, span, here.text(self.tree));
        let clash = match self.place_of(slot, there) {
            Some((source, span)) => clash.and_at(&source, span, there.text(self.tree)),
            None => clash.note(format!("the value it is given before the tree is loaded is {}", there.ty)),
        };
        let clash = match why(here, there) {
            Some(why) => clash.note(why),
            None => clash,
        };
        self.diagnostics.push(clash.help("Use two keys, or ports of one type."));
    }

    fn place_of(&self, slot: SlotId, it: &Use) -> Option<(Arc<Source>, Span)> {
        match it.origin {
            Origin::Outside => None,
            Origin::Model => {
                let model = self.tree.layout.slot(slot).declared?;
                Some((self.tree.sources[model.source as usize].clone(), model.span))
            }
            Origin::Port(node, index) => {
                let port = &self.tree.manifest(node).ports[index as usize];
                Some(place::of_attribute(self.tree, node, &port.name))
            }
        }
    }
}
