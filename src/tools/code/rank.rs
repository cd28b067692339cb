//! Which of several things people most likely mean.

use std::cmp::Reverse;

use crate::tools::code::kind::is_type;
use crate::tools::code::symbol::Symbol;
use crate::tools::code::tags::Definition;

/// Whether a file stands aside of the code proper: tests, examples, benches, copies of others' code.
pub fn is_aside(path: &str) -> bool {
    const FOLDERS: &[&str] = &[
        "test",
        "tests",
        "__tests__",
        "testdata",
        "testing",
        "spec",
        "example",
        "examples",
        "bench",
        "benches",
        "benchmark",
        "benchmarks",
        "fixtures",
        "mock",
        "mocks",
        "vendor",
        "third_party",
        "node_modules",
    ];
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    folders.split('/').any(|folder| FOLDERS.contains(&folder))
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || matches!(stem, "tests" | "test" | "conftest")
        || [".test.", ".spec."].iter().any(|mark| file.contains(mark))
}

/// Whether a definition is part of tests inside a file of code.
pub fn is_test(definition: &Definition) -> bool {
    definition.container.as_deref().is_some_and(|container| matches!(container, "test" | "tests"))
}

/// The order of candidates for a symbol, best first.
pub fn key<'a>(symbol: &Symbol, path: &'a str, definition: &Definition) -> impl Ord + use<'a> {
    (
        Reverse(is_qualified(symbol, path, definition)),
        definition.is_declaration,
        is_aside(path) || is_test(definition),
        class(definition.kind),
        Reverse(is_exported(definition)),
        definition.container.is_some(),
        path.matches('/').count(),
        path,
        definition.line,
    )
}

/// Whether the definition says itself that others may use it. In languages without such a word
/// all are equal.
pub fn is_exported(definition: &Definition) -> bool {
    ["pub ", "export ", "pub("].iter().any(|word| definition.signature.starts_with(word))
}

/// Whether a definition belongs to what the symbol is qualified with: its type, or its module,
/// which is a folder or a file. Without a qualifier none does, so that all are equal.
fn is_qualified(symbol: &Symbol, path: &str, definition: &Definition) -> bool {
    let Some(qualifier) = symbol.qualifier.as_deref() else { return false };
    let in_module = || path.split('/').any(|part| part.split('.').next() == Some(qualifier));
    definition.container.as_deref() == Some(qualifier) || in_module()
}

fn class(kind: &str) -> u8 {
    match kind {
        kind if is_type(kind) => 0,
        "function" | "macro" => 1,
        "method" => 2,
        "constant" | "variable" | "module" => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_examples_stand_aside() {
        for (path, aside) in [
            ("src/lib.rs", false),
            ("tests/api.rs", true),
            ("a/examples/b.rs", true),
            ("pkg/ring_test.go", true),
            ("pkg/test_ring.py", true),
            ("web/app.spec.ts", true),
            ("src/latest.rs", false),
            ("src/contest/mod.rs", false),
        ] {
            assert_eq!(is_aside(path), aside, "{path}");
        }
    }
}
