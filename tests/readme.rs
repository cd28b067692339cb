//! The commands of the README, run as they are written, in a folder with the trees and a little code.
//!
//! What a text block shows must be in the output of the commands above it; lines with numbers, and
//! those that are cut, are of the day and are not compared.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

fn home(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn copy(from: &Path, to: &Path) {
    if !from.is_dir() {
        fs::copy(from, to).unwrap();
        return;
    }
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

fn clone() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for path in ["trees", "LICENSE-MIT"] {
        copy(&home(path), &folder.path().join(path));
    }
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::write(folder.path().join("src/lib.rs"), "/// Ticks.\npub struct Engine;\n").unwrap();
    folder
}

/// What a command prints, faults included.
#[expect(clippy::disallowed_methods, reason = "the test is about the process itself")]
fn run(line: &str, folder: &Path) -> String {
    let binaries = Path::new(env!("CARGO_BIN_EXE_helve")).parent().unwrap();
    let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder).env("PATH", path).env("NO_COLOR", "1");
    let output = command.output().unwrap();
    // A check that is shown to fail says so in its text; everything else succeeds.
    let is_broken_on_purpose = line.starts_with("sed ");
    assert_eq!(output.status.success(), !is_broken_on_purpose, "{line}: {output:?}");
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

/// A line that is the same on every day.
fn is_lasting(line: &str) -> bool {
    !line.trim().is_empty()
        && !line.contains(['…', '·'])
        && !line.contains("...")
        && !line.contains(|c: char| c.is_ascii_digit())
}

#[test]
fn every_command_of_the_readme_runs_and_prints_what_it_shows() {
    let text = fs::read_to_string(home("README.md")).unwrap();
    let folder = clone();
    let (mut said, mut commands, mut compared) = (String::new(), 0, 0);
    for (kind, block) in text.split("```").skip(1).step_by(2).filter_map(|fence| fence.split_once('\n')) {
        match kind {
            "sh" => {
                let lines = block.lines().map(|line| line.replace("cargo run --release --", "helve"));
                let lines: Vec<_> = lines.filter(|line| !line.starts_with("cargo ")).collect();
                commands += lines.len();
                said = lines.iter().map(|line| run(line, folder.path())).collect();
            }
            "text" => {
                for line in block.lines().filter(|line| is_lasting(line)) {
                    assert!(said.contains(line), "not printed: {line}\n{said}");
                    compared += 1;
                }
            }
            _ => {}
        }
    }
    assert!(commands >= 5 && compared >= 8, "{commands} commands, {compared} lines");
}
