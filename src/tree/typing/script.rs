//! Scripts and conditions, checked with the types of their names.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use crate::catalog::Kind;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::expr::{Fault, Name, NameId};
use crate::id::{NodeId, SlotId};
use crate::text::{Source, Span};
use crate::tree::typing::place;
use crate::tree::typing::uses::{Origin, ScriptOf, Uses, scripts};
use crate::tree::{GuardKind, Script, ScriptName, Tree};
use crate::value::Type;

/// Checks all scripts of a tree.
pub(super) fn check(tree: &Tree, uses: &[Uses], diagnostics: &mut Diagnostics) {
    if tree.scripts.is_empty() && tree.guards.is_empty() {
        return;
    }
    let mut checker = Checker { tree, uses, diagnostics, checked: HashSet::new(), said: HashSet::new() };
    for node in tree.ids() {
        for (script, of) in scripts(tree, node) {
            checker.script(node, script, of);
        }
    }
}

struct Checker<'t> {
    tree: &'t Tree,
    uses: &'t [Uses],
    diagnostics: &'t mut Diagnostics,
    /// Programs with the kinds of their names: a subtree that is used a thousand times is checked
    /// once, unless its keys differ.
    checked: HashSet<(usize, Vec<Option<Type>>)>,
    /// A fault is told once, however often its tree is used.
    said: HashSet<(u32, Span, ScriptOf, Range<usize>)>,
}

impl Checker<'_> {
    fn script(&mut self, node: NodeId, script: &Script, of: ScriptOf) {
        for (name, slot) in script.program.names().iter().zip(script.slots()) {
            self.assignment((node, of), name, slot);
        }
        let kinds = self.kinds(script);
        if self.is_new(script, &kinds) {
            self.types((node, of), script, &kinds);
        }
    }

    /// Whether a script was not checked yet with names of these kinds. One that only its element
    /// and this node hold is new without a look: most are, and the look costs more than the check.
    fn is_new(&mut self, script: &Script, kinds: &[Option<Type>]) -> bool {
        let owners_of_one_use = 2;
        Arc::strong_count(&script.program) <= owners_of_one_use
            || self.checked.insert((Arc::as_ptr(&script.program) as usize, kinds.to_vec()))
    }

    fn types(&mut self, (node, of): (NodeId, ScriptOf), script: &Script, kinds: &[Option<Type>]) {
        let is_condition = self.is_condition(node, of);
        let type_of = |name: NameId| kinds[name.index()];
        let program = &script.program;
        let faults = match is_condition {
            true => program.check_condition(type_of),
            false => program.check(type_of),
        };
        let doubts = program.doubts(is_condition, type_of);
        for fault in faults {
            self.fault((node, of), fault, Code::E0304);
        }
        for doubt in doubts {
            self.fault((node, of), doubt, Code::W0107);
        }
    }

    /// Whether the value of a script is asked for, and is to be true or false.
    fn is_condition(&self, node: NodeId, of: ScriptOf) -> bool {
        match of {
            ScriptOf::Guard(kind) => matches!(
                kind,
                GuardKind::FailureIf | GuardKind::SuccessIf | GuardKind::SkipIf | GuardKind::While
            ),
            ScriptOf::Port(_) => {
                matches!(self.tree.node(node).kind, Kind::ScriptCondition | Kind::Precondition)
            }
        }
    }

    /// The kind of each name of a script, as far as it is known.
    fn kinds(&self, script: &Script) -> Vec<Option<Type>> {
        let kind = |name: &ScriptName| match name.number {
            Some(_) => Some(Type::Real),
            None => self.uses[name.slot.index()].written.known(),
        };
        script.names.iter().map(kind).collect()
    }

    fn fault(&mut self, at: (NodeId, ScriptOf), fault: Fault, code: Code) {
        let Some((source, span)) = self.place(at, fault.span) else { return };
        let mut diagnostic = Diagnostic::new(code, fault.message).at(&source, span, fault.label);
        if code.is_warning() {
            diagnostic = diagnostic
                .note("the reference loads it and fails when it gets there, and so this is a warning");
        }
        diagnostic.help = Some(fault.help.unwrap_or_else(|| "Change the script.".to_owned()));
        self.diagnostics.push(diagnostic);
    }

    /// An assignment that is never seen, or that gives text to a key which a node counts in.
    fn assignment(&mut self, at: (NodeId, ScriptOf), name: &Name, slot: SlotId) {
        if !name.assigns && !name.creates {
            return;
        }
        if let Some(number) = self.tree.enum_value(&name.text) {
            self.enum_name(at, name, number);
        }
        let numbers = self.uses[slot.index()].iter().find(|it| it.writes && it.ty.is_number());
        let Some(Origin::Port(node, index)) = numbers.map(|it| it.origin) else { return };
        if name.written_kind != Some(Type::Text) {
            return;
        }
        let Some((source, span)) = self.place(at, name.span.clone()) else { return };
        let port = &self.tree.manifest(node).ports[index as usize];
        let (there, other) = place::of_attribute(self.tree, node, &port.name);
        let it = numbers.map_or_else(String::new, |it| it.text(self.tree));
        self.diagnostics.push(
            Diagnostic::new(Code::W0108, format!("a script makes the key `{}` a text", name.text))
                .at(&source, span, "text is written here")
                .and_at(&there, other, it)
                .note("the first write decides what a key holds, and later ones convert or fail")
                .help("Assign a number, or use two keys."),
        );
    }

    fn enum_name(&mut self, at: (NodeId, ScriptOf), name: &Name, number: i64) {
        let Some((source, span)) = self.place(at, name.span.clone()) else { return };
        self.diagnostics.push(
            Diagnostic::new(
                Code::W0109,
                format!("`{}` is an enum name, and no script sees this key", name.text),
            )
            .at(&source, span, format!("scripts read it as {number}"))
            .help("Give the key another name."),
        );
    }

    /// Where a piece of a script stands; `None` when it was told already.
    fn place(&mut self, (node, of): (NodeId, ScriptOf), piece: Range<usize>) -> Option<(Arc<Source>, Span)> {
        let span = self.tree.info(node).span;
        if !self.said.insert((self.tree.source(node), span, of, piece.clone())) {
            return None;
        }
        let name = match of {
            ScriptOf::Guard(kind) => kind.as_str(),
            ScriptOf::Port(index) => &*self.tree.manifest(node).ports[index as usize].name,
        };
        Some(place::in_attribute(self.tree, node, name, piece))
    }
}
