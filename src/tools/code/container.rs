//! What a definition belongs to.

use tree_sitter::Node;

/// How far up a container is looked for. Asking for a parent walks down from the root, so that
/// without a bound a file of nothing but brackets would take quadratic time.
const STEPS_MAX: usize = 64;

/// The name of the type, trait, class or module around a definition.
pub fn container_of<'s>(definition: Node<'_>, source: &'s [u8]) -> Option<&'s str> {
    if let Some(owner) = receiver(definition).or_else(|| qualifier(definition)) {
        return text(base_name(owner), source);
    }
    let mut node = definition;
    for _ in 0..STEPS_MAX {
        node = node.parent()?;
        if let Some(owner) = owner_name(node) {
            return text(base_name(owner), source);
        }
    }
    None
}

/// The name of a node that contains definitions.
fn owner_name(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "impl_item" => node.child_by_field_name("type"),
        "trait_item"
        | "mod_item"
        | "enum_item"
        | "struct_item"
        | "union_item"
        | "function_item"
        | "class_definition"
        | "function_definition"
        | "class_declaration"
        | "class"
        | "abstract_class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "internal_module"
        | "module"
        | "namespace_definition"
        | "class_specifier"
        | "struct_specifier"
        | "union_specifier"
        | "enum_specifier"
        | "type_spec"
        | "function_declaration"
        | "method_definition" => node.child_by_field_name("name"),
        _ => None,
    }
}

/// Go: the type of `func (r *Ring[T]) Push`.
fn receiver(definition: Node<'_>) -> Option<Node<'_>> {
    let list = definition.child_by_field_name("receiver")?;
    list.named_child(0)?.child_by_field_name("type")
}

/// C++: the class of `void Ring::push() {`.
fn qualifier(definition: Node<'_>) -> Option<Node<'_>> {
    let mut node = definition.child_by_field_name("declarator")?;
    while node.kind() != "qualified_identifier" {
        node = node.child_by_field_name("declarator")?;
    }
    while let Some(inner) =
        node.child_by_field_name("name").filter(|name| name.kind() == "qualified_identifier")
    {
        node = inner;
    }
    node.child_by_field_name("scope")
}

/// The bare name in `&mut a::Ring<T>`, `*Ring[T]`, `Ring<T>`.
fn base_name(mut node: Node<'_>) -> Node<'_> {
    loop {
        let inner = match node.kind() {
            "generic_type" | "reference_type" => node.child_by_field_name("type"),
            "scoped_type_identifier" | "template_type" => node.child_by_field_name("name"),
            "pointer_type" => node.named_child(0),
            _ => None,
        };
        let Some(inner) = inner else { return node };
        node = inner;
    }
}

fn text<'s>(node: Node<'_>, source: &'s [u8]) -> Option<&'s str> {
    std::str::from_utf8(source.get(node.byte_range())?).ok()
}
