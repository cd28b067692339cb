; What the grammar's own tag query leaves out: constants of a module.

(program (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant))
(program (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant))

(class_heritage (identifier) @name) @reference.implementation
