//! Reads a port: a literal, a key, a part of a key's value, a template.

use std::fmt;

use serde_json::Value as Json;

use crate::board::Board;
use crate::convert;
use crate::id::NodeId;
use crate::tree::{Binding, Node, Part, Piece, Template, Tree};
use crate::value::{Type, Value};

/// Why a port could not be read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PortFault {
    /// Behind a pointer, so that what every visit hands on stays small.
    said: Box<Said>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Said {
    message: String,
}

impl PortFault {
    /// A fault of the node itself, not of one of its ports.
    pub fn of_node(tree: &Tree, node: NodeId, why: &str) -> Self {
        Self { said: Box::new(Said { message: format!("{}: {why}", tree.manifest(node).name) }) }
    }

    pub fn new(tree: &Tree, node: NodeId, port: usize, why: String) -> Self {
        let name = tree.manifest(node).ports.get(port).map_or("?", |port| &*port.name);
        Self { said: Box::new(Said { message: format!("port `{name}`: {why}") }) }
    }
}

impl fmt::Display for PortFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.said.message)
    }
}

/// The value of an input port as a value of type `ty`; `None` when there is none.
#[inline(always)]
pub(crate) fn read_port(
    tree: &Tree,
    board: &Board,
    (id, node): (NodeId, &Node),
    port: usize,
    ty: Type,
) -> Result<Option<Value>, PortFault> {
    match fitting(tree, board, node, port, ty) {
        Some(value) => Ok(Some(value.clone())),
        None => convert_port(tree, board, id, port, ty),
    }
}

/// The value of a port that is bound to a literal, or to a key, of type `ty`: nearly always.
#[inline(always)]
pub(crate) fn fitting<'b>(
    tree: &'b Tree,
    board: &'b Board,
    node: &Node,
    port: usize,
    ty: Type,
) -> Option<&'b Value> {
    let value = match tree.binding_of(node, port) {
        Binding::Slot(slot) => board.get(slot),
        Binding::Literal(literal) => Some(tree.literal(literal)),
        _ => None,
    };
    value.filter(|value| value.fits(ty))
}

/// The value of an input port as a value of type `ty`, whatever it is bound to.
#[inline(never)]
pub(crate) fn convert_port(
    tree: &Tree,
    board: &Board,
    node: NodeId,
    port: usize,
    ty: Type,
) -> Result<Option<Value>, PortFault> {
    let convert = |value: &Value| {
        tree.convert(value, ty).map(Some).map_err(|fault| {
            let of = key_of(tree, board, node, port);
            PortFault::new(tree, node, port, format!("{of}{fault}"))
        })
    };
    match tree.binding(node, port) {
        Binding::Absent => Ok(None),
        Binding::Literal(literal) => convert(tree.literal(literal)),
        Binding::Slot(slot) => match board.get(slot) {
            Some(value) => convert(value),
            None => Ok(None),
        },
        Binding::Part(part) => match part_of(board, tree.part(part)) {
            Some(value) => convert(&value),
            None => Ok(None),
        },
        Binding::Script(script) => Ok(Some(Value::Text(tree.script(script).program.text().clone()))),
        Binding::Template(template) => match build(board, tree.template(template)) {
            Some(json) => convert(&Value::from_json(json)),
            None => Ok(None),
        },
    }
}

fn key_of(tree: &Tree, board: &Board, node: NodeId, port: usize) -> String {
    match tree.binding(node, port) {
        Binding::Slot(slot) => format!("key `{}`: ", board.key(slot)),
        _ => String::new(),
    }
}

/// The value of an argument's port as JSON; `Err` says which key, or part of one, has no value.
pub(crate) fn read_json(
    tree: &Tree,
    board: &Board,
    node: NodeId,
    port: usize,
    ty: Type,
) -> Result<Option<Json>, String> {
    match tree.binding(node, port) {
        Binding::Absent => Ok(None),
        Binding::Literal(literal) => Ok(Some(convert::to_argument(tree.literal(literal), ty))),
        Binding::Slot(slot) => match board.get(slot) {
            Some(value) => Ok(Some(convert::to_argument(value, ty))),
            None => Err(board.key(slot).to_owned()),
        },
        Binding::Part(part) => {
            let part = tree.part(part);
            match part_of(board, part) {
                Some(value) => Ok(Some(convert::to_argument(&value, ty))),
                None => Err(part_text(board, part)),
            }
        }
        Binding::Script(script) => Ok(Some(Json::from(&**tree.script(script).program.text()))),
        Binding::Template(template) => {
            let template = tree.template(template);
            build(board, template).map(Some).ok_or_else(|| unfed(board, template))
        }
    }
}

fn part_text(board: &Board, part: &Part) -> String {
    format!("{}{}", board.key(part.key), part.path)
}

/// A part of the value of a key.
fn part_of(board: &Board, part: &Part) -> Option<Value> {
    let value = board.get(part.key)?;
    if part.path.is_empty() {
        return Some(value.clone());
    }
    match value {
        Value::Json(json) => part.path.find(json).cloned().map(Value::from_json),
        _ => None,
    }
}

/// Puts a template together; `None` when a key in it has no value.
fn build(board: &Board, template: &Template) -> Option<Json> {
    Some(match template {
        Template::Value(json) => json.clone(),
        Template::Part(part) => part_of(board, part)?.to_json(),
        Template::Text(pieces) => Json::String(build_text(board, pieces)?),
        Template::Array(items) => {
            Json::Array(items.iter().map(|item| build(board, item)).collect::<Option<_>>()?)
        }
        Template::Object(members) => Json::Object(
            (members.iter())
                .map(|(name, it)| Some((name.clone(), build(board, it)?)))
                .collect::<Option<_>>()?,
        ),
    })
}

fn build_text(board: &Board, pieces: &[Piece]) -> Option<String> {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(piece) => text.push_str(piece),
            Piece::Value(part) => text.push_str(&part_of(board, part)?.to_string()),
        }
    }
    Some(text)
}

/// The first key of a template, or part of one, that has no value.
fn unfed(board: &Board, template: &Template) -> String {
    template
        .parts()
        .into_iter()
        .find(|part| part_of(board, part).is_none())
        .map_or_else(String::new, |part| part_text(board, part))
}
