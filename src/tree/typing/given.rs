//! What a subtree is given from around it: constants, and what its model promises.

use std::collections::HashSet;
use std::sync::Arc;

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::id::{ScopeId, SlotId};
use crate::text::Span;
use crate::tree::Tree;
use crate::tree::model::{ModelPort, TreeModels};
use crate::tree::typing::place;
use crate::tree::typing::unify::agree;
use crate::tree::typing::uses::{Origin, Use, Uses};
use crate::value::Type;

/// Tries the constants that subtrees are given, and the types that their models declare, on the
/// ports inside. The dialect's home looks at neither, and so they are warnings.
pub(super) fn check(tree: &Tree, uses: &[Uses], models: &TreeModels, diagnostics: &mut Diagnostics) {
    let mut said = HashSet::new();
    for (slot, info) in tree.layout().slots() {
        if info.initial.is_some() {
            constant(tree, (slot, &uses[slot.index()]), &mut said, diagnostics);
        }
    }
    let mut said = HashSet::new();
    for (id, scope) in tree.layout().scopes().skip(1) {
        let Some(model) = models.get(&scope.tree) else { continue };
        for port in model.ports.iter().filter(|port| port.ty != Type::Any) {
            declared(tree, (id, port), uses, &mut said, diagnostics);
        }
    }
}

fn constant(
    tree: &Tree,
    (slot, uses): (SlotId, &Uses),
    said: &mut HashSet<(u32, Span, Arc<str>)>,
    diagnostics: &mut Diagnostics,
) {
    let info = tree.layout().slot(slot);
    let (Some(value), Some(subtree)) = (&info.initial, tree.layout().scope(info.scope).node) else { return };
    for it in uses.iter() {
        let (Err(fault), Origin::Port(node, index)) = (tree.convert(value, it.ty), it.origin) else {
            continue;
        };
        if !said.insert((tree.source(subtree), tree.info(subtree).span, info.key.clone())) {
            continue;
        }
        let (source, span) = place::of_attribute(tree, subtree, &info.key);
        let (inside, port) = place::of_attribute(tree, node, &tree.manifest(node).ports[index as usize].name);
        diagnostics.push(
            Diagnostic::new(
                Code::W0108,
                format!("the subtree cannot use what its port `{}` is given", info.key),
            )
            .at(&source, span, fault.to_string())
            .and_at(&inside, port, it.text(tree))
            .help(format!("Give a value of type {}, or a key.", it.ty)),
        );
    }
}

fn declared(
    tree: &Tree,
    (scope, port): (ScopeId, &ModelPort),
    uses: &[Uses],
    said: &mut HashSet<Span>,
    diagnostics: &mut Diagnostics,
) {
    let Some(slot) = tree.layout().find(scope, &port.name) else { return };
    // What the model calls an input is written from around the subtree.
    let model = Use { ty: port.ty, writes: port.direction.reads(), by_tool: false, origin: Origin::Model };
    for it in uses[slot.index()].iter().filter(|it| !agree(&model, it)) {
        let Origin::Port(node, index) = it.origin else { continue };
        if said.insert(port.span) {
            let (source, span) =
                place::of_attribute(tree, node, &tree.manifest(node).ports[index as usize].name);
            diagnostics.push(
                Diagnostic::new(Code::W0108, format!("the model says that `{}` is {}", port.name, port.ty))
                    .at(&port.source, port.span, format!("{} here", port.ty))
                    .and_at(&source, span, it.text(tree))
                    .help("Correct the type in the model, or the key."),
            );
        }
    }
}
