//! How long functions and files are, and what stands in a table of contents.

use crate::sweep::Breach;

/// Longest function, in lines.
const FUNCTION_LINES_MAX: usize = 70;
/// Longest file, in lines.
const FILE_LINES_MAX: usize = 600;
/// Longest `mod.rs`, in lines without documentation.
const MOD_LINES_MAX: usize = 50;

/// Files above a bound and how long they are allowed to be. A row may be lowered or removed, and
/// none may be added without a second look at the file for the second noun in it.
pub const LONG_FILES: [(&str, usize); 4] = [
    ("tests/exec.rs", 700),
    ("tests/journal.rs", 650),
    ("tests/tools_code.rs", 700),
    ("tests/tools_vault.rs", 650),
];

pub fn breaches(path: &str, source: &str, code: &str) -> Vec<Breach> {
    // A test's function may be a long table: its rows are data.
    let mut breaches = if path.starts_with("tests/") { Vec::new() } else { long_functions(path, code) };
    let breach = |line, says: String| Breach { path: path.to_owned(), line, says };
    let lines = source.lines().count();
    let most = LONG_FILES.iter().find(|(file, _)| *file == path).map_or(FILE_LINES_MAX, |(_, most)| *most);
    if lines > most {
        breaches.push(breach(lines, format!("a file has at most {most} lines")));
    }
    if path.ends_with("mod.rs") {
        let own = source.lines().filter(|line| !line.trim_start().starts_with("//")).count();
        if own > MOD_LINES_MAX {
            breaches.push(breach(own, format!("a mod.rs has at most {MOD_LINES_MAX} lines")));
        }
        let logic = code.lines().enumerate().filter(|(_, line)| is_logic(line));
        let says = "a mod.rs is a table of contents and holds no logic";
        breaches.extend(logic.map(|(at, _)| breach(at + 1, says.to_owned())));
    }
    breaches
}

fn is_logic(line: &str) -> bool {
    let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    line.contains("fn ") && words.clone().any(|word| word == "fn") || line.trim_start().starts_with("impl")
}

fn long_functions(path: &str, code: &str) -> Vec<Breach> {
    let starts = code
        .match_indices("fn ")
        .map(|(at, _)| at)
        .filter(|&at| code[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_'));
    let long = starts.filter_map(|at| {
        let lines = body_end(&code[at..]).map(|end| code[at..at + end].lines().count())?;
        (lines > FUNCTION_LINES_MAX).then(|| Breach {
            path: path.to_owned(),
            line: code[..at].matches('\n').count() + 1,
            says: format!("a function has at most {FUNCTION_LINES_MAX} lines"),
        })
    });
    long.collect()
}

/// Where the body of a function ends; `None` for a type `fn(..)` or a declaration without a body.
fn body_end(code: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in code.char_indices() {
        match c {
            ';' if depth == 0 => return None,
            '{' => depth += 1,
            '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}
