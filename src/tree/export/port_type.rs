//! What XML Schema can say of the text of a port.

use crate::catalog::{PortManifest, Role};
use crate::tree::export::markup::Markup;
use crate::value::Type;

/// A key in braces, or `=` for the key of the port's own name.
const POINTER: &str = r"\s*(\{[\s\S]+\}|=)\s*";

/// The literals of a type, as a pattern; types that are not listed take any text.
const LITERALS: [(&str, &str); 5] = [
    ("boolPort", "true|false|TRUE|FALSE|True|False|0|1"),
    ("integerPort", r"[+\-]?[0-9]+"),
    ("naturalPort", r"\+?[0-9]+"),
    ("numberPort", r"[+\-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+\-]?[0-9]+)?"),
    ("statusPort", "SUCCESS|FAILURE|RUNNING|SKIPPED|IDLE"),
];

/// The definitions of all types that [`type_of`] names.
pub(super) fn definitions() -> impl Iterator<Item = Markup> {
    let pointer = ("keyPort", POINTER.to_owned());
    let literals = LITERALS.iter().map(|&(name, literal)| (name, format!("{literal}|{POINTER}")));
    std::iter::once(pointer).chain(literals).map(|(name, pattern)| {
        let pattern = Markup::new("xs:pattern").with("value", pattern);
        let restriction = Markup::new("xs:restriction").with("base", "xs:string").child(pattern);
        Markup::new("xs:simpleType").with("name", name).child(restriction)
    })
}

/// The type of a port's attribute.
pub(super) fn type_of(port: &PortManifest) -> &'static str {
    match port.ty {
        _ if port.role != Role::Value => "xs:string",
        _ if port.direction.writes() => "keyPort",
        Type::Bool => "boolPort",
        Type::Int | Type::Int64 => "integerPort",
        Type::Uint | Type::Uint64 => "naturalPort",
        Type::Real => "numberPort",
        Type::Status => "statusPort",
        // A text may be a template, and JSON is more than a pattern can say.
        Type::Any | Type::Text | Type::Json => "xs:string",
    }
}
