//! What XML Schema can say of the text of a port.

use crate::catalog::{Catalog, PortManifest, Role};
use crate::convert;
use crate::tree::export::markup::Markup;
use crate::value::{Type, Value};

/// A key in braces, or `=` for the key of the port's own name.
const POINTER: &str = r"\s*(\{[\s\S]+\}|=)\s*";

/// The literals of a type, as a pattern, and the widest type that has them; types that are not listed
/// take any text.
const LITERALS: [(&str, &str, Type); 5] = [
    ("boolPort", "true|false|TRUE|FALSE|True|False|0|1", Type::Bool),
    ("integerPort", r"[+\-]?[0-9]+", Type::Int64),
    ("naturalPort", r"\+?[0-9]+", Type::Uint64),
    ("numberPort", r"[+\-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+\-]?[0-9]+)?", Type::Real),
    ("statusPort", "SUCCESS|FAILURE|RUNNING|SKIPPED|IDLE", Type::Status),
];

/// The definitions of all types that [`type_of`] names.
pub(super) fn definitions(catalog: &Catalog) -> impl Iterator<Item = Markup> {
    let pointer = ("keyPort", POINTER.to_owned());
    let literals = LITERALS.iter().map(|&(name, literal, ty)| {
        let names = names_for(catalog, ty).into_iter().flat_map(|(name, _)| ["|", name]);
        (name, format!("{literal}{}|{POINTER}", names.collect::<String>()))
    });
    std::iter::once(pointer).chain(literals).map(|(name, pattern)| {
        let pattern = Markup::new("xs:pattern").with("value", pattern);
        let restriction = Markup::new("xs:restriction").with("base", "xs:string").child(pattern);
        Markup::new("xs:simpleType").with("name", name).child(restriction)
    })
}

/// The enum names that a port may be given, with their numbers, by number.
pub(super) fn names_of<'c>(catalog: &'c Catalog, port: &PortManifest) -> Vec<(&'c str, i64)> {
    match port.role {
        Role::Value if !port.direction.writes() => names_for(catalog, port.ty),
        _ => Vec::new(),
    }
}

/// The enum names whose numbers a type has.
fn names_for(catalog: &Catalog, ty: Type) -> Vec<(&str, i64)> {
    let fits = |&(_, number): &(&str, i64)| convert::convert(&Value::Int(number), ty).is_ok();
    let numbered = catalog.enum_names().filter_map(|name| Some((name, catalog.enum_value(name)?)));
    let mut names: Vec<_> = numbered.filter(|_| ty.is_number()).filter(fits).collect();
    names.sort_unstable_by_key(|&(name, number)| (number, name));
    names
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
