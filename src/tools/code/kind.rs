//! What a definition is and what a reference does, more exactly than the tag queries say.

use schemars::JsonSchema;
use serde::Serialize;
use tree_sitter::Node;

use crate::diag::did_you_mean;
use crate::tool::ToolError;

/// What a name does at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceKind {
    /// It is being defined.
    Definition,
    /// It is called, or made with `new`.
    Call,
    /// It stands for a type.
    Type,
    /// A type implements or extends it, or is being implemented.
    Implementation,
    /// It is imported.
    Import,
    /// A member is read or written.
    Field,
    /// Any other use of the name.
    Name,
}

impl ReferenceKind {
    /// The kind of a name that a query captured as a reference.
    pub fn of_capture(word: &str) -> Self {
        match word {
            "call" | "class" => Self::Call,
            "implementation" => Self::Implementation,
            "type" => Self::Type,
            _ => Self::Name,
        }
    }

    /// The kind of a name that no query captured, by the kind of its node.
    pub fn of_node(kind: &str) -> Self {
        match kind {
            "type_identifier" => Self::Type,
            "field_identifier" | "property_identifier" | "private_property_identifier" => Self::Field,
            _ => Self::Name,
        }
    }
}

/// A definition as the grammar sees it.
pub struct Refined<'tree> {
    /// The kind.
    pub kind: &'static str,
    /// The node that is the whole definition.
    pub node: Node<'tree>,
    /// Whether it only declares.
    pub is_declaration: bool,
}

/// Refines what a query captured; `None` when the capture is no definition after all.
pub fn refine<'tree>(word: &'static str, node: Node<'tree>) -> Option<Refined<'tree>> {
    let whole = |kind| Some(Refined { kind, node, is_declaration: false });
    match node.kind() {
        "function_declarator" => native_function(node),
        "struct_item" | "struct_specifier" => whole("struct"),
        "union_item" | "union_specifier" => whole("union"),
        "trait_item" => whole("trait"),
        "type_item" | "type_alias" => whole("type"),
        "enum_specifier" | "class_specifier" => {
            node.child_by_field_name("body").and_then(|_| whole(word_of(node)))
        }
        "enum_item" | "enum_declaration" => whole("enum"),
        "type_spec" => whole(go_type(node)),
        "function_definition" if is_in_class(node) => whole("method"),
        "mod_item" => {
            let is_declaration = node.child_by_field_name("body").is_none();
            Some(Refined { kind: "module", node, is_declaration })
        }
        // A union named in `union u x;` is captured whether or not it is defined there.
        "declaration" if word == "class" => None,
        _ => whole(word),
    }
}

/// Which of two kinds for one name says more.
pub fn weight(kind: &str) -> u8 {
    match kind {
        "name" => 0,
        "constant" | "variable" | "field" => 1,
        "function" => 2,
        _ => 3,
    }
}

/// Whether a definition of `kind` is what someone means who asks for a `wanted`.
pub fn is_wanted(wanted: &str, kind: &str) -> bool {
    match wanted {
        "function" => matches!(kind, "function" | "method"),
        "class" => matches!(kind, "class" | "struct"),
        "interface" | "trait" => matches!(kind, "interface" | "trait"),
        "type" => is_type(kind),
        "constant" | "variable" => matches!(kind, "constant" | "variable"),
        exact => kind == exact,
    }
}

/// Whether `kind` names a type.
pub fn is_type(kind: &str) -> bool {
    matches!(kind, "class" | "struct" | "enum" | "union" | "interface" | "trait" | "type")
}

/// The kind that an argument names.
///
/// # Errors
/// A user input error with the nearest kind.
pub fn parse_kind(typed: &str) -> Result<&'static str, ToolError> {
    const KINDS: &[&str] = &[
        "function",
        "method",
        "struct",
        "enum",
        "union",
        "class",
        "interface",
        "trait",
        "type",
        "module",
        "macro",
        "constant",
        "variable",
        "variant",
        "field",
    ];
    let lower = typed.trim().to_lowercase();
    if let Some(kind) = KINDS.iter().find(|&&kind| kind == lower) {
        return Ok(kind);
    }
    let error = ToolError::user_input(format!("unknown kind of definition `{typed}`"));
    Err(error.suggest(match did_you_mean(&lower, KINDS.iter().copied()) {
        Some(near) => format!("Did you mean `{near}`?"),
        None => format!("Leave `kind` out, or use one of: {}.", KINDS.join(", ")),
    }))
}

fn word_of(node: Node<'_>) -> &'static str {
    if node.kind() == "enum_specifier" { "enum" } else { "class" }
}

fn go_type(node: Node<'_>) -> &'static str {
    match node.child_by_field_name("type").map(|shape| shape.kind()) {
        Some("struct_type") => "struct",
        Some("interface_type") => "interface",
        _ => "type",
    }
}

fn is_in_class(node: Node<'_>) -> bool {
    let outer = |node: Node<'_>| node.parent().is_some_and(|parent| is_class_body(parent));
    outer(node)
        || node.parent().is_some_and(|parent| parent.kind() == "decorated_definition" && outer(parent))
}

fn is_class_body(node: Node<'_>) -> bool {
    let of_class = || node.parent().is_some_and(|parent| parent.kind() == "class_definition");
    node.kind() == "field_declaration_list" || (node.kind() == "block" && of_class())
}

/// C and C++ bury the name of a function in declarators; what lies around them tells a definition
/// from a prototype, and both from a parameter or a local variable that only looks like one.
fn native_function(declarator: Node<'_>) -> Option<Refined<'_>> {
    let mut node = declarator.parent()?;
    while matches!(node.kind(), "pointer_declarator" | "reference_declarator" | "attributed_declarator") {
        node = node.parent()?;
    }
    let is_member = node.parent().is_some_and(is_class_body);
    let is_qualified = (declarator.child_by_field_name("declarator"))
        .is_some_and(|name| name.kind() == "qualified_identifier");
    let kind = if is_member || is_qualified { "method" } else { "function" };
    match node.kind() {
        "function_definition" => Some(Refined { kind, node, is_declaration: false }),
        "declaration" if node.parent().is_some_and(|parent| parent.kind() == "compound_statement") => None,
        "declaration" | "field_declaration" => Some(Refined { kind, node, is_declaration: true }),
        _ => None,
    }
}
