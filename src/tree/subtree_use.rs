//! Reads a `SubTree` element: which tree, and what its keys are there.

use std::sync::Arc;

use crate::convert;
use crate::diag::{Code, Diagnostic};
use crate::migrate;
use crate::tree::check::Checker;
use crate::tree::definition::{Remap, RemapTarget, SubtreeUse};
use crate::tree::port_text::{self, PortText};
use crate::value::{Type, Value};
use crate::xml::{Attribute, Element};

impl<'c> Checker<'c> {
    pub fn subtree(&mut self, element: Element<'c>) -> Option<SubtreeUse> {
        let Some(id) = element.attribute("ID") else {
            self.diagnostics.push(
                Diagnostic::new(Code::E0108, "`SubTree` needs its `ID`")
                    .at(self.source, element.start_tag_span(), "which tree?")
                    .help("Add `ID=\"...\"` with the ID of a `<BehaviorTree>`."),
            );
            return None;
        };
        let mut used = SubtreeUse {
            id: Arc::from(id.value()),
            id_span: id.value_span(),
            autoremap: false,
            remaps: Vec::new(),
        };
        for attribute in element.attributes() {
            let name = attribute.name();
            if name == "_autoremap" {
                used.autoremap = self.flag(attribute);
            } else if let Some(help) = migrate::help_for_attribute(self.source, "SubTree", name) {
                self.old_switch(attribute, help);
            } else if name.starts_with('_') {
                self.check_knob(attribute, &[]);
            } else if !matches!(name, "ID" | "name") && name.starts_with(char::is_alphabetic) {
                used.remaps.extend(self.remap(attribute));
            }
        }
        Some(used)
    }

    fn old_switch(&mut self, attribute: Attribute<'c>, help: String) {
        self.diagnostics.push(
            Diagnostic::new(Code::W0106, format!("`{}` is ignored", attribute.name()))
                .at(self.source, attribute.name_span(), "no attribute of this name means anything")
                .help(help),
        );
    }

    fn flag(&mut self, attribute: Attribute<'c>) -> bool {
        match convert::from_text(attribute.value(), Type::Bool) {
            Ok(value) => value == Value::Bool(true),
            Err(fault) => {
                self.diagnostics.push(
                    Diagnostic::new(Code::E0123, format!("`{}` is true or false", attribute.name()))
                        .at(self.source, attribute.value_span(), fault.to_string())
                        .help("Write `true` or `false`."),
                );
                false
            }
        }
    }

    fn remap(&mut self, attribute: Attribute<'c>) -> Option<Remap> {
        let text = attribute.value();
        let name: Arc<str> = attribute.name().into();
        match port_text::parse(text, &name) {
            Ok(PortText::Pointer(pointer)) if pointer.path.is_empty() => {
                let key = self.def.keys.number(pointer.key);
                Some(Remap { name, target: RemapTarget::Key(key) })
            }
            Ok(PortText::Pointer(pointer)) => {
                self.diagnostics.push(
                    Diagnostic::new(Code::E0118, "a subtree's port cannot be a part of a value")
                        .at(self.source, attribute.value_span(), "a part of a JSON value is read only")
                        .note("a remapped key goes both ways: the subtree may write it")
                        .help(format!(
                            "Remap the whole key, `{{{}}}`, and take the part inside.",
                            pointer.key
                        )),
                );
                None
            }
            Ok(PortText::Literal) => Some(Remap { name, target: RemapTarget::Value(constant(text)) }),
            Err(fault) => {
                self.diagnostics.push(
                    Diagnostic::new(Code::E0118, format!("port `{name}` points to no key"))
                        .at(self.source, attribute.span_in_value(fault.range), fault.message)
                        .help("A pointer is `{key}`."),
                );
                None
            }
        }
    }
}

/// A constant given to a subtree: an integer, a double, or text, by its look. The reference reads
/// neither a sign `+` nor blanks nor `true` as anything but text.
pub(super) fn constant(text: &str) -> Value {
    let plain = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.'));
    match (plain, text.parse::<i64>(), convert::from_text(text, Type::Real)) {
        (true, Ok(int), _) => Value::Int(int),
        (true, _, Ok(real)) => real,
        _ => Value::text(text),
    }
}
