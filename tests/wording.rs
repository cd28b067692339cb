//! What people read has one style: every help line that a golden file or a snapshot holds is a sentence.

#![expect(clippy::unwrap_used, reason = "a file that cannot be read is a failed test")]

use std::fs;
use std::path::Path;

const MARK: &str = "= help: ";

/// Why a help line is no sentence.
fn fault(help: &str) -> Option<&'static str> {
    let first = help.chars().next()?;
    if !first.is_uppercase() && first != '`' {
        return Some("it begins with neither a capital letter nor a word in backticks");
    }
    (!help.ends_with(['.', '?'])).then_some("it ends with neither a full stop nor a question mark")
}

/// Looks at the help lines of a file, or of all files of a folder; answers how many there are.
fn look(path: &Path, faults: &mut Vec<String>) -> usize {
    if path.is_dir() {
        return fs::read_dir(path).unwrap().map(|entry| look(&entry.unwrap().path(), faults)).sum();
    }
    if path.extension().is_none_or(|it| !["txt", "snap", "rs", "md"].iter().any(|ending| it == *ending)) {
        return 0;
    }
    let text = fs::read_to_string(path).unwrap();
    let helps: Vec<_> = text.lines().filter_map(|line| line.trim_start().strip_prefix(MARK)).collect();
    for help in &helps {
        faults.extend(fault(help).map(|why| format!("{}: {why}: {help}", path.display())));
    }
    helps.len()
}

#[test]
fn every_help_line_is_a_sentence() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut faults = Vec::new();
    let count: usize =
        ["tests", "src/docs", "README.md"].iter().map(|path| look(&home.join(path), &mut faults)).sum();
    assert!(count > 200, "only {count} help lines were found");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_fragment_is_no_sentence() {
    #[track_caller]
    fn check(help: &str, is_sentence: bool) {
        assert_eq!(fault(help).is_none(), is_sentence, "{help}");
    }
    check("Write `<`.", true);
    check("Did you mean `a`?", true);
    check("`helve nodes` lists them.", true);
    check("write `<`.", false);
    check("Write `<`", false);
}
