; How JavaScript alone extends a class; TypeScript has clauses of its own for it.

(class_heritage (identifier) @name) @reference.implementation
