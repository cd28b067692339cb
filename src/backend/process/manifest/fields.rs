//! The fields of a table, each asked for once; what was never asked for is unknown.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use serde_json::Value as Json;

use crate::backend::process::document::{Data, Member, Node};
use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::text::{Source, Span};

/// One table of a manifest.
pub struct Fields<'n> {
    pub source: &'n Arc<Source>,
    /// The names before this table, `limits.`.
    prefix: &'static str,
    members: &'n [Member],
    used: Vec<Cell<bool>>,
    known: RefCell<Vec<&'static str>>,
    faults: &'n RefCell<Diagnostics>,
}

impl<'n> Fields<'n> {
    /// The fields of a whole manifest; `None` when it is no table.
    pub fn new(source: &'n Arc<Source>, node: &'n Node, faults: &'n RefCell<Diagnostics>) -> Option<Self> {
        if let Data::Table(members) = &node.data {
            return Some(Self::of(source, "", members, faults));
        }
        let message = format!("a manifest is a table and not {}", node.kind());
        let fault = Diagnostic::new(Code::E0604, message).at(source, node.span, "");
        faults.borrow_mut().push(fault.help("Put the fields into braces, each with its name."));
        None
    }

    fn of(
        source: &'n Arc<Source>,
        prefix: &'static str,
        members: &'n [Member],
        faults: &'n RefCell<Diagnostics>,
    ) -> Self {
        let used = members.iter().map(|_| Cell::new(false)).collect();
        Self { source, prefix, members, used, known: RefCell::default(), faults }
    }

    pub fn fault(&self, fault: Diagnostic) {
        self.faults.borrow_mut().push(fault);
    }

    /// A field that is there but wrong.
    pub fn invalid(&self, name: &str, span: Span, why: &str, help: &str) {
        let message = format!("`{}{name}` {why}", self.prefix);
        self.fault(Diagnostic::new(Code::E0604, message).at(self.source, span, "").help(help));
    }

    /// The value of a field, when it is there.
    pub fn get(&self, name: &'static str) -> Option<&'n Node> {
        if !self.known.borrow().contains(&name) {
            self.known.borrow_mut().push(name);
        }
        let at = self.members.iter().position(|member| member.name == name)?;
        self.used[at].set(true);
        Some(&self.members[at].value)
    }

    /// The value of a field that must be there.
    pub fn required(&self, name: &'static str, what: &str) -> Option<&'n Node> {
        let found = self.get(name);
        if found.is_none() {
            let message = format!("the manifest has no `{}{name}`", self.prefix);
            let whole = Span::new(0, 0);
            self.fault(
                Diagnostic::new(Code::E0603, message).at(self.source, whole, "").help(format!("Add {what}.")),
            );
        }
        found
    }

    /// The text in a node that was got for `name`; empty ones are refused.
    pub fn text_of(&self, name: &str, node: &'n Node) -> Option<&'n str> {
        match &node.data {
            Data::Scalar(Json::String(text)) if !text.trim().is_empty() => Some(text),
            Data::Scalar(Json::String(_)) => {
                self.invalid(name, node.span, "is empty", "Write something into the quotes.");
                None
            }
            _ => {
                self.invalid(
                    name,
                    node.span,
                    &format!("is a text and not {}", node.kind()),
                    "Put it in quotes.",
                );
                None
            }
        }
    }

    pub fn text(&self, name: &'static str) -> Option<&'n str> {
        self.text_of(name, self.get(name)?)
    }

    /// A list of texts with their places.
    pub fn texts(&self, name: &'static str) -> Option<Vec<(&'n str, Span)>> {
        let node = self.get(name)?;
        let Data::List(items) = &node.data else {
            let why = format!("is a list of texts and not {}", node.kind());
            self.invalid(name, node.span, &why, "Put it in square brackets.");
            return None;
        };
        Some(items.iter().filter_map(|item| Some((self.text_of(name, item)?, item.span))).collect())
    }

    pub fn bool(&self, name: &'static str) -> Option<bool> {
        let node = self.get(name)?;
        if let Data::Scalar(Json::Bool(value)) = node.data {
            return Some(value);
        }
        let why = format!("is true or false and not {}", node.kind());
        self.invalid(name, node.span, &why, "Write true or false, without quotes.");
        None
    }

    /// A whole number from 1 to `max`.
    pub fn number(&self, name: &'static str, max: u64) -> Option<u64> {
        let node = self.get(name)?;
        let found = if let Data::Scalar(value) = &node.data { value.as_u64() } else { None };
        let found = found.filter(|number| (1..=max).contains(number));
        if found.is_none() {
            let help = format!("Write a whole number from 1 to {max}, without quotes.");
            self.invalid(name, node.span, "is out of range or no number", &help);
        }
        found
    }

    /// The fields of a table inside this one.
    pub fn table(&self, name: &'static str, prefix: &'static str) -> Option<Self> {
        let node = self.get(name)?;
        let Data::Table(members) = &node.data else {
            let why = format!("is a table and not {}", node.kind());
            self.invalid(name, node.span, &why, &format!("Begin a section `[{name}]`."));
            return None;
        };
        Some(Self::of(self.source, prefix, members, self.faults))
    }

    /// The members of this table, whatever they are called.
    pub fn all(&self) -> &'n [Member] {
        self.members
    }

    /// Tells of every field that nothing asked for.
    pub fn finish(self) {
        let unused = self.members.iter().zip(&self.used).filter(|(_, used)| !used.get());
        for (member, _) in unused {
            let known = self.known.borrow();
            let near = did_you_mean(&member.name, known.iter().copied());
            let help = match near {
                Some(near) => format!("Did you mean `{near}`?"),
                None => format!("There are: {}.", known.join(", ")),
            };
            let message = format!("a manifest has no field `{}{}`", self.prefix, member.name);
            let fault = Diagnostic::new(Code::E0602, message).at(self.source, member.name_span, "unknown");
            self.fault(fault.help(help));
        }
    }
}
