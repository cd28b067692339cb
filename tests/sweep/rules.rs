//! The rules: what no file may hold, by where it stands.

use crate::sweep::code::{code_of, without_tests};
use crate::sweep::floors::{self, ENGINE, TOOLS, floor_of, module_of};
use crate::sweep::{Breach, shape};

/// A rule over the words of the code.
struct Rule {
    says: &'static str,
    /// Whether it holds for this file.
    holds_for: fn(&str) -> bool,
    /// The words and paths that must be absent.
    absent: &'static [&'static str],
}

const RULES: [Rule; 9] = [
    Rule {
        says: "words, text, tree and engine know no tokio, no clock, no files, no processes, no randomness",
        holds_for: |path| floor(path).is_some_and(|floor| floor <= ENGINE),
        absent: &["tokio", "Instant", "SystemTime", "fs", "process", "rand", "fastrand", "getrandom"],
    },
    Rule {
        says: "the tools know no tree, no engine, no board, no node",
        holds_for: |path| floor(path) == Some(TOOLS),
        absent: &["crate::tree", "crate::engine", "crate::board", "crate::node"],
    },
    Rule {
        says: "only engine/visit.rs writes a node's status",
        holds_for: |path| is_engine(path) && path != "src/engine/visit.rs",
        absent: &[".status ="],
    },
    Rule {
        says: "only engine/settle.rs writes the board for a tool; scripts, leaves and the outside have their own file",
        holds_for: |path| {
            let writers = ["guard", "leaf", "script", "settle", "write"];
            is_engine(path) && !writers.iter().any(|file| path == format!("src/engine/{file}.rs"))
        },
        absent: &["board.write", "board.write_port", "board.write_script", "board.unset", "write_port"],
    },
    Rule {
        says: "only run/clock.rs reads a clock",
        holds_for: |path| path.starts_with("src/") && path != "src/run/clock.rs",
        absent: &["Instant::now", "SystemTime::now"],
    },
    Rule {
        says: "only harness/spawn.rs starts a process",
        holds_for: |path| path.starts_with("src/") && path != "src/harness/spawn.rs",
        absent: &["process::Command", "Command::new"],
    },
    Rule {
        says: "a lint is expected with a reason, never allowed",
        holds_for: |_| true,
        absent: &["#[allow", "#![allow"],
    },
    Rule { says: "nothing waits on the wall clock", holds_for: |_| true, absent: &["thread::sleep"] },
    Rule {
        says: "nothing is left for later",
        holds_for: |path| path.starts_with("src/"),
        absent: &["todo!", "unimplemented!", "dbg!"],
    },
];

/// Folders of people's own, which no file of a repository names.
const OWN_FOLDERS: [&str; 4] = ["home", "root", "Users", "work"];

/// Everything that is wrong with one file. Rust sources are read as code, all others as text.
pub fn breaches(path: &str, source: &str) -> Vec<Breach> {
    let mut found = own_folders(path, source);
    if path.ends_with(".rs") {
        let code = code_of(source);
        let tested = without_tests(&code);
        found.extend(
            RULES.iter().filter(|rule| (rule.holds_for)(path)).flat_map(|rule| rule.breaches(path, tested)),
        );
        found.extend(upward_imports(path, tested));
        found.extend(shape::breaches(path, source, &code));
    }
    found.sort();
    found
}

impl Rule {
    fn breaches(&self, path: &str, code: &str) -> Vec<Breach> {
        let lines = code.lines().enumerate();
        let wrong = lines.filter(|(_, line)| self.absent.iter().any(|word| names(line, word)));
        wrong
            .map(|(at, _)| Breach { path: path.to_owned(), line: at + 1, says: self.says.to_owned() })
            .collect()
    }
}

/// Whether a line of code holds a word, and not merely as a part of a longer one.
fn names(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let starts = !word.starts_with(part) || !before.is_some_and(part);
        // `.status ==` compares.
        starts && !after.is_some_and(|c| part(c) && word.ends_with(part) || c == '=' && word.ends_with('='))
    })
}

fn floor(path: &str) -> Option<usize> {
    module_of(path).and_then(floor_of)
}

fn is_engine(path: &str) -> bool {
    path.starts_with("src/engine/") || path.starts_with("src/node/")
}

/// Imports go downward, or stay on their floor.
fn upward_imports(path: &str, code: &str) -> Vec<Breach> {
    let breach = |line, says| Breach { path: path.to_owned(), line, says };
    let Some(module) = module_of(path) else { return Vec::new() };
    let Some(own) = floor_of(module) else {
        return vec![breach(
            1,
            format!("`{module}` is on no floor; tests/sweep/floors.rs says which there are"),
        )];
    };
    let mut found = Vec::new();
    for (at, line) in code.lines().enumerate() {
        for used in line.split("crate::").skip(1) {
            let name = used.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            if let Some(floor) = floor_of(name).filter(|&floor| floor > own) {
                let (lower, upper) = (floors::name(own), floors::name(floor));
                found.push(breach(
                    at + 1,
                    format!("imports go downward: `{lower}` may not use `{name}` of `{upper}`"),
                ));
            }
        }
    }
    found
}

fn own_folders(path: &str, source: &str) -> Vec<Breach> {
    let lines = source.lines().enumerate();
    let wrong = lines.filter(|(_, line)| OWN_FOLDERS.iter().any(|folder| holds_folder(line, folder)));
    let says = "no file names a folder of somebody's own machine";
    wrong.map(|(at, _)| Breach { path: path.to_owned(), line: at + 1, says: says.to_owned() }).collect()
}

/// Whether a line holds `/folder/` at the beginning of a path.
fn holds_folder(line: &str, folder: &str) -> bool {
    let path = format!("/{folder}/");
    line.match_indices(&path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '}' | ')' | '*'))
    })
}
