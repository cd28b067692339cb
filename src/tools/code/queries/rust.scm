; What the grammar's own tag query leaves out.

(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.constant
(enum_variant name: (identifier) @name) @definition.variant
(field_declaration name: (field_identifier) @name) @definition.field
(function_signature_item name: (identifier) @name) @definition.method
(associated_type name: (type_identifier) @name) @definition.type

(call_expression function: (scoped_identifier name: (identifier) @name)) @reference.call
(call_expression function: (generic_function function: (identifier) @name)) @reference.call
(call_expression function: (generic_function function: (scoped_identifier name: (identifier) @name))) @reference.call
(call_expression function: (generic_function function: (field_expression field: (field_identifier) @name))) @reference.call
(macro_invocation macro: (scoped_identifier name: (identifier) @name)) @reference.call

(impl_item trait: (generic_type type: (type_identifier) @name)) @reference.implementation
(impl_item trait: (scoped_type_identifier name: (type_identifier) @name)) @reference.implementation
(impl_item !trait type: (generic_type type: (type_identifier) @name)) @reference.implementation
