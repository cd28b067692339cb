//! Reads a tool leaf, in both spellings, into one form.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;

use crate::call::ToolName;
use crate::catalog::{Kind, NodeManifest, PortManifest, ToolNode};
use crate::convert;
use crate::diag::{Code, Diagnostic, did_you_mean};
use crate::expr::{Dialect, Program};
use crate::tree::check::Checker;
use crate::tree::definition::{DefBinding, ToolKnobs};
use crate::tree::port_text::{self, PortText, TextPiece};
use crate::tree::{Part, Piece, Template};
use crate::value::{Type, Value};
use crate::xml::{Attribute, Element};

/// What a success predicate may name.
pub(crate) const PREDICATE_NAMES: [&str; 5] = ["result", "outcome", "attempt", "elapsed_ms", "args"];

/// The ports of the generic leaf.
const GENERIC_PORTS: [&str; 3] = ["tool", "args", "result"];

/// Reads the element; answers the manifest that the node ends up with, its bindings pushed.
/// A generic leaf whose tool is a literal becomes that tool's own node.
pub(super) fn read<'c>(
    checker: &mut Checker<'c>,
    element: Element<'c>,
    manifest: &Arc<NodeManifest>,
) -> (Arc<NodeManifest>, ToolKnobs) {
    let mut knobs = read_knobs(checker, element);
    let first = checker.def.bindings.len();
    let manifest = match manifest.kind {
        Kind::DynamicTool => match literal_tool(checker, element) {
            Some(tool) => {
                named(checker, element, &tool, true);
                tool
            }
            None => {
                generic(checker, element, manifest);
                manifest.clone()
            }
        },
        _ => {
            named(checker, element, manifest, false);
            manifest.clone()
        }
    };
    knobs.error = error_key(checker, &manifest, first);
    (manifest, knobs)
}

fn read_knobs<'c>(checker: &mut Checker<'c>, element: Element<'c>) -> ToolKnobs {
    let success = element
        .attribute("_success")
        .and_then(|attribute| predicate(checker, attribute, &PREDICATE_NAMES, "a success predicate"));
    let timeout = element.attribute("_timeout_ms").and_then(|attribute| timeout(checker, attribute));
    ToolKnobs { success, timeout, error: None }
}

/// Reads a predicate that may name nothing but `names`.
pub(super) fn predicate<'c>(
    checker: &mut Checker<'c>,
    attribute: Attribute<'c>,
    names: &[&str],
    what: &str,
) -> Option<Arc<Program>> {
    let program = checker.program(attribute, Dialect::Predicate)?;
    let is_known = |name: &str| names.contains(&name) || checker.catalog.enum_value(name).is_some();
    for name in program.names().iter().filter(|name| !is_known(&name.text)) {
        let near = did_you_mean(&name.text, names.iter().copied());
        checker.diagnostics.push(
            Diagnostic::new(Code::E0305, format!("{what} knows no `{}`", name.text))
                .at(checker.source, attribute.span_in_value(name.span.clone()), "not known here")
                .note(format!("it sees {}", names.join(", ")))
                .help(match near {
                    Some(near) => format!("Did you mean `{near}`?"),
                    None if names.contains(&"result") => format!("Perhaps `result.{}`?", name.text),
                    None => "Use one of those names.".to_owned(),
                }),
        );
    }
    Some(program)
}

fn timeout<'c>(checker: &mut Checker<'c>, attribute: Attribute<'c>) -> Option<Duration> {
    match attribute.value().parse::<u64>() {
        Ok(ms) if ms > 0 => Some(Duration::from_millis(ms)),
        _ => {
            checker.diagnostics.push(
                Diagnostic::new(Code::E0123, "`_timeout_ms` is a whole number of milliseconds, 1 or more")
                    .at(checker.source, attribute.value_span(), "not such a number")
                    .help("Write for instance `_timeout_ms=\"5000\"`."),
            );
            None
        }
    }
}

/// The tool that a generic leaf names in so many words; a fault when there is no such tool.
fn literal_tool<'c>(checker: &mut Checker<'c>, element: Element<'c>) -> Option<Arc<NodeManifest>> {
    let attribute = element.attribute("tool")?;
    let text = attribute.value();
    let is_literal = |text: &str| !matches!(port_text::parse(text, ""), Ok(PortText::Pointer(_)));
    // Arguments that come whole from a key are not known before the leaf starts either.
    if !is_literal(text) || element.attribute("args").is_some_and(|args| !is_literal(args.value())) {
        return None;
    }
    let found = checker
        .catalog
        .tool(&ToolName::new(text))
        .or_else(|| checker.catalog.get(text).filter(|manifest| manifest.kind == Kind::Tool));
    if found.is_none() {
        let near = did_you_mean(text, checker.catalog.tool_names());
        checker.diagnostics.push(
            Diagnostic::new(Code::E0121, format!("there is no tool named `{text}`"))
                .at(checker.source, attribute.value_span(), "not known")
                .help(match near {
                    Some(near) => format!("Did you mean `{near}`?"),
                    None => "`helve tools` lists what there is.".to_owned(),
                }),
        );
    }
    found.cloned()
}

/// A leaf whose tool is known: attributes by the tool's ports, arguments of `args` among them.
fn named<'c>(
    checker: &mut Checker<'c>,
    element: Element<'c>,
    manifest: &Arc<NodeManifest>,
    is_generic: bool,
) {
    let Some(tool) = &manifest.tool else { return };
    let arguments = is_generic.then(|| read_arguments(checker, element)).flatten();
    let unreadable = is_generic && arguments.is_none() && element.attribute("args").is_some();
    refuse_unknown(checker, element, manifest, is_generic);
    if let Some((attribute, Template::Object(members))) = &arguments {
        refuse_unknown_arguments(checker, *attribute, members, tool);
    }
    for (index, port) in manifest.ports.iter().enumerate() {
        let member = match (&arguments, tool.arguments.get(index)) {
            (Some((_, Template::Object(members))), Some(argument)) => {
                members.iter().find(|(name, _)| **name == **argument).map(|(_, template)| template.clone())
            }
            _ => None,
        };
        let binding = match (member, element.attribute(&port.name)) {
            (Some(template), _) => bind_template(checker, template),
            (None, Some(attribute)) => bind(checker, attribute, manifest, port),
            // Arguments that could not be read have been complained of already.
            (None, None) if unreadable => DefBinding::Absent,
            (None, None) => unbound(checker, element, manifest, port),
        };
        checker.def.bindings.push(binding);
    }
}

fn unbound<'c>(
    checker: &mut Checker<'c>,
    element: Element<'c>,
    manifest: &Arc<NodeManifest>,
    port: &PortManifest,
) -> DefBinding {
    if let Some(default) = &port.default {
        return checker.bind_default(default, port);
    }
    if port.required {
        checker.missing_port(element, manifest, port);
    }
    DefBinding::Absent
}

fn refuse_unknown<'c>(
    checker: &mut Checker<'c>,
    element: Element<'c>,
    manifest: &NodeManifest,
    is_generic: bool,
) {
    if !is_generic {
        return checker.refuse_unknown_ports(element, manifest);
    }
    for attribute in element.attributes() {
        let name = attribute.name();
        let known = matches!(name, "name" | "ID") || name.starts_with('_') || GENERIC_PORTS.contains(&name);
        if !known && manifest.port(name).is_none() {
            checker.unknown_port(attribute, manifest);
        }
    }
}

fn refuse_unknown_arguments<'c>(
    checker: &mut Checker<'c>,
    attribute: Attribute<'c>,
    members: &[(String, Template<u32>)],
    tool: &ToolNode,
) {
    for (name, _) in members.iter().filter(|(name, _)| !tool.arguments.iter().any(|it| **it == **name)) {
        let text = attribute.value();
        let quoted = format!("{name:?}");
        let range = text.find(&quoted).map_or(0..text.len(), |at| at..at + quoted.len());
        let known: Vec<_> = tool.arguments.iter().map(|argument| &**argument).collect();
        let near = did_you_mean(name, known.iter().copied());
        checker.diagnostics.push(
            Diagnostic::new(
                Code::E0122,
                format!("tool `{}` has no argument named `{name}`", tool.manifest.name),
            )
            .at(checker.source, attribute.span_in_value(range), "no such argument")
            .note(format!("its arguments are {}", known.join(", ")))
            .help(match near {
                Some(near) => format!("Did you mean `{near}`?"),
                None => "Remove it, or use one of the arguments.".to_owned(),
            }),
        );
    }
}

/// A leaf whose tool is chosen when it starts.
fn generic<'c>(checker: &mut Checker<'c>, element: Element<'c>, manifest: &Arc<NodeManifest>) {
    checker.refuse_unknown_ports(element, manifest);
    for port in manifest.ports.iter() {
        let binding = match (&*port.name, element.attribute(&port.name)) {
            ("args", Some(_)) => match read_arguments(checker, element) {
                Some((_, template)) => bind_template(checker, template),
                None => DefBinding::Absent,
            },
            (_, Some(attribute)) => bind(checker, attribute, manifest, port),
            (_, None) => unbound(checker, element, manifest, port),
        };
        checker.def.bindings.push(binding);
    }
}

/// Binds a port of a tool. Unlike a port of the dialect's own nodes it takes templates.
fn bind<'c>(
    checker: &mut Checker<'c>,
    attribute: Attribute<'c>,
    manifest: &NodeManifest,
    port: &PortManifest,
) -> DefBinding {
    let text = attribute.value();
    if !port.direction.writes()
        && is_template(text, port)
        && let Some(pieces) = port_text::pieces(text)
    {
        let template = Template::Text(number(checker, pieces));
        return bind_template(checker, template);
    }
    checker.bind(attribute, manifest, port)
}

/// A text port takes templates; other ports hold JSON or numbers, whose braces mean themselves.
fn is_template(text: &str, port: &PortManifest) -> bool {
    matches!(port.ty, Type::Text | Type::Any)
        && !matches!(port_text::parse(text, &port.name), Ok(PortText::Pointer(_)))
        && convert::from_text(text, Type::Json).map_or(true, |value| !matches!(value, Value::Json(_)))
}

fn number(checker: &mut Checker<'_>, pieces: Vec<TextPiece<'_>>) -> Vec<Piece<u32>> {
    (pieces.into_iter())
        .map(|piece| match piece {
            TextPiece::Text(text) => Piece::Text(text.into()),
            TextPiece::Pointer(pointer) => {
                let key = checker.def.keys.number(pointer.key);
                Piece::Value(Part { key, path: pointer.path })
            }
        })
        .collect()
}

fn bind_template(checker: &mut Checker<'_>, template: Template<u32>) -> DefBinding {
    match template {
        Template::Value(json) => checker.shared.literal(Value::from_json(json)),
        Template::Part(part) => checker.def.binding_of(part),
        template => {
            checker.def.templates.push(template);
            DefBinding::Template(checker.def.templates.len() as u32 - 1)
        }
    }
}

/// Reads `args`: a JSON object whose texts may be pointers or templates.
fn read_arguments<'c>(
    checker: &mut Checker<'c>,
    element: Element<'c>,
) -> Option<(Attribute<'c>, Template<u32>)> {
    let attribute = element.attribute("args")?;
    let text = attribute.value();
    // All arguments at once, from one key.
    if let Ok(PortText::Pointer(pointer)) = port_text::parse(text, "args") {
        let key = checker.def.keys.number(pointer.key);
        return Some((attribute, Template::Part(Part { key, path: pointer.path })));
    }
    match serde_json::from_str::<Json>(text) {
        Ok(Json::Object(members)) => {
            let members = members.into_iter().map(|(name, json)| (name, template(checker, json)));
            Some((attribute, Template::Object(members.collect())))
        }
        Ok(_) => {
            refuse_arguments(checker, attribute, 0..text.len(), "this JSON is no object".to_owned());
            None
        }
        Err(fault) => {
            let at = offset(text, fault.line(), fault.column());
            let letter = text[at..].chars().next().map_or(0, char::len_utf8);
            refuse_arguments(checker, attribute, at..at + letter, fault.to_string());
            None
        }
    }
}

fn refuse_arguments<'c>(
    checker: &mut Checker<'c>,
    attribute: Attribute<'c>,
    range: std::ops::Range<usize>,
    why: String,
) {
    checker.diagnostics.push(
        Diagnostic::new(Code::E0122, "`args` is no JSON object")
            .at(checker.source, attribute.span_in_value(range), why)
            .help("Write for instance `args='{\"query\": \"{symbol}\", \"limit\": 20}'`."),
    );
}

/// The byte offset of a line and a column, both from 1 and the column in bytes, as serde_json
/// counts them.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (before + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A JSON value whose texts may be pointers. Recursive: serde_json bounds the depth at 128.
fn template(checker: &mut Checker<'_>, json: Json) -> Template<u32> {
    match json {
        Json::String(text) => match port_text::parse(&text, "") {
            Ok(PortText::Pointer(pointer)) => {
                let key = checker.def.keys.number(pointer.key);
                Template::Part(Part { key, path: pointer.path })
            }
            _ => match port_text::pieces(&text) {
                Some(pieces) => Template::Text(number(checker, pieces)),
                None => Template::Value(Json::String(text)),
            },
        },
        Json::Array(items) => {
            constant_or(items.into_iter().map(|item| template(checker, item)).collect(), Template::Array)
        }
        Json::Object(members) => {
            let members = members.into_iter().map(|(name, json)| (name, template(checker, json)));
            Template::Object(members.collect())
        }
        plain => Template::Value(plain),
    }
}

fn constant_or(items: Vec<Template<u32>>, make: fn(Vec<Template<u32>>) -> Template<u32>) -> Template<u32> {
    let constants: Option<Vec<Json>> = (items.iter())
        .map(|item| match item {
            Template::Value(json) => Some(json.clone()),
            _ => None,
        })
        .collect();
    match constants {
        Some(values) => Template::Value(Json::Array(values)),
        None => make(items),
    }
}

/// The key that takes the particulars of a failure: that of `result`, else of the first bound
/// output, else the tool's name, with `_error` behind it.
fn error_key(checker: &mut Checker<'_>, manifest: &NodeManifest, first: usize) -> Option<u32> {
    let bound = |index: usize| match checker.def.bindings.get(first + index) {
        Some(DefBinding::Key(key)) => Some(*key),
        _ => None,
    };
    let outputs = || manifest.ports.iter().enumerate().filter(|(_, port)| port.direction.writes());
    let result = outputs().find(|(_, port)| port.name == "result").and_then(|(index, _)| bound(index));
    let key = result.or_else(|| outputs().find_map(|(index, _)| bound(index)));
    let name = match key {
        Some(key) => format!("{}_error", checker.def.keys.keys[key as usize].name),
        None => format!("{}_error", manifest.name),
    };
    Some(checker.def.keys.number(&name))
}
