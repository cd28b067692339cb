//! `BlackboardCheckInt` and its like as `Precondition`.

use super::convert::Work;
use super::node::{Node, pointer};
use super::word;
use crate::xml::Attribute;

/// What the two values are compared as.
#[derive(Clone, Copy)]
enum Kind {
    Int,
    Double,
    Text,
    Bool,
}

fn kind_of(name: &str) -> Option<Kind> {
    match name.strip_prefix("BlackboardCheck")? {
        "Int" => Some(Kind::Int),
        "Double" => Some(Kind::Double),
        "String" => Some(Kind::Text),
        "Bool" => Some(Kind::Bool),
        _ => None,
    }
}

/// Whether a node of this name compares keys.
pub(super) fn is_check(name: &str) -> bool {
    kind_of(name).is_some()
}

/// Converts one, or says why it cannot be.
pub(super) fn convert(work: &mut Work<'_>, node: Node<'_>) {
    let name = node.kind();
    match parts(node) {
        Ok(parts) => {
            let script = format!("{} == {}", parts.left, parts.right);
            node.rename("Precondition", &mut work.edits);
            work.edits.rewrite(parts.first, "if", &script);
            work.edits.remove(node.element, parts.second);
            if let Some(mismatch) = node.element.attribute("return_on_mismatch") {
                work.rename_port(node, mismatch, "else");
                work.pointer(mismatch);
            }
            work.say(|source| word::blackboard_check(source, node.span(), name));
        }
        Err(why) => work.say(|source| word::no_script(source, node.span(), name, &why)),
    }
}

/// The two sides of a comparison, with the attributes that they stand in.
struct Parts<'d> {
    first: Attribute<'d>,
    second: Attribute<'d>,
    left: String,
    right: String,
}

fn parts<'d>(node: Node<'d>) -> Result<Parts<'d>, String> {
    let kind = kind_of(node.kind()).ok_or("it compares nothing that is known")?;
    if node.element.attribute("if").is_some() {
        return Err("it has a port `if`, which `Precondition` needs".to_owned());
    }
    let side = |name: &str| node.element.attribute(name).ok_or_else(|| format!("`{name}` is missing"));
    let (first, second) = (side("value_A")?, side("value_B")?);
    let (left, right) = (operand(first, kind)?, operand(second, kind)?);
    Ok(Parts { first, second, left, right })
}

/// A value as a script has it.
fn operand(attribute: Attribute<'_>, kind: Kind) -> Result<String, String> {
    let value = attribute.value();
    let Some(key) = pointer(value) else { return literal(value, kind) };
    let key = if key == "=" { attribute.name() } else { key };
    if is_name(key) { Ok(key.to_owned()) } else { Err(format!("`{key}` is no name that a script can have")) }
}

fn literal(value: &str, kind: Kind) -> Result<String, String> {
    let text = value.trim_ascii();
    let is_right = match kind {
        Kind::Int => text.parse::<i64>().is_ok(),
        Kind::Double => text.parse::<f64>().is_ok_and(f64::is_finite),
        Kind::Bool => matches!(text, "0" | "1" | "true" | "false" | "TRUE" | "FALSE" | "True" | "False"),
        Kind::Text if value.contains('\'') => return Err("a text in a script cannot hold `'`".to_owned()),
        Kind::Text => return Ok(format!("'{value}'")),
    };
    match kind {
        _ if !is_right => Err(format!("`{value}` is no value of its type")),
        Kind::Bool => Ok(text.to_ascii_lowercase()),
        // Scripts know no leading `+` and want a digit before the point.
        _ => Ok(text.trim_start_matches('+').replacen("-.", "-0.", 1)),
    }
    .map(|text| if text.starts_with('.') { format!("0{text}") } else { text })
}

/// Whether a script can name a key so.
fn is_name(key: &str) -> bool {
    let is_start = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'@');
    let bytes = key.as_bytes();
    bytes.first().is_some_and(|&first| is_start(first))
        && bytes[1..].iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !matches!(key, "true" | "false")
}
