//! The grammars and their tag queries.

use std::sync::LazyLock;

use tree_sitter::{Language, Query};

/// A grammar that files can be parsed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// Rust.
    Rust,
    /// Python.
    Python,
    /// JavaScript with JSX.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// Go.
    Go,
    /// C.
    C,
    /// C++.
    Cpp,
}

/// Languages whose files can name each other's definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Rust.
    Rust,
    /// Python.
    Python,
    /// JavaScript and TypeScript.
    Script,
    /// Go.
    Go,
    /// C and C++.
    Native,
}

impl Grammar {
    /// The languages among which a name means the same thing.
    pub const fn family(self) -> Family {
        match self {
            Self::Rust => Family::Rust,
            Self::Python => Family::Python,
            Self::JavaScript | Self::TypeScript | Self::Tsx => Family::Script,
            Self::Go => Family::Go,
            Self::C | Self::Cpp => Family::Native,
        }
    }

    /// The grammar with its compiled query. Compiled once a process: a query takes milliseconds.
    pub fn tagger(self) -> &'static Tagger {
        &TAGGERS[self as usize]
    }
}

/// In the order of [`Grammar`].
static TAGGERS: [LazyLock<Tagger>; 8] = [
    LazyLock::new(|| {
        let rust = [tree_sitter_rust::TAGS_QUERY, include_str!("queries/rust.scm")];
        Tagger::new(tree_sitter_rust::LANGUAGE.into(), &rust)
    }),
    LazyLock::new(|| {
        let python = [tree_sitter_python::TAGS_QUERY, include_str!("queries/python.scm")];
        Tagger::new(tree_sitter_python::LANGUAGE.into(), &python)
    }),
    LazyLock::new(|| {
        let script = [tree_sitter_javascript::TAGS_QUERY, include_str!("queries/javascript.scm")];
        Tagger::new(tree_sitter_javascript::LANGUAGE.into(), &script)
    }),
    LazyLock::new(|| Tagger::new(tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), &TYPESCRIPT)),
    LazyLock::new(|| Tagger::new(tree_sitter_typescript::LANGUAGE_TSX.into(), &TYPESCRIPT)),
    LazyLock::new(|| {
        let go = [tree_sitter_go::TAGS_QUERY, include_str!("queries/go.scm")];
        Tagger::new(tree_sitter_go::LANGUAGE.into(), &go)
    }),
    LazyLock::new(|| {
        let c = [tree_sitter_c::TAGS_QUERY, include_str!("queries/c.scm")];
        Tagger::new(tree_sitter_c::LANGUAGE.into(), &c)
    }),
    LazyLock::new(|| {
        let c = include_str!("queries/c.scm");
        let cpp = [tree_sitter_cpp::TAGS_QUERY, c, include_str!("queries/cpp.scm")];
        Tagger::new(tree_sitter_cpp::LANGUAGE.into(), &cpp)
    }),
];

/// TypeScript's own query only adds to JavaScript's.
const TYPESCRIPT: [&str; 4] = [
    tree_sitter_javascript::TAGS_QUERY,
    tree_sitter_typescript::TAGS_QUERY,
    include_str!("queries/javascript.scm"),
    include_str!("queries/typescript.scm"),
];

/// A grammar, its query, and what each capture and each kind of node stands for.
#[derive(Debug)]
pub struct Tagger {
    /// The grammar.
    pub language: Language,
    /// The grammar's own tag query followed by what it lacks (`queries/*.scm`).
    pub query: Query,
    /// The meaning of each capture, by index.
    pub roles: Vec<Role>,
    /// What a node of each kind is to the walk, by kind id.
    parts: Vec<Part>,
}

/// What a node is to the walk over a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A name.
    Identifier,
    /// Something that imports the names in it.
    Import,
    /// A Rust macro call, which may hold items.
    Macro,
    /// Anything else.
    Other,
}

/// What a capture of a tag query stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The name.
    Name,
    /// A definition of this kind.
    Definition(&'static str),
    /// A reference of this kind.
    Reference(&'static str),
    /// Something that is not used here: `doc`, `local.scope`.
    Other,
}

impl Tagger {
    fn new(language: Language, queries: &[&str]) -> Self {
        let query = Query::new(&language, &queries.concat())
            .expect("the queries are part of the program, and a test compiles all of them");
        let roles = query.capture_names().iter().map(|name| Role::of(name)).collect();
        let parts = (0..language.node_kind_count())
            .map(|id| u16::try_from(id).ok().and_then(|id| language.node_kind_for_id(id)))
            .map(|kind| kind.map_or(Part::Other, Part::of))
            .collect();
        Self { language, query, roles, parts }
    }

    /// What a node of this kind is to the walk.
    pub fn part(&self, kind_id: u16) -> Part {
        self.parts.get(usize::from(kind_id)).copied().unwrap_or(Part::Other)
    }
}

impl Part {
    /// Every grammar here calls the nodes that are names so: `type_identifier`,
    /// `shorthand_property_identifier_pattern`, ... Labels are names of another world.
    fn of(kind: &str) -> Self {
        match kind {
            "statement_identifier" => Self::Other,
            "shorthand_property_identifier_pattern" => Self::Identifier,
            "use_declaration"
            | "extern_crate_declaration"
            | "import_statement"
            | "import_from_statement"
            | "import_declaration"
            | "using_declaration" => Self::Import,
            "macro_invocation" => Self::Macro,
            _ if kind.ends_with("identifier") => Self::Identifier,
            _ => Self::Other,
        }
    }
}

impl Role {
    fn of(capture: &str) -> Self {
        match capture.split_once('.') {
            Some(("definition", kind)) => Self::Definition(word(kind)),
            Some(("reference", kind)) => Self::Reference(word(kind)),
            None if capture == "name" => Self::Name,
            _ => Self::Other,
        }
    }
}

/// The words for kinds that results use, by the word that the queries use.
fn word(capture: &str) -> &'static str {
    const WORDS: &[&str] = &[
        "call",
        "class",
        "constant",
        "enum",
        "field",
        "function",
        "implementation",
        "import",
        "interface",
        "macro",
        "method",
        "module",
        "struct",
        "trait",
        "type",
        "union",
        "variable",
        "variant",
    ];
    WORDS.iter().find(|&&known| known == capture).copied().unwrap_or("name")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_compiles() {
        for (at, tagger) in TAGGERS.iter().enumerate() {
            assert!(tagger.roles.contains(&Role::Name), "grammar {at} names nothing");
        }
    }

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (grammar, node) in [
            (Grammar::Rust, "impl_item"),
            (Grammar::Python, "decorated_definition"),
            (Grammar::JavaScript, "jsx_element"),
            (Grammar::TypeScript, "interface_declaration"),
            (Grammar::Tsx, "jsx_element"),
            (Grammar::Go, "go_statement"),
            (Grammar::C, "preproc_def"),
            (Grammar::Cpp, "template_declaration"),
        ] {
            assert_ne!(grammar.tagger().language.id_for_node_kind(node, true), 0, "{grammar:?}");
        }
    }
}
