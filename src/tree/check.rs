//! Reads one `BehaviorTree` element into a [`Definition`], and says everything that is wrong with
//! it.

use std::sync::Arc;

use ahash::AHashMap;

use crate::catalog::{Catalog, Class, Direction, Kind, NodeManifest, PortManifest, Role};
use crate::convert;
use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::expr::{self, Dialect, FaultKind, Program};
use crate::migrate;
use crate::text::{Source, Span};
use crate::tree::GuardKind;
use crate::tree::Part;
use crate::tree::definition::{DefBinding, DefNode, DefScript, Definition, Extra, Shared};
use crate::tree::names::Name;
use crate::tree::port_text::{self, PortText};
use crate::tree::reserved::Reserved;
use crate::tree::threshold;
use crate::tree::tool_leaf;
use crate::tree::{handler, items, lanes};
use crate::value::{Type, Value};
use crate::xml::{Attribute, Element};

/// Reads definitions of one source.
pub(super) struct Checker<'c> {
    pub source: &'c Arc<Source>,
    pub catalog: &'c Catalog,
    pub shared: &'c mut Shared,
    pub diagnostics: &'c mut Diagnostics,
    pub def: Definition,
    by_name: AHashMap<&'c str, Option<Known<'c>>>,
    /// The attributes of the ports of the element that is read.
    by_port: Vec<Option<Attribute<'c>>>,
}

/// A kind of node, found by its name.
#[derive(Clone, Copy)]
struct Known<'c> {
    manifest: &'c Arc<NodeManifest>,
    /// Its number among those that the definitions share.
    number: u32,
}

/// The attributes that are no ports.
pub(super) const KNOBS: [&str; 13] = [
    "_failureIf",
    "_successIf",
    "_skipIf",
    "_while",
    "_onHalted",
    "_onFailure",
    "_onSuccess",
    "_post",
    "_autoremap",
    "_success",
    "_timeout_ms",
    "_description",
    "_catch",
];

impl<'c> Checker<'c> {
    pub fn new(
        source: &'c Arc<Source>,
        catalog: &'c Catalog,
        shared: &'c mut Shared,
        diagnostics: &'c mut Diagnostics,
        def: Definition,
    ) -> Self {
        Self { source, catalog, shared, diagnostics, def, by_name: AHashMap::new(), by_port: Vec::new() }
    }

    /// Reads every element from `root` on, the tree's one child, in document order.
    pub fn read(mut self, root: Element<'c>) -> Definition {
        let elements = root.and_inside();
        self.def.nodes.reserve_exact(elements.len());
        self.def.bindings.reserve(elements.len());
        let first = root.id().index();
        for element in elements {
            let above = element.parent().map_or(first, |above| above.id().index());
            self.element(element, above.saturating_sub(first) as u32);
        }
        self.def
    }

    fn element(&mut self, element: Element<'c>, parent: u32) {
        let known = self.known(element);
        let ports = known.map_or(&[][..], |known| &known.manifest.ports);
        let reserved = Reserved::of(element, ports, &mut self.by_port);
        if known.is_none() || reserved.id.is_some() {
            self.check_kind(element, &reserved, known);
        }
        let mut node = DefNode {
            manifest: u32::MAX,
            parent,
            ports: self.def.bindings.len() as u32,
            extra: 0,
            name: self.name_of(&reserved, known),
            span: element.start_tag_span(),
        };
        if let Some(known) = known {
            self.check_children(element, known.manifest);
            if known.manifest.kind == Kind::ReactiveSequence {
                self.check_reactive(element);
            }
            self.node(element, &reserved, known, &mut node);
        }
        self.def.nodes.push(node);
    }

    /// Reads ports, knobs and guards, and says which manifest the node ends up with.
    fn node(&mut self, element: Element<'c>, reserved: &Reserved<'c>, known: Known<'c>, node: &mut DefNode) {
        let mut extra = reserved.has_knobs.then(|| Extra {
            catch: handler::read(self, element, node.parent),
            guards: self.guards(element),
            ..Extra::default()
        });
        let Known { manifest, number } = known;
        node.manifest = number;
        match manifest.kind {
            Kind::SubTree => extra.get_or_insert_default().subtree = self.subtree(element),
            Kind::Tool | Kind::DynamicTool => {
                let (manifest, knobs) = tool_leaf::read(self, element, manifest);
                extra.get_or_insert_default().tool = Some(knobs);
                node.manifest = self.shared.manifest(&manifest);
            }
            kind => {
                if reserved.has_knobs || reserved.has_others {
                    self.refuse_unknown_ports(element, manifest);
                }
                self.ports(element, manifest);
                threshold::check(self, element, manifest);
                if kind == Kind::ForEach {
                    extra.get_or_insert_default().lanes = Some(lanes::count(self, element));
                }
            }
        }
        if let Some(extra) = extra.filter(Extra::says_something) {
            self.def.extras.push(extra);
            node.extra = self.def.extras.len() as u32;
        }
    }

    /// The kind of node that an element is, in both spellings.
    fn known(&mut self, element: Element<'c>) -> Option<Known<'c>> {
        let name = element.name();
        if is_explicit(name) { self.lookup(element.attribute("ID")?.value()) } else { self.lookup(name) }
    }

    /// Tells of an element that is no node, or has an `ID` and should not.
    fn check_kind(&mut self, element: Element<'c>, reserved: &Reserved<'c>, known: Option<Known<'c>>) {
        let (name, span) = (element.name(), element.name_span());
        match reserved.id {
            Some(id) if is_explicit(name) && known.is_none() => {
                self.unknown_node(id.value(), id.value_span());
            }
            None if is_explicit(name) => self.diagnostics.push(
                Diagnostic::new(Code::E0106, format!("`<{name}>` does not say which node it is"))
                    .at(self.source, span, "`ID` is missing")
                    .help("Add `ID=\"...\"` with the node's name, or write the node's name as the element."),
            ),
            // The `SubTreePlus` of version 3 has an ID by right, and is told of as what it is.
            Some(id) if !is_explicit(name) && !matches!(name, "SubTree" | "SubTreePlus") => self.diagnostics.push(
                Diagnostic::new(Code::E0115, format!("`ID` does not go with `<{name}>`"))
                    .at(self.source, id.name_span(), "only the explicit form has an ID")
                    .note("`ID` belongs to `<Action>`, `<Condition>`, `<Control>`, `<Decorator>` and `<SubTree>`")
                    .help("Remove it, or use `name` to give the node a name."),
            ),
            _ => {}
        }
        if known.is_none() && !is_explicit(name) {
            match name {
                "include" => self.diagnostics.push(crate::tree::include::misplaced(self.source, span)),
                _ => self.unknown_node(name, span),
            }
        }
    }

    /// The kind of node of that name. A catalog is asked once for each.
    fn lookup(&mut self, name: &'c str) -> Option<Known<'c>> {
        if let Some(&known) = self.by_name.get(name) {
            return known;
        }
        let manifest = self.catalog.get(name);
        let known = manifest.map(|manifest| Known { manifest, number: self.shared.manifest(manifest) });
        self.by_name.insert(name, known);
        known
    }

    fn unknown_node(&mut self, name: &str, span: Span) {
        let help = migrate::help_for_node(self.source, name).unwrap_or_else(|| {
            match did_you_mean(name, self.catalog.names()) {
                Some(near) => format!("Did you mean `{near}`?"),
                None => "`helve nodes` and `helve tools` list what there is; `--tools PATH` adds programs."
                    .to_owned(),
            }
        });
        self.diagnostics.push(
            Diagnostic::new(Code::E0106, format!("there is no node named `{name}`"))
                .at(self.source, span, "not known")
                .help(help),
        );
    }

    /// The `name` attribute, unless it repeats the type: then the node counts as unnamed.
    fn name_of(&mut self, reserved: &Reserved<'c>, known: Option<Known<'c>>) -> Name {
        match reserved.name {
            Some(name) if known.is_some_and(|known| known.manifest.name == name.value()) => Name::default(),
            Some(name) if name.is_as_written() => Name::at(name.value_span()),
            Some(name) => self.shared.names.keep(name.value()),
            None => Name::default(),
        }
    }

    fn check_children(&mut self, element: Element<'c>, manifest: &NodeManifest) {
        let count = element.children().take(1_000_000).count();
        if manifest.children.allow(count) {
            return;
        }
        let help = match (manifest.class, count) {
            (Class::Action | Class::Condition | Class::SubTree, _) => {
                "Move the children out, for instance beside it under a `<Sequence>`.".to_owned()
            }
            (_, 0) => "Put a node inside, or remove the element.".to_owned(),
            _ => "Wrap the children into one control node such as `<Sequence>`.".to_owned(),
        };
        self.diagnostics.push(
            Diagnostic::new(
                Code::E0110,
                format!("`{}` takes {}, here it has {count}", manifest.name, manifest.children),
            )
            .at(self.source, element.start_tag_span(), format!("takes {}", manifest.children))
            .help(help),
        );
    }

    /// A ReactiveSequence begins anew on every tick, so of two children that yield between their
    /// own the second would never come to its end: the reference refuses them, and so do we.
    fn check_reactive(&mut self, element: Element<'c>) {
        let mut yielding = element.children().filter(|child| child.name() == "AsyncSequence");
        let (Some(first), Some(second)) = (yielding.next(), yielding.next()) else { return };
        self.diagnostics.push(
            Diagnostic::new(Code::E0126, "a ReactiveSequence takes at most one `AsyncSequence`")
                .at(self.source, second.start_tag_span(), "a second one")
                .and_at(self.source, first.start_tag_span(), "the first")
                .note("every tick begins with the first child, and a child that is running halts the others")
                .help("Use `Sequence` for one of them, or a `Sequence` around both."),
        );
    }

    /// Reads the ports of a node of the dialect's own, or of an embedder's.
    fn ports(&mut self, element: Element<'c>, manifest: &NodeManifest) {
        for (index, port) in manifest.ports.iter().enumerate() {
            let binding = match self.by_port[index] {
                Some(attribute) => self.bind(attribute, manifest, port),
                None => self.unbound(element, manifest, port),
            };
            self.def.bindings.push(binding);
        }
    }

    /// Says of every attribute that is neither a port nor a knob that it is unknown.
    pub fn refuse_unknown_ports(&mut self, element: Element<'c>, manifest: &NodeManifest) {
        for attribute in element.attributes() {
            let name = attribute.name();
            if name.starts_with('_') {
                self.check_knob(attribute, &manifest.ports);
            } else if !matches!(name, "name" | "ID")
                && name.starts_with(char::is_alphabetic)
                && manifest.port(name).is_none()
            {
                self.unknown_port(attribute, manifest);
            }
        }
    }

    /// An unknown knob is ignored, as the dialect has it; one that is nearly a known one is
    /// probably a slip.
    pub fn check_knob(&mut self, attribute: Attribute<'c>, ports: &[PortManifest]) {
        let name = attribute.name();
        let own = || ports.iter().map(|port| &*port.name).filter(|name| name.starts_with('_'));
        if !KNOBS.contains(&name)
            && own().all(|port| port != name)
            && let Some(near) = did_you_mean(name, KNOBS.into_iter().chain(own()))
        {
            self.diagnostics.push(
                Diagnostic::new(Code::W0106, format!("`{name}` is ignored"))
                    .at(self.source, attribute.name_span(), "no attribute of this name means anything")
                    .help(format!("Did you mean `{near}`?")),
            );
        }
    }

    pub fn unknown_port(&mut self, attribute: Attribute<'c>, manifest: &NodeManifest) {
        let name = attribute.name();
        let names = manifest.ports.iter().map(|port| &*port.name);
        let ports: Vec<_> = names.filter(|name| !name.starts_with('_')).collect();
        let diagnostic = Diagnostic::new(
            Code::E0107,
            format!("`{}` has no port named `{name}`", manifest.name),
        )
        .at(self.source, attribute.name_span(), "no such port");
        let near = did_you_mean(name, ports.iter().copied());
        let has = match &*ports {
            [] => "it has no ports".to_owned(),
            [only] => format!("its only port is {only}"),
            _ => format!("its ports are {}", ports.join(", ")),
        };
        let old = migrate::help_for_attribute(self.source, &manifest.name, name);
        self.diagnostics.push(diagnostic.note(has).help(match (old, near) {
            (Some(old), _) => old,
            (None, Some(near)) => format!("Did you mean `{near}`?"),
            (None, None) => "Remove the attribute, or use one of the ports.".to_owned(),
        }));
    }

    /// A port without an attribute: its default, else nothing.
    fn unbound(&mut self, element: Element<'c>, manifest: &NodeManifest, port: &PortManifest) -> DefBinding {
        if let Some(default) = &port.default {
            return self.bind_default(default, port);
        }
        if port.required || port.direction.writes() && manifest.kind == Kind::Leaf {
            self.missing_port(element, manifest, port);
        }
        DefBinding::Absent
    }

    pub fn missing_port(&mut self, element: Element<'c>, manifest: &NodeManifest, port: &PortManifest) {
        let about = if port.doc.is_empty() { String::new() } else { format!(": {}", port.doc) };
        self.diagnostics.push(
            Diagnostic::new(Code::E0108, format!("`{}` needs its port `{}`", manifest.name, port.name))
                .at(self.source, element.start_tag_span(), format!("`{}` is missing", port.name))
                .note(format!("`{}` is {} of type {}{about}", port.name, article(port.direction), port.ty))
                .help(format!("Add `{}=\"...\"` with a value or a key in braces.", port.name)),
        );
    }

    pub fn bind(
        &mut self,
        attribute: Attribute<'c>,
        manifest: &NodeManifest,
        port: &PortManifest,
    ) -> DefBinding {
        let text = attribute.value();
        match port_text::parse(text, &port.name) {
            Ok(PortText::Literal) if port.role == Role::Script => self.script_port(attribute, manifest),
            Ok(PortText::Literal) if port.role == Role::Key => self.key_port(attribute),
            Ok(PortText::Literal) if let Role::Items(ty) = port.role => {
                items::read(self, attribute, port, ty)
            }
            Ok(PortText::Pointer(pointer)) => {
                let span = attribute.value_span();
                self.refuse_written_part(&pointer, manifest, port, span);
                let key = self.def.keys.number(pointer.key);
                self.def.binding_of(Part { key, path: pointer.path })
            }
            Ok(PortText::Literal) if port.direction.writes() => {
                self.refuse_literal_output(attribute, manifest, port);
                DefBinding::Absent
            }
            Ok(PortText::Literal) => self.literal(attribute, text, port),
            // A JSON value in braces is no pointer; to a text port it is that text.
            Err(_)
                if matches!(port.ty, Type::Json | Type::Any | Type::Text)
                    && !port.direction.writes()
                    && convert::from_text(text, Type::Json).is_ok() =>
            {
                self.literal(attribute, text, port)
            }
            Err(fault) => {
                self.diagnostics.push(
                    Diagnostic::new(Code::E0118, format!("port `{}` points to no key", port.name))
                        .at(self.source, attribute.span_in_value(fault.range), fault.message)
                        .help("A pointer is `{key}`, or `{key.path[0]}` for a part of a JSON value."),
                );
                DefBinding::Absent
            }
        }
    }

    pub fn refuse_written_part(
        &mut self,
        pointer: &port_text::Pointer<'_>,
        manifest: &NodeManifest,
        port: &PortManifest,
        span: Span,
    ) {
        if port.direction.writes() && !pointer.path.is_empty() {
            self.diagnostics.push(
                Diagnostic::new(
                    Code::E0118,
                    format!("`{}` cannot write to a part of a value", manifest.name),
                )
                .at(self.source, span, format!("`{}` is an output port", port.name))
                .note("a part of a JSON value is read only; a key is written whole")
                .help(format!("Write `{{{}}}`.", pointer.key)),
            );
        }
    }

    fn refuse_literal_output(
        &mut self,
        attribute: Attribute<'c>,
        manifest: &NodeManifest,
        port: &PortManifest,
    ) {
        let text = attribute.value();
        let diagnostic = Diagnostic::new(
            Code::E0109,
            format!("`{}` writes its port `{}`, which needs a key", manifest.name, port.name),
        )
        .at(self.source, attribute.value_span(), "a literal cannot be written to");
        let is_key = port_text::check_key(text).is_ok();
        self.diagnostics.push(match is_key {
            true => diagnostic.help(format!("Write `{{{text}}}` to name the key.")),
            false => diagnostic.help("Write a key in braces: `{key}`."),
        });
    }

    fn literal(&mut self, attribute: Attribute<'c>, text: &str, port: &PortManifest) -> DefBinding {
        let ty = if port.ty == Type::Any { Type::Text } else { port.ty };
        let named = self.catalog.enum_value(text).filter(|_| ty.is_number());
        let read = named.map(|number| convert::convert(&Value::Int(number), ty));
        match read.unwrap_or_else(|| convert::from_text(text, ty)) {
            Ok(value) => self.shared.literal(value),
            Err(fault) => {
                self.diagnostics.push(
                    Diagnostic::new(Code::E0109, format!("port `{}` does not take {text:?}", port.name))
                        .at(self.source, attribute.value_span(), fault.to_string())
                        .note(format!("`{}` is {} of type {}", port.name, article(port.direction), port.ty))
                        .help("Write a value of that type, or a key in braces."),
                );
                DefBinding::Absent
            }
        }
    }

    pub fn bind_default(&mut self, default: &str, port: &PortManifest) -> DefBinding {
        match port_text::parse(default, &port.name) {
            Ok(PortText::Pointer(pointer)) => {
                let key = self.def.keys.number(pointer.key);
                self.def.binding_of(Part { key, path: pointer.path })
            }
            _ => match convert::from_text(default, port.ty) {
                Ok(value) => self.shared.literal(value),
                Err(_) => DefBinding::Absent,
            },
        }
    }

    /// A script in a port. An empty `Script` does nothing, as the reference has it; an empty
    /// condition would have no answer.
    fn script_port(&mut self, attribute: Attribute<'c>, manifest: &NodeManifest) -> DefBinding {
        let script = match manifest.kind {
            Kind::Script => {
                self.program(attribute, Dialect::Script).map(|program| self.number_names(program))
            }
            _ => self.script(attribute),
        };
        let Some(script) = script else { return DefBinding::Absent };
        self.def.scripts.push(script);
        DefBinding::Script(self.def.scripts.len() as u32 - 1)
    }

    /// The name of a key without braces.
    fn key_port(&mut self, attribute: Attribute<'c>) -> DefBinding {
        match port_text::check_key(attribute.value()) {
            Ok(()) => DefBinding::Key(self.def.keys.number(attribute.value())),
            Err(why) => {
                self.diagnostics.push(
                    Diagnostic::new(
                        Code::E0118,
                        format!("port `{}` needs the name of a key", attribute.name()),
                    )
                    .at(self.source, attribute.value_span(), why)
                    .help("Write a key, with braces or without."),
                );
                DefBinding::Absent
            }
        }
    }

    fn guards(&mut self, element: Element<'c>) -> [Option<DefScript>; 8] {
        let mut guards = [const { None }; 8];
        for attribute in element.attributes().filter(|attribute| attribute.name().starts_with('_')) {
            let kind = GuardKind::ALL.into_iter().find(|kind| kind.as_str() == attribute.name());
            if let Some(kind) = kind {
                guards[kind as usize] = self.script(attribute);
            }
        }
        guards
    }

    fn script(&mut self, attribute: Attribute<'c>) -> Option<DefScript> {
        let program = self.program(attribute, Dialect::Script)?;
        if program.is_empty() {
            self.diagnostics.push(
                Diagnostic::new(Code::E0301, format!("the script of `{}` is empty", attribute.name()))
                    .at(self.source, attribute.value_span(), "nothing to evaluate")
                    .help("Write an expression, or remove the attribute."),
            );
        }
        Some(self.number_names(program))
    }

    fn number_names(&mut self, program: Arc<Program>) -> DefScript {
        let keys = (program.names().iter()).map(|name| self.def.keys.number(&name.text)).collect();
        DefScript { program, keys }
    }

    /// Parses the expression of an attribute; its faults point into the attribute's value.
    pub fn program(&mut self, attribute: Attribute<'c>, dialect: Dialect) -> Option<Arc<Program>> {
        match expr::parse(attribute.value(), dialect) {
            Ok(program) => Some(Arc::new(program)),
            Err(faults) => {
                for fault in faults {
                    let code = match fault.kind {
                        FaultKind::TooLong => Code::E0302,
                        FaultKind::TooDeep => Code::E0303,
                        FaultKind::Type => Code::E0304,
                        _ => Code::E0301,
                    };
                    let span = attribute.span_in_value(fault.span);
                    let mut diagnostic =
                        Diagnostic::new(code, fault.message).at(self.source, span, fault.label);
                    diagnostic.help =
                        Some(fault.help.unwrap_or_else(|| {
                            "Complete the expression, or remove the attribute.".to_owned()
                        }));
                    self.diagnostics.push(diagnostic);
                }
                None
            }
        }
    }
}

/// Whether an element says by its `ID` which node it is.
fn is_explicit(name: &str) -> bool {
    matches!(name, "Action" | "Condition" | "Control" | "Decorator")
}

pub(super) const fn article(direction: Direction) -> &'static str {
    match direction {
        Direction::In => "an input",
        Direction::Out => "an output",
        Direction::InOut => "an input and output",
    }
}
