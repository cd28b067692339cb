; What the queries of JavaScript and TypeScript leave out.

(type_alias_declaration name: (type_identifier) @name) @definition.type
(enum_declaration name: (identifier) @name) @definition.enum
(enum_body name: (property_identifier) @name @definition.variant)
(enum_assignment name: (property_identifier) @name) @definition.variant
(internal_module name: (identifier) @name) @definition.module
(public_field_definition name: (property_identifier) @name) @definition.field
(property_signature name: (property_identifier) @name) @definition.field

(extends_clause value: (identifier) @name) @reference.implementation
(implements_clause (type_identifier) @name) @reference.implementation
