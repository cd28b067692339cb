; What the grammar's own tag query leaves out.

(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @definition.field)))
(type_alias_statement left: (type (identifier) @name)) @definition.type

(type (identifier) @name) @reference.type
(class_definition superclasses: (argument_list (identifier) @name)) @reference.implementation
(decorator (identifier) @name) @reference.call
