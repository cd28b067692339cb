//! Runs a folder of cases of the dialect's reference engine and says where this engine differs.
//!
//! Run it with `cargo run --example conformance -- tests/data/conformance/cases`.

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

#[path = "../tests/oracle/mod.rs"]
#[expect(dead_code, reason = "what only the test of the repository's own cases needs")]
mod oracle;

use oracle::case::read_folder;
use oracle::report::Report;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("which folder? Give one that holds NNN-slug.xml files")?;
    let cases = read_folder(Path::new(&folder))?;
    let report = Report::of(&cases)?;
    write!(io::stdout().lock(), "{report}")?;
    Ok(if report.failed() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
